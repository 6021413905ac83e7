// SPDX-License-Identifier: Apache-2.0
#include "engine/connection/shell_connection.h"

#include "engine/base/hash.h"
#include "engine/connection/command.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <unistd.h>

namespace graphloom {

namespace {

namespace fs = std::filesystem;

constexpr int keptDays = 30;           // that files stay which are not used
constexpr double shellPatience = 30;   // seconds for a command of the shell
constexpr double farewellPatience = 5; // for one after which nobody waits for the device

/// Returns 128 bits of hash in hexadecimal: the name by which the content of a file is kept.
Result<std::string> contentKey(const fs::path &file)
{
    std::ifstream stream(file, std::ios::binary);
    std::vector<char> part(std::size_t{1} << 20);
    std::array<std::uint64_t, 2> hashes = {1, 2};
    while (stream) {
        stream.read(part.data(), std::streamsize(part.size()));
        const auto bytes = std::as_bytes(std::span(part)).first(std::size_t(stream.gcount()));
        for (std::uint64_t &hash : hashes)
            hash = hashBytes(bytes, hash);
    }
    if (!stream.eof())
        return fail(Error::Kind::Missing, "cannot be read", file.string());
    char digits[33];
    std::snprintf(digits, sizeof digits, "%016llx%016llx",
                  static_cast<unsigned long long>(hashes[0]),
                  static_cast<unsigned long long>(hashes[1]));
    return std::string(digits);
}

} // namespace

std::string shellWord(std::string_view word)
{
    std::string quoted = "'";
    for (const char c : word)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

Result<std::string> ShellConnection::answer(const std::string &script, std::stop_token stop)
{
    GL_TRY_CONST(result, shell(script, std::move(stop), shellPatience));
    if (result->ending != 0)
        return fail(Error::Kind::Missing, "a command failed on the device: " + lastLines(*result),
                    title());
    return result->lines.empty() ? std::string() : result->lines.back();
}

Result<std::string> ShellConnection::root(std::stop_token stop)
{
    const std::lock_guard lock(m_mutex);
    if (m_root.empty()) {
        const std::string folder = folderExpression();
        GL_TRY_RESULT(path, answer("mkdir -p " + folder + "/kept " + folder +
                                       "/runs && chmod 700 " + folder + " && cd " + folder +
                                       " && { find kept runs -mindepth 1 -maxdepth 1 -mtime +" +
                                       std::to_string(keptDays) +
                                       " -exec rm -rf {} + >/dev/null 2>&1; pwd; }",
                                   std::move(stop)));
        if (!path->starts_with('/'))
            return fail(Error::Kind::Missing, "the device does not say where files can be kept",
                        title());
        m_root = *std::move(path);
    }
    return m_root;
}

std::vector<Finding> ShellConnection::check(std::stop_token stop)
{
    std::vector<Finding> findings = checkClient(stop);
    const auto step = [&](const std::string &what, const Result<std::string> &result,
                          const std::function<std::string(const std::string &)> &problem) {
        const std::string wrong = result ? problem(*result) : result.error().text();
        findings.push_back({what, wrong.empty(), wrong.empty() ? *result : wrong});
        return wrong.empty();
    };
    if (findings.empty() || !findings.back().found)
        return findings;
    const auto fine = [](const std::string &) { return std::string(); };
    if (step("processor", answer("uname -m", stop), [](const std::string &machine) {
            return machine == "aarch64" || machine == "arm64"
                       ? ""
                       : "the device is a " + machine + ", and packages are for aarch64";
        }))
        step("folder", root(stop), fine);
    return findings;
}

Result<std::string> ShellConnection::keep(const fs::path &file, std::stop_token stop)
{
    GL_TRY_CONST(key, contentKey(file));
    GL_TRY_CONST(folder, root(stop));
    const std::string kept = *folder + "/kept/" + *key;
    GL_TRY_CONST(there, answer("[ -f " + shellWord(kept) + " ] && touch " + shellWord(kept) +
                                   " && echo yes || echo no",
                               stop));
    if (*there == "yes")
        return kept;
    GL_TRY_CONST(part, answer("mktemp " + shellWord(kept + ".XXXXXX"), stop));
    auto sent = upload(file, *part, stop);
    if (sent) {
        // A connection that breaks off may look like the end of the file.
        std::error_code failed;
        const auto bytes = std::to_string(fs::file_size(file, failed));
        GL_TRY_CONST(put, answer("if [ \"$(wc -c < " + shellWord(*part) +
                                     " | tr -d ' ')\" = " + bytes + " ]; then chmod 700 " +
                                     shellWord(*part) + " && mv " + shellWord(*part) + " " +
                                     shellWord(kept) + " && echo kept; else echo cut; fi",
                                 stop));
        if (*put == "kept")
            return kept;
        sent = fail(Error::Kind::Missing, "the device received only a part of it", file.string());
    }
    (void)shell("rm -f " + shellWord(*part), {}, shellPatience);
    return tl::unexpected(sent.error());
}

Result<std::string> ShellConnection::makeFolder(std::stop_token stop)
{
    GL_TRY_CONST(folder, root(stop));
    return answer("mktemp -d " + shellWord(*folder + "/runs/run.XXXXXX"), stop);
}

void ShellConnection::forget(const std::string &kept) noexcept
{
    remove(kept);
}

void ShellConnection::removeFolder(const std::string &folder) noexcept
{
    remove(folder);
}

void ShellConnection::remove(const std::string &path) noexcept
{
    try {
        (void)shell("rm -rf " + shellWord(path), {}, shellPatience);
    } catch (const std::exception &) {
        // It stays there; the device is gone, or there is no memory.
    }
}

Result<void> ShellConnection::send(const fs::path &file, const std::string &path,
                                   std::stop_token stop)
{
    return upload(file, path, std::move(stop));
}

Result<void> ShellConnection::fetch(const std::string &path, const fs::path &to,
                                    std::stop_token stop)
{
    return download(path, to, std::move(stop));
}

Result<CommandResult> ShellConnection::run(const std::vector<std::string> &command,
                                           std::stop_token stop, double seconds)
{
    std::string words;
    for (const std::string &word : command)
        words += (words.empty() ? "" : " ") + shellWord(word);
    GL_TRY_CONST(folder, root(stop));
    static std::atomic<unsigned> number = 0;
    const std::string note = shellWord(*folder + "/runs/process." + std::to_string(::getpid()) +
                                       "." + std::to_string(++number));
    auto result = shell(words + " & process=$!; echo $process > " + note +
                            "; wait $process; ending=$?; rm -f " + note + "; exit $ending",
                        std::move(stop), seconds);
    // The end of the client does not end the program, which would disturb later measurements.
    if (!result)
        (void)shell("[ -f " + note + " ] && kill $(cat " + note + "); rm -f " + note, {},
                    farewellPatience);
    return result;
}

} // namespace graphloom

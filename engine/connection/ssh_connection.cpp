// SPDX-License-Identifier: Apache-2.0
#include "engine/connection/ssh_connection.h"

#include "engine/base/environment.h"
#include "engine/connection/command.h"
#include "engine/connection/shell_connection.h"
#include "engine/system/child_process.h"
#include "engine/system/temporary.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <thread>

namespace graphloom {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr int sshFailed = 255; // the exit code by which ssh tells its own failures

Words clientWords()
{
    const Words list = wordsOf(environmentVariable("GRAPHLOOM_SSH"));
    return list.empty() ? Words{"ssh"} : list;
}

class SshConnection final : public ShellConnection {
public:
    explicit SshConnection(SshAddress address) : m_address(std::move(address)) {}

    std::string title() const override
    {
        return "ssh:" + m_address.host +
               (m_address.port ? ":" + std::to_string(m_address.port) : "");
    }

protected:
    Result<CommandResult> shell(const std::string &script, std::stop_token stop,
                                double seconds) override
    {
        connect(stop);
        return answered(runCommand(command(script), stop, seconds));
    }

    Result<void> upload(const fs::path &file, const std::string &path,
                        std::stop_token stop) override
    {
        return copied("cat > " + shellWord(path), file, {}, path, std::move(stop));
    }

    Result<void> download(const std::string &path, const fs::path &to,
                          std::stop_token stop) override
    {
        return copied("cat " + shellWord(path), {}, to, path, std::move(stop));
    }

    std::string folderExpression() const override
    {
        return "\"${XDG_CACHE_HOME:-$HOME/.cache}/graphloom\"";
    }

    std::vector<Finding> checkClient(std::stop_token stop) override
    {
        constexpr double loginPatience = 15;
        Words version = clientWords();
        version.push_back("-V");
        const auto client = runCommand(version, stop, loginPatience);
        std::vector<Finding> findings{
            {"SSH client", client && client->ending == 0,
             client ? lastLines(*client) : client.error().text() + ": install openssh-client"}};
        if (!findings.back().found)
            return findings;
        const auto login = shell("echo connected", std::move(stop), loginPatience);
        const bool works = login && login->ending == 0;
        findings.push_back({"login", works,
                            works   ? title()
                            : login ? lastLines(*login)
                                    : login.error().text()});
        return findings;
    }

private:
    /// Returns the client with options and host, before the script.
    Words client() const
    {
        Words words = clientWords();
        for (const char *option : {"BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=5",
                                   "ServerAliveCountMax=3"})
            words.insert(words.end(), {"-o", option});
        if (m_folder)
            words.insert(words.end(), {"-S", (m_folder->path() / "control").string()});
        if (m_address.port)
            words.insert(words.end(), {"-p", std::to_string(m_address.port)});
        return words;
    }

    Words command(const std::string &script) const
    {
        Words words = client();
        words.insert(words.end(), {"-o", "ControlMaster=no", "-T", "--", m_address.host, script});
        return words;
    }

    /// Starts the process that holds the connection for all commands. Without it, each command
    /// makes a connection of its own, and tells what is wrong.
    void connect(const std::stop_token &stop)
    {
        using namespace std::chrono_literals;
        constexpr auto longest = 15s;
        constexpr auto pause = 20ms;
        const std::lock_guard lock(m_mutex);
        if (m_master && !m_master->hasEnded())
            return;
        m_master.reset();
        if (!m_folder) {
            auto folder = Temporary::folder(temporaryFolder());
            if (!folder)
                return;
            m_folder.emplace(*std::move(folder));
        }
        Words words = client();
        words.insert(words.end(), {"-o", "ControlMaster=yes", "-o", "ControlPersist=no", "-N", "-T",
                                   "--", m_address.host});
        auto master =
            ChildProcess::startWithFiles(words.front(), {words.begin() + 1, words.end()}, {}, {});
        if (!master)
            return;
        const auto until = std::chrono::steady_clock::now() + longest;
        std::error_code none;
        while (!fs::exists(m_folder->path() / "control", none) && !master->hasEnded() &&
               !stop.stop_requested() && std::chrono::steady_clock::now() < until)
            std::this_thread::sleep_for(pause);
        if (!master->hasEnded())
            m_master.emplace(*std::move(master));
    }

    Result<CommandResult> answered(Result<CommandResult> result) const
    {
        if (result)
            for (std::string &line : result->lines)
                if (line.ends_with('\r')) // of messages of the client
                    line.pop_back();
        if (result && result->ending == sshFailed)
            return tl::unexpected(silence(*result, title()));
        return result;
    }

    Result<void> copied(const std::string &script, const fs::path &input, const fs::path &output,
                        const std::string &path, std::stop_token stop)
    {
        connect(stop);
        GL_TRY_CONST(
            result, answered(runWithFiles(command(script), input, output, stop, transferPatience)));
        if (result->ending != 0)
            return fail(Error::Kind::Missing, "cannot be copied: " + lastLines(*result),
                        title() + ":" + path);
        return {};
    }

    const SshAddress m_address;
    std::mutex m_mutex;                // guards the next two
    std::optional<Temporary> m_folder; // of the control socket
    std::optional<ChildProcess> m_master;
};

} // namespace

Result<SshAddress> parseSshAddress(const std::string &text)
{
    SshAddress address{text};
    const auto bracket = text.rfind(']');
    const auto colon = text.rfind(':');
    const bool isPlain = std::ranges::count(text, ':') == 1; // more of them are an IPv6 address
    if (colon != std::string::npos && (bracket == std::string::npos ? isPlain : colon > bracket)) {
        const std::string port = text.substr(colon + 1);
        const auto [end, error] =
            std::from_chars(port.data(), port.data() + port.size(), address.port);
        if (error != std::errc() || end != port.data() + port.size() || address.port < 1 ||
            address.port > 65535)
            return fail(Error::Kind::Usage, "the port must be a number from 1 to 65535",
                        "ssh:" + text);
        address.host = text.substr(0, colon);
    }
    std::erase_if(address.host, [](char c) { return c == '[' || c == ']'; });
    const bool hasOdd = std::ranges::any_of(
        address.host, [](unsigned char c) { return c <= ' ' || c == 127 || c == '\''; });
    if (address.host.empty() || address.host.starts_with('-') || hasOdd)
        return fail(Error::Kind::Usage, "this cannot be the name of a host", "ssh:" + text);
    return address;
}

std::unique_ptr<Connection> sshConnection(SshAddress address)
{
    return std::make_unique<SshConnection>(std::move(address));
}

} // namespace graphloom

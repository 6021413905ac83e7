// SPDX-License-Identifier: Apache-2.0
#include "engine/connection/adb_connection.h"

#include "engine/connection/command.h"
#include "engine/connection/shell_connection.h"

#include <algorithm>
#include <charconv>
#include <mutex>

namespace graphloom {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view exitMark = "graphloom-exit:";

class AdbConnection final : public ShellConnection {
public:
    explicit AdbConnection(std::string serial) : m_serial(std::move(serial)) {}

    std::string title() const override { return "adb:" + m_serial; }

protected:
    /// Early versions of the shell's protocol have no exit code, so the script prints its own, at
    /// the beginning of a line.
    Result<CommandResult> shell(const std::string &script, std::stop_token stop,
                                double seconds) override
    {
        const std::string marked = "(" + script + "); graphloom_exit=$?; echo; echo " +
                                   std::string(exitMark) + "$graphloom_exit";
        connect(stop);
        GL_TRY_RESULT(result, runCommand(command({"shell", marked}), std::move(stop), seconds));
        for (std::string &line : result->lines)
            if (line.ends_with('\r')) // of a terminal, which early versions have
                line.pop_back();
        const auto mark = std::ranges::find_if(
            result->lines, [](const std::string &line) { return line.starts_with(exitMark); });
        if (mark == result->lines.end())
            return tl::unexpected(silence(*result, title()));
        const char *digits = mark->data() + exitMark.size();
        std::from_chars(digits, mark->data() + mark->size(), result->ending);
        const bool isEmptyBefore = mark != result->lines.begin() && (mark - 1)->empty();
        result->lines.erase(isEmptyBefore ? mark - 1 : mark, result->lines.end());
        return result;
    }

    Result<void> upload(const fs::path &file, const std::string &path,
                        std::stop_token stop) override
    {
        connect(stop);
        return copied({"push", fs::absolute(file).string(), path}, path, std::move(stop));
    }

    Result<void> download(const std::string &path, const fs::path &to,
                          std::stop_token stop) override
    {
        return copied({"pull", path, fs::absolute(to).string()}, path, std::move(stop));
    }

    std::string folderExpression() const override { return "/data/local/tmp/graphloom"; }

    std::vector<Finding> checkClient(std::stop_token stop) override
    {
        constexpr double clientPatience = 15;
        const auto client = runCommand({"adb", "version"}, stop, clientPatience);
        const bool hasClient = client && client->ending == 0 && !client->lines.empty();
        std::vector<Finding> findings{{"adb", hasClient,
                                       hasClient ? client->lines.front()
                                       : client  ? lastLines(*client)
                                                 : client.error().text() + ": install adb"}};
        if (!hasClient)
            return findings;
        connect(stop);
        const auto state = runCommand(command({"get-state"}), stop, clientPatience);
        const bool isThere = state && state->ending == 0;
        findings.push_back({"device", isThere, state ? lastLines(*state) : state.error().text()});
        return findings;
    }

private:
    /// Lets adb know a phone that is reached by the network. What goes wrong is told by the command
    /// that needs it.
    void connect(const std::stop_token &stop)
    {
        constexpr double clientPatience = 15;
        if (m_serial.find(':') != std::string::npos)
            std::call_once(m_connected, [&] {
                (void)runCommand({"adb", "connect", m_serial}, stop, clientPatience);
            });
    }

    std::vector<std::string> command(const std::vector<std::string> &words) const
    {
        std::vector<std::string> all = {"adb", "-s", m_serial};
        all.insert(all.end(), words.begin(), words.end());
        return all;
    }

    Result<void> copied(const std::vector<std::string> &words, const std::string &path,
                        std::stop_token stop)
    {
        GL_TRY_CONST(result, runCommand(command(words), std::move(stop), transferPatience));
        if (result->ending != 0)
            return fail(Error::Kind::Missing, "cannot be copied: " + lastLines(*result),
                        title() + ":" + path);
        return {};
    }

    const std::string m_serial;
    std::once_flag m_connected;
};

} // namespace

Result<void> checkAdbSerial(const std::string &serial)
{
    const bool hasOdd =
        std::ranges::any_of(serial, [](unsigned char c) { return c <= ' ' || c == 127; });
    if (serial.empty() || serial.starts_with('-') || hasOdd)
        return fail(Error::Kind::Usage,
                    "this cannot be the serial of a device; `adb devices` lists those that there "
                    "are",
                    "adb:" + serial);
    return {};
}

std::unique_ptr<Connection> adbConnection(std::string serial)
{
    return std::make_unique<AdbConnection>(std::move(serial));
}

} // namespace graphloom

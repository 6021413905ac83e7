// SPDX-License-Identifier: Apache-2.0
#include "engine/connection/emulator_connection.h"

#include "engine/connection/command.h"
#include "engine/system/temporary.h"

#include <map>
#include <mutex>

namespace graphloom {

namespace {

namespace fs = std::filesystem;

class EmulatorConnection final : public Connection {
public:
    explicit EmulatorConnection(std::vector<std::string> emulator) : m_emulator(std::move(emulator))
    {
    }

    std::string title() const override
    {
        std::string text;
        for (const std::string &word : m_emulator)
            text += (text.empty() ? "" : " ") + word;
        return text;
    }
    bool isEmulated() const override { return true; }

    std::vector<Finding> check(std::stop_token stop) override
    {
        constexpr double answerPatience = 10;
        const auto version =
            runCommand({m_emulator.front(), "--version"}, std::move(stop), answerPatience);
        const bool works = version && version->ending == 0 && !version->lines.empty();
        return {{"emulator", works,
                 works     ? version->lines.front()
                 : version ? lastLines(*version)
                           : version.error().text()}};
    }

    Result<std::string> keep(const fs::path &file, std::stop_token) override
    {
        return fs::absolute(file).string();
    }

    void forget(const std::string &) noexcept override {} // it is the caller's

    Result<std::string> makeFolder(std::stop_token) override
    {
        GL_TRY_RESULT(made, Temporary::folder(temporaryFolder()));
        const std::string path = made->path().string();
        const std::lock_guard lock(m_mutex);
        m_folders.emplace(path, *std::move(made));
        return path;
    }

    void removeFolder(const std::string &folder) noexcept override
    {
        const std::lock_guard lock(m_mutex);
        m_folders.erase(folder);
    }

    Result<void> send(const fs::path &file, const std::string &path, std::stop_token) override
    {
        return copied(file, path);
    }

    Result<void> fetch(const std::string &path, const fs::path &to, std::stop_token) override
    {
        return copied(path, to);
    }

    Result<CommandResult> run(const std::vector<std::string> &command, std::stop_token stop,
                              double seconds) override
    {
        std::vector<std::string> words = m_emulator;
        words.insert(words.end(), command.begin(), command.end());
        return runCommand(words, std::move(stop), seconds);
    }

private:
    static Result<void> copied(const fs::path &from, const fs::path &to)
    {
        std::error_code failed;
        fs::copy_file(from, to, fs::copy_options::overwrite_existing, failed);
        if (failed)
            return fail(Error::Kind::Missing, "cannot be copied: " + failed.message(),
                        from.string());
        return {};
    }

    std::vector<std::string> m_emulator;
    std::mutex m_mutex; // guards m_folders
    std::map<std::string, Temporary> m_folders;
};

} // namespace

std::unique_ptr<Connection> emulatorConnection(std::vector<std::string> emulator)
{
    return std::make_unique<EmulatorConnection>(std::move(emulator));
}

} // namespace graphloom

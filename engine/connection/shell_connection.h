// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/connection/connection.h"

#include <mutex>
#include <string_view>

namespace graphloom {

/// Returns a word as a POSIX shell reads it, whatever characters it has.
std::string shellWord(std::string_view word);

/// Implements a connection to a device with a POSIX shell. Files are kept there by their content,
/// in a folder of the program's own, until they have not been used for a month.
class ShellConnection : public Connection {
public:
    bool isEmulated() const override { return false; }
    std::vector<Finding> check(std::stop_token stop) override;
    Result<std::string> keep(const std::filesystem::path &file, std::stop_token stop) override;
    void forget(const std::string &kept) noexcept override;
    Result<std::string> makeFolder(std::stop_token stop) override;
    void removeFolder(const std::string &folder) noexcept override;
    Result<void> send(const std::filesystem::path &file, const std::string &path,
                      std::stop_token stop) override;
    Result<void> fetch(const std::string &path, const std::filesystem::path &to,
                       std::stop_token stop) override;
    Result<CommandResult> run(const std::vector<std::string> &command, std::stop_token stop,
                              double seconds) override;

protected:
    /// Runs a script in the device's shell. Fails (Missing) if the device does not answer, telling
    /// what the client says.
    virtual Result<CommandResult> shell(const std::string &script, std::stop_token stop,
                                        double seconds) = 0;
    /// Copies a file to or from a path. An upload that breaks off may leave a part of it.
    virtual Result<void> upload(const std::filesystem::path &file, const std::string &path,
                                std::stop_token stop) = 0;
    virtual Result<void> download(const std::string &path, const std::filesystem::path &to,
                                  std::stop_token stop) = 0;
    /// Returns an expression of the shell for the folder of kept files: "$HOME/.cache/graphloom".
    virtual std::string folderExpression() const = 0;
    /// Looks for the client, and whether it reaches the device; as check() does.
    virtual std::vector<Finding> checkClient(std::stop_token stop) = 0;

private:
    /// Returns the folder of kept files, which is created the first time.
    Result<std::string> root(std::stop_token stop);
    void remove(const std::string &path) noexcept;
    /// Does what shell() does, and fails (Missing) with its output if the script fails.
    Result<std::string> answer(const std::string &script, std::stop_token stop);

    std::mutex m_mutex; // guards the next one
    std::string m_root;
};

} // namespace graphloom

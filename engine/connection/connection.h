// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/target/target.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace graphloom {

/// Says how a command ended.
struct CommandResult {
    int ending = 0;                 // exit code, or minus the signal that ended it
    std::vector<std::string> lines; // what it wrote to its standard output and errors
};

/// Runs programs on a device, and copies files there and back. Any number of threads may use it.
class Connection {
public:
    virtual ~Connection() = default;
    /// Returns what is at the other end, for messages: "qemu-aarch64 -cpu cortex-a76".
    virtual std::string title() const = 0;
    /// Tells whether the device is an emulator on this machine, whose times mean nothing.
    virtual bool isEmulated() const = 0;

    /// Looks at the connection step by step, in the order in which they are needed; steps after one
    /// that fails are not tried.
    virtual std::vector<Finding> check(std::stop_token stop) = 0;

    /// Copies a file to the device unless one with this content is there already, and returns its
    /// path there. Programs stay executable. Fails (Missing) if it cannot be read or sent, and
    /// (Stopped).
    virtual Result<std::string> keep(const std::filesystem::path &file, std::stop_token stop) = 0;
    /// Removes a file that is kept there, if it is still there.
    virtual void forget(const std::string &kept) noexcept = 0;
    /// Returns a new folder on the device, which remove() removes.
    virtual Result<std::string> makeFolder(std::stop_token stop) = 0;
    virtual void removeFolder(const std::string &folder) noexcept = 0;
    /// Copies a file to a path on the device, or from it. Fail as keep() does.
    virtual Result<void> send(const std::filesystem::path &file, const std::string &path,
                              std::stop_token stop) = 0;
    virtual Result<void> fetch(const std::string &path, const std::filesystem::path &to,
                               std::stop_token stop) = 0;
    /// Runs a program with arguments, which no shell interprets; it is ended when it takes longer
    /// than `seconds`. Fails (Missing) if the device does not answer, and (Stopped); the program's
    /// own failure is in the result.
    virtual Result<CommandResult> run(const std::vector<std::string> &command, std::stop_token stop,
                                      double seconds) = 0;
};

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

/// A program run beside ours, without a shell and in a process group of its own, so that what it
/// starts ends with it. Its output is read line by line. Destroyed while it runs, it is killed.
class ChildProcess {
public:
    enum class Reading { Output, OutputAndErrors }; // what is not read goes nowhere
    using Clock = std::chrono::steady_clock;

    /// Starts `program`: a path, or a name that is looked up in PATH. It reads `input` as its
    /// standard input; `variables` ("NAME=value") come before our own environment. Fails (Missing)
    /// when there is no such program.
    static Result<ChildProcess> start(const std::filesystem::path &program,
                                      const std::vector<std::string> &arguments, Reading reading,
                                      std::string_view input = {},
                                      const std::vector<std::string> &variables = {});
    /// Starts a program that talks: its descriptor 3 and connection() are the two ends of a stream
    /// socket. It reads nothing from its standard input; what it writes is kept in errors().
    static Result<ChildProcess> startConnected(const std::filesystem::path &program,
                                               const std::vector<std::string> &arguments);
    ChildProcess(ChildProcess &&other) noexcept;
    ChildProcess &operator=(ChildProcess &&) = delete;
    ~ChildProcess();

    enum class Event { Line, End, Late, Stopped };
    /// Waits for the next line of output (without its end), for the end of the output, for the
    /// deadline or for the stop; after the last two the process has been killed.
    Event readLine(std::string &line, Clock::time_point deadline, std::stop_token stop);

    /// The end of the process: its exit code, or minus the signal that ended it. One that still
    /// runs after `patience` is killed.
    int wait(std::chrono::milliseconds patience);

    /// Our end, of a connected one; it stays this object's.
    int connection() const { return m_output; }
    /// Sends a signal to it and what it has started, unless it has been waited for.
    void signal(int number) const;
    /// The end of what a connected one wrote to its standard output and errors.
    std::string errors() const;

    /// "ended with exit code 2", "crashed with SIGSEGV".
    static std::string describe(int ending);

private:
    ChildProcess(int process, int output, int errors = -1)
        : m_process(process), m_output(output), m_errors(errors)
    {
    }
    void kill() const;

    int m_process; // -1 when it has been waited for
    int m_output;  // descriptor
    int m_errors;  // a file in memory; -1: none
    int m_ending = 0;
    std::string m_buffer; // read, but not given out
};

/// The folder of the running program: its companions are there.
std::filesystem::path executableFolder();
/// A program that belongs to this one, in the installed tree as in the build tree.
std::filesystem::path companionProgram(const std::string &name);

} // namespace graphloom

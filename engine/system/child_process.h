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

/// Runs a program beside ours, without a shell and in a process group of its own, so that whatever
/// it starts ends with it. Its output is read line by line. The destructor kills it if it still
/// runs.
class ChildProcess {
public:
    enum class Reading { Output, OutputAndErrors }; // output that is not read is discarded
    using Clock = std::chrono::steady_clock;

    /// Starts `program`: a path, or a name that is looked up in PATH. It reads `input` as its
    /// standard input; `variables` ("NAME=value") take precedence over our own environment. Fails
    /// (Missing) if there is no such program.
    static Result<ChildProcess> start(const std::filesystem::path &program,
                                      const std::vector<std::string> &arguments, Reading reading,
                                      std::string_view input = {},
                                      const std::vector<std::string> &variables = {});
    /// Starts a program that reads one file and writes to another, which is created or emptied; an
    /// empty path stands for /dev/null. Its errors are read line by line. Fails (Missing) if there
    /// is no such program or file.
    static Result<ChildProcess> startWithFiles(const std::filesystem::path &program,
                                               const std::vector<std::string> &arguments,
                                               const std::filesystem::path &input,
                                               const std::filesystem::path &output);
    /// Starts a program that communicates with ours: its descriptor 3 and connection() are the two
    /// ends of a stream socket. It reads nothing from its standard input; what it writes is kept in
    /// errors().
    static Result<ChildProcess> startConnected(const std::filesystem::path &program,
                                               const std::vector<std::string> &arguments);
    ChildProcess(ChildProcess &&other) noexcept;
    ChildProcess &operator=(ChildProcess &&) = delete;
    ~ChildProcess();

    enum class Event { Line, End, Late, Stopped };
    /// Waits for the next line of output (without its line break), the end of the output, the
    /// deadline or the stop. In the last two cases the process has been killed.
    Event readLine(std::string &line, Clock::time_point deadline, std::stop_token stop);

    /// Waits for the end of the process and returns its exit code, or minus the signal that ended
    /// it. A process that still runs after `patience` is killed.
    int wait(std::chrono::milliseconds patience);

    /// Tells whether the process has ended by itself; wait() then says how at once.
    bool hasEnded() const;

    /// Returns our end of the socket of a connected program; this object keeps owning it.
    int connection() const { return m_output; }
    /// Sends a signal to the process and to all that it has started, unless it has been waited for.
    void signal(int number) const;
    /// Returns the last part of what a connected program wrote to its standard output and errors.
    std::string errors() const;

    /// Describes an exit: "ended with exit code 2", "crashed with SIGSEGV".
    static std::string describe(int ending);

private:
    ChildProcess(int process, int output, int errors = -1)
        : m_process(process), m_output(output), m_errors(errors)
    {
    }
    void kill() const;

    int m_process; // -1 after it has been waited for
    int m_output;  // descriptor
    int m_errors;  // a file in memory; -1: none
    int m_ending = 0;
    std::string m_buffer; // read, but not yet returned
};

/// Returns the folder of the running program, which also holds its companion programs.
std::filesystem::path executableFolder();
/// Returns the path of a program that belongs to this one, in the installed tree or in the build
/// tree.
std::filesystem::path companionProgram(const std::string &name);

} // namespace graphloom

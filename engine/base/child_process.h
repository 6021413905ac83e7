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
    /// standard input. Fails (Missing) when there is no such program.
    static Result<ChildProcess> start(const std::filesystem::path &program,
                                      const std::vector<std::string> &arguments, Reading reading,
                                      std::string_view input = {});
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

    /// "ended with exit code 2", "crashed with SIGSEGV".
    static std::string describe(int ending);

private:
    ChildProcess(int process, int output) : m_process(process), m_output(output) {}
    void kill() const;

    int m_process; // -1 when it has been waited for
    int m_output;  // descriptor
    int m_ending = 0;
    std::string m_buffer; // read, but not given out
};

/// The folder of the running program: its companions are there.
std::filesystem::path executableFolder();
/// A program that belongs to this one, in the installed tree as in the build tree.
std::filesystem::path companionProgram(const std::string &name);

} // namespace graphloom

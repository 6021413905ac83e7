// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/system/child_process.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace graphloom::test {

/// Says how a program ended, and what it wrote to its standard output and errors.
struct ProgramRun {
    int code = -1;
    std::string output;
};

/// Runs a program to its end, for two minutes at most.
inline ProgramRun runToEnd(const std::filesystem::path &program,
                           const std::vector<std::string> &arguments)
{
    ProgramRun run;
    auto child = ChildProcess::start(program, arguments, ChildProcess::Reading::OutputAndErrors);
    if (!child)
        return {-1, child.error().text()};
    const auto deadline = ChildProcess::Clock::now() + std::chrono::minutes(2);
    for (std::string line; child->readLine(line, deadline, {}) == ChildProcess::Event::Line;)
        run.output += line + "\n";
    run.code = child->wait(std::chrono::seconds(10));
    return run;
}

} // namespace graphloom::test

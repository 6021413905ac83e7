// SPDX-License-Identifier: Apache-2.0
#include "engine/connection/command.h"

#include "engine/system/child_process.h"

#include <algorithm>
#include <sstream>

namespace graphloom {

namespace {

/// Reads what the program writes until it ends.
Result<CommandResult> ended(Result<ChildProcess> child, const std::string &program,
                            std::stop_token stop, double seconds)
{
    if (!child)
        return tl::unexpected(child.error());
    const auto deadline =
        ChildProcess::Clock::now() +
        std::chrono::ceil<ChildProcess::Clock::duration>(std::chrono::duration<double>(seconds));
    CommandResult result;
    std::string line;
    auto event = ChildProcess::Event::Line;
    while ((event = child->readLine(line, deadline, stop)) == ChildProcess::Event::Line)
        result.lines.push_back(line);
    if (event == ChildProcess::Event::Stopped)
        return fail(Error::Kind::Stopped, "cancelled before it finished", program);
    if (event == ChildProcess::Event::Late) {
        std::ostringstream message;
        message << "took more than " << seconds << " s and was ended";
        return fail(Error::Kind::Fault, message.str(), program);
    }
    result.ending = child->wait(std::chrono::seconds(1));
    return result;
}

} // namespace

Result<CommandResult> runCommand(const std::vector<std::string> &command, std::stop_token stop,
                                 double seconds, std::string_view input)
{
    return ended(ChildProcess::start(command.front(), {command.begin() + 1, command.end()},
                                     ChildProcess::Reading::OutputAndErrors, input),
                 command.front(), std::move(stop), seconds);
}

Result<CommandResult> runWithFiles(const std::vector<std::string> &command,
                                   const std::filesystem::path &input,
                                   const std::filesystem::path &output, std::stop_token stop,
                                   double seconds)
{
    return ended(ChildProcess::startWithFiles(command.front(), {command.begin() + 1, command.end()},
                                              input, output),
                 command.front(), std::move(stop), seconds);
}

std::string lastLines(const CommandResult &result)
{
    constexpr std::size_t most = 20;
    std::string text;
    for (std::size_t i = result.lines.size() - std::min(most, result.lines.size());
         i < result.lines.size(); ++i)
        text += (text.empty() ? "" : "\n") + result.lines[i];
    return text;
}

Error silence(const CommandResult &result, std::string where)
{
    const std::string lines = lastLines(result);
    return fail(Error::Kind::Missing,
                "the device does not answer" + (lines.empty() ? "" : ": " + lines),
                std::move(where))
        .value();
}

} // namespace graphloom

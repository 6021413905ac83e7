// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/trial/trial.h"

#include "engine/runtime/trial/trial_wire.h"
#include "engine/system/child_process.h"

#include <algorithm>
#include <chrono>
#include <sstream>

namespace graphloom {

namespace {

using Event = ChildProcess::Event;
using Clock = ChildProcess::Clock;

/// Limits loading the library and filling the buffers, before the first candidate.
constexpr double setupSeconds = 60;

Clock::time_point after(double seconds)
{
    return Clock::now() +
           std::chrono::ceil<Clock::duration>(std::chrono::duration<double>(seconds));
}

std::string tookTooLong(double seconds)
{
    std::ostringstream text;
    text << "took more than " << seconds << " s";
    return text.str();
}

std::string namesOf(const std::vector<std::filesystem::path> &files)
{
    std::string names;
    for (const std::filesystem::path &file : files)
        names += (names.empty() ? "" : ", ") + file.string();
    return names;
}

} // namespace

Result<void> runTrials(const TrialJob &job, const std::function<void(const TrialResult &)> &row,
                       std::stop_token stop)
{
    const auto end = job.totalSeconds > 0 ? after(job.totalSeconds) : Clock::time_point::max();
    const auto isOver = [&] { return Clock::now() >= end; };
    std::size_t next = 0; // the candidate whose result is awaited
    while (next < job.candidates.size() && !isOver()) {
        GL_TRY_RESULT(child,
                      ChildProcess::start(companionProgram("graphloom-trial"), {},
                                          ChildProcess::Reading::Output, toText({job, next})));
        bool ready = false;
        auto deadline = std::min(end, after(setupSeconds));
        auto event = Event::Line;
        std::string line;
        while (next < job.candidates.size() &&
               (event = child->readLine(line, deadline, stop)) == Event::Line) {
            const TrialAnswer answer = trialAnswerOf(line);
            if (const auto *refusal = std::get_if<TrialRefusal>(&answer))
                return fail(Error::Kind::Fault, refusal->reason, namesOf(job.libraries));
            if (const auto *result = std::get_if<TrialResult>(&answer)) {
                row(*result);
                ++next;
            }
            ready = ready || std::holds_alternative<TrialReady>(answer);
            if (ready)
                deadline = std::min(end, after(job.limitSeconds));
        }
        if (event == Event::Stopped || next == job.candidates.size() ||
            (event == Event::Late && isOver()))
            return {};
        const int ending = child->wait(std::chrono::seconds(1));
        const bool late = event == Event::Late;
        if (!ready)
            return fail(Error::Kind::Fault,
                        "trials do not start: graphloom-trial " +
                            (late ? tookTooLong(setupSeconds) : ChildProcess::describe(ending)),
                        namesOf(job.libraries));
        TrialResult failed;
        failed.candidate = next++;
        failed.problem = late ? tookTooLong(job.limitSeconds) : ChildProcess::describe(ending);
        row(failed);
    }
    return {};
}

} // namespace graphloom

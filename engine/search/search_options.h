// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <stop_token>
#include <string_view>

namespace graphloom {

/// Limits how long a search may go on, and what it may use.
struct SearchOptions {
    double seconds = 0;          // 0: no limit
    std::uint64_t expanded = 0;  // states; 0: no limit
    std::size_t frontier = 4096; // most states that wait; the costliest are dropped
    /// Number of states that are expanded at one time. It does not depend on the number of threads,
    /// so that without a limit in seconds the result does not either.
    std::size_t batch = 8;
    unsigned threads = 0; // 0: one per core
    std::stop_token stop;
    /// Returns the seconds since the search began.
    std::function<double()> clock = [start = std::chrono::steady_clock::now()] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    std::function<void(double, std::string_view)> progress = [](double, std::string_view) {};
    /// Called with the record about ten times a second, on the thread that runs the search.
    std::function<void(const SearchRecord &)> observe = [](const SearchRecord &) {};
};

/// Returns the options for a pass: threads, stop, progress and observation are those of its
/// context; the clock begins now and stands still while the run is paused.
inline SearchOptions searchOptionsOf(const Context &context)
{
    SearchOptions options;
    options.threads = context.threads;
    options.stop = context.stop;
    options.clock = [clock = context.clock, start = context.clock()] { return clock() - start; };
    options.progress = context.progress;
    options.observe = context.observe;
    return options;
}

/// Tells whether the search may go on, and reports its progress.
inline bool isWithinBudget(const SearchOptions &options, const SearchRecord &record)
{
    // If the search is paused it waits in here, and its clock stands still meanwhile.
    const auto done = [&] {
        double share = options.seconds > 0 ? options.clock() / options.seconds : 0;
        if (options.expanded > 0)
            share = std::max(share, double(record.expanded) / double(options.expanded));
        return share;
    };
    options.progress(std::min(1.0, done()), "searching");
    return done() < 1 && !options.stop.stop_requested();
}

/// Limits how often a record is observed.
class Observing {
public:
    bool isDue()
    {
        constexpr std::chrono::milliseconds interval{100};
        const auto now = std::chrono::steady_clock::now();
        if (now - m_last < interval)
            return false;
        m_last = now;
        return true;
    }

private:
    std::chrono::steady_clock::time_point m_last = std::chrono::steady_clock::now();
};

/// Copies into the record what the problem tells of its costs and of the moves that it refused, if
/// it has
///     static constexpr std::string_view costMeaning;
///     std::vector<SearchRecord::Refusal> refusals() const;
template <class Problem> void noteWords(const Problem &problem, SearchRecord &record)
{
    if constexpr (requires { Problem::costMeaning; })
        record.cost = Problem::costMeaning;
    if constexpr (requires { problem.refusals(); })
        record.refusals = problem.refusals();
}

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steady_clock.h"
#include "engine/plan/memory_plan.h"
#include "plugins/magis/search/search_space.h"

namespace graphloom::magis {

struct MeasuringOptions {
    double seconds = 0; // for all measurements together
    std::stop_token stop = {};
    std::function<void(double, std::string_view)> progress = [](double, std::string_view) {};
    /// Clock in seconds since any point in time.
    std::function<double()> clock = steadySeconds;
};

/// Measures the calls of the graphs of a search, and parts of them, within one budget: the calls
/// first, then parts that the search is likely to need. A quarter of the time is left for the parts
/// of the state that it chooses.
class Measuring {
public:
    Measuring(std::shared_ptr<CallTimer> timer, MeasuringOptions options);

    /// Measures the graph's calls. Fails (Model) as CallTimes::of() does.
    Result<std::shared_ptr<CallTimes>> calls(const MemoryGraph &memory, const Opsets &opsets);
    /// Measures halves, quarters, eighths and sixteenths of the calls that the known fissions cut.
    /// `graphs` is the number of searches that are still to come, including this one, which share
    /// the time.
    void likelyParts(const SearchSpace &space, CallTimes &times, std::size_t graphs);
    /// Measures the parts that the state spends time on.
    void partsOf(const SearchSpace &space, CallTimes &times, const State &state);

private:
    double left(double kept) const;
    TimingLimits limits(double seconds, std::string_view what) const;

    std::shared_ptr<CallTimer> m_timer;
    MeasuringOptions m_options;
    double m_spent = 0;
};

/// Returns the state with the prices that the present measurements give. Returns nothing if that
/// fails.
std::optional<State> repriced(const SearchSpace &space, const State &state);

/// Returns how the latency of a state was obtained, except the share that was measured before
/// optimization. `times` is null if all is modelled.
MemoryPlan::Times timesOf(const SearchSpace &space, const CallTimes *times, const State &state);
/// Returns the share of a state's kernel time that was measured, not only scaled.
double measuredShare(const SearchSpace &space, const CallTimes *times, const State &state);

} // namespace graphloom::magis

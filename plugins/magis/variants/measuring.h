// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steady_clock.h"
#include "engine/plan/memory_plan.h"
#include "plugins/magis/search/search_space.h"

namespace graphloom::magis {

struct MeasuringOptions {
    double seconds = 0; // for everything that is measured
    std::stop_token stop = {};
    std::function<void(double, std::string_view)> progress = [](double, std::string_view) {};
    /// Seconds since some time.
    std::function<double()> clock = steadySeconds;
};

/// Has the calls of the graphs of a search timed, and parts of them, within one budget: the calls
/// first, then parts as the search is likely to ask for; a quarter of the time is left for the
/// parts of the state that it chooses.
class Measuring {
public:
    Measuring(std::shared_ptr<CallTimer> timer, MeasuringOptions options);

    /// Times for the graph's calls. Fails (Model) as CallTimes::of() does.
    Result<std::shared_ptr<CallTimes>> calls(const MemoryGraph &memory, const Opsets &opsets);
    /// Adds a half, a quarter, an eighth and a sixteenth of the calls that the known fissions cut.
    /// Of `graphs` searches that are still to come, this is one.
    void likelyParts(const SearchSpace &space, CallTimes &times, std::size_t graphs);
    /// Adds the parts that the state takes time for.
    void partsOf(const SearchSpace &space, CallTimes &times, const State &state);

private:
    double left(double kept) const;
    TimingLimits limits(double seconds, std::string_view what) const;

    std::shared_ptr<CallTimer> m_timer;
    MeasuringOptions m_options;
    double m_spent = 0;
};

/// The state as what was measured since prices it; none where that fails.
std::optional<State> repriced(const SearchSpace &space, const State &state);

/// What the latency of a state is made of, but for the share that is measured of another one.
/// `times` is null where all is modelled.
MemoryPlan::Times timesOf(const SearchSpace &space, const CallTimes *times, const State &state);
/// The share of a state's kernel time that was measured, not only scaled.
double measuredShare(const SearchSpace &space, const CallTimes *times, const State &state);

} // namespace graphloom::magis

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/cost/device.h"
#include "engine/cost/figure.h"
#include "engine/ir/graph.h"
#include "engine/ir/opsets.h"

#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

namespace graphloom {

struct CallPart;

struct TimingLimits {
    /// No call begins after this many seconds, and none that is likely to take longer than what is
    /// left.
    double seconds = std::numeric_limits<double>::infinity();
    std::stop_token stop = {};
    /// Called with the fraction done, in 0..1, and what is being done.
    std::function<void(double, std::string_view)> progress = [](double, std::string_view) {};
};

/// Holds how long a kernel takes, and how that is known.
struct KernelTime {
    double seconds = 0; // the least of all runs
    int runs = 0;
    Provenance provenance = Provenance::Host;
    std::int64_t measuredAtMs = 0; // since 1970, UTC
};

/// Finds out how long calls, and blocks of them as one kernel, take on a device, by running them
/// there. Must not be used from several threads at a time.
class CallTimer {
public:
    virtual ~CallTimer() = default;
    /// Returns what the analytic model needs to know of the device, for calls that are not timed.
    /// Figures that must be measured are measured the first time, which takes some seconds. Fails
    /// (Missing) if they cannot be.
    virtual Result<Device> device(const TimingLimits &limits) const = 0;
    /// Returns the seconds of one run of each call by itself, the least of several runs. They are
    /// calls of the graph, whole or in part, and name its tensors: where these are in memory
    /// counts. The first calls are timed first, so that limits affect the last ones. An error says
    /// why a call has no time.
    virtual std::vector<Result<double>> time(const Graph &graph, const Opsets &opsets,
                                             std::span<const CallPart> calls,
                                             const TimingLimits &limits) = 0;
    /// Does the same for blocks: sets of nodes of the graph, each in the graph's order, that one
    /// kernel computes.
    virtual std::vector<Result<KernelTime>> timeBlocks(const Graph &graph, const Opsets &opsets,
                                                       std::span<const std::vector<NodeId>> blocks,
                                                       const TimingLimits &limits) = 0;
};

/// Name of the machine that the program runs on, as a device of passes: its latencies are sums over
/// calls that were timed.
inline constexpr std::string_view thisMachine = "host";

/// Returns the timer of a target, given its name, with the device behind a colon if it is not the
/// first (Device::target), or of this machine; fails (Missing) if there is none.
using CallTimers = std::function<Result<std::shared_ptr<CallTimer>>(std::string_view target)>;

} // namespace graphloom

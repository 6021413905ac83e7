// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/plan.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace graphloom {

/// A figure of two plans, side by side.
struct PlanMetric {
    struct Side {
        Figure figure;
        std::string basis; // the device that it is of; may be empty
    };
    std::string key;  // "peak_bytes": what reports call it
    std::string name; // "peak memory, without weights"
    std::optional<Side> before, now;
    bool lessIsBetter = true;

    /// Both are there and were obtained in the same way: on one device, with one provenance.
    bool isComparable() const;
    /// Now minus before, and now over before (none where that is 0). Requires isComparable().
    double difference() const;
    std::optional<double> ratio() const;
};

/// A latency that was measured of a plan, beside the plan itself.
struct MeasuredLatency {
    Figure ms;
    std::string device;
};

/// Figures of a plan: nodes, parameters, MACs, FLOPs, bytes, kernels, blocks, latency, memory,
/// repetitions and transfers; those that depend on extents that are not known are absent. Beside
/// them what the plan lacks but another has: `before` and `now` are of plans of any models.
std::vector<PlanMetric> metricsOf(const Plan &before, const Plan &now,
                                  const std::optional<MeasuredLatency> &measuredBefore = {},
                                  const std::optional<MeasuredLatency> &measuredNow = {},
                                  std::stop_token stop = {});

} // namespace graphloom

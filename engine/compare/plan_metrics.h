// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/plan.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace graphloom {

/// Holds a figure of two plans, side by side.
struct PlanMetric {
    struct Side {
        Figure figure;
        std::string basis; // the device of the figure; may be empty
    };
    std::string key;  // key in reports: "peak_bytes"
    std::string name; // "peak memory, without weights"
    std::optional<Side> before, now;
    bool lessIsBetter = true;

    /// Tells whether both figures exist and were obtained in the same way: on one device, with one
    /// provenance.
    bool isComparable() const;
    /// Returns now minus before. Requires isComparable().
    double difference() const;
    /// Returns now over before; nothing if before is 0. Requires isComparable().
    std::optional<double> ratio() const;
};

/// Holds a measured latency of a plan, which the plan itself does not hold.
struct MeasuredLatency {
    Figure ms;
    std::string device;
};

/// Returns figures of both plans: nodes, parameters, MACs, FLOPs, bytes, kernels, blocks, latency,
/// memory, repetitions and transfers. Figures that depend on unknown extents are absent; a figure
/// that only one plan has is listed for that side only. `before` and `now` may be plans of any
/// models.
std::vector<PlanMetric> metricsOf(const Plan &before, const Plan &now,
                                  const std::optional<MeasuredLatency> &measuredBefore = {},
                                  const std::optional<MeasuredLatency> &measuredNow = {},
                                  std::stop_token stop = {});

} // namespace graphloom

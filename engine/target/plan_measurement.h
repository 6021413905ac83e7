// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/target/target_report.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphloom {

/// Tells where and when figures were measured. Figures of different machines are never ranked
/// together without saying so.
struct MeasuredAt {
    std::string machine; // machineName() of the machine that measured; empty: unknown
    std::int64_t ms = 0; // since 1970, UTC; 0: unknown
    bool operator==(const MeasuredAt &) const = default;
};

/// Returns the name of this machine as measurements state it: processor and cores. Machines of one
/// name are assumed to be equally fast.
std::string machineName();

/// Holds a plan that was built and measured on a target, with everything that explains its times.
struct PlanMeasurement {
    std::shared_ptr<const Plan> plan;
    TargetOutcome outcome; // has `after`; `before` if it was compared with another plan
    std::vector<SourceFile> sources;
    std::optional<Device> device; // with its measured peaks
    std::string noDevice;         // why there is no device
    MeasuredAt at;
};

/// Holds the trials of a tuner for the kernels of a plan, in their order.
struct TuningTrials {
    std::shared_ptr<const Plan> plan;
    std::vector<TuningTrial> trials;
    MeasuredAt at;
};

/// Checks a measurement from a file: that its steps have times and belong to blocks of the plan,
/// and that its figures are possible ones. Fails (Model).
Result<void> checkMeasurement(const PlanMeasurement &measurement);
/// Checks trials from a file in the same way.
Result<void> checkTrials(const TuningTrials &trials);

} // namespace graphloom

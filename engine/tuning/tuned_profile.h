// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tuning/plan_tuner.h"

#include <span>

namespace graphloom {

/// Returns the key of a generated kernel in the profile database: the structure of its code, the
/// tensors that it accesses, the device with the number of threads, and the schedule.
ProfileKey tunedKey(std::string structure, std::span<const BlockTensor *const> tensors,
                    const PlanTunerOptions &options, std::string schedule);

/// Stores a measurement, if there is a database. A measurement that cannot be stored is not an
/// error.
void keepMeasured(const PlanTunerOptions &options, const ProfileKey &key,
                  const TunedCandidate &candidate);

} // namespace graphloom

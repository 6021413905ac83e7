// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tuning/plan_tuner.h"

#include <span>

namespace graphloom {

/// The key of a generated kernel in the profile database: what its code says, the tensors that it
/// touches, the device with the number of threads, and how it was scheduled.
ProfileKey tunedKey(std::string structure, std::span<const BlockTensor *const> tensors,
                    const PlanTunerOptions &options, std::string schedule);

/// Keeps what was measured, if there is a database. A measurement that cannot be kept is still one.
void keepMeasured(const PlanTunerOptions &options, const ProfileKey &key,
                  const TunedCandidate &candidate);

} // namespace graphloom

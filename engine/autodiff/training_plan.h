// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/autodiff/training.h"
#include "engine/plan/plan.h"

namespace graphloom {

/// Returns the initial plan of one step of training of a model, with the record of how it was made.
/// Fails as trainingModel() does.
Result<Plan> trainingPlan(Model model, const TrainingOptions &options,
                          const std::stop_token &stop = {});

} // namespace graphloom

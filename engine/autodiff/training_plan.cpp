// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/training_plan.h"

namespace graphloom {

Result<Plan> trainingPlan(Model model, const TrainingOptions &options, const std::stop_token &stop)
{
    GL_TRY_RESULT(training, trainingModel(std::move(model), options, stop));
    return initialPlan(std::make_shared<const Model>(std::move(training->model)),
                       std::move(training->record));
}

} // namespace graphloom

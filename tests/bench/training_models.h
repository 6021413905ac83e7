// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/autodiff/training.h"
#include "engine/onnx/import.h"
#include "engine/plan/plan.h"
#include "tests/bench/bench_options.h"

namespace graphloom::bench {

/// Selects the steps of training that a bench measures.
struct TrainingModels {
    std::filesystem::path folder;
    std::string name; // of one model; empty: all
    TrainingOptions training = {.batchNorm = TrainingOptions::BatchNorm::Frozen};
};

/// Reads --models DIR, --model NAME, --batchnorm batch|frozen and the bench's own options. Returns
/// false for options that are not valid, and without a folder of models.
inline bool readOptions(int argc, char **argv, TrainingModels &models, std::vector<Option> own)
{
    own.insert(own.end(), {{"--models", &models.folder},
                           {"--model", &models.name},
                           {"--batchnorm", &models.training.batchNorm}});
    return readOptions(argc, argv, own) && !models.folder.empty();
}

/// Returns the step of training of a model in a file, without any pass.
inline Result<Plan> trainingPlan(const std::filesystem::path &file, const TrainingOptions &options,
                                 const ImportOptions &reading = {})
{
    GL_TRY_RESULT(model, importOnnx(file, reading));
    GL_TRY_RESULT(step, trainingModel(*std::move(model), options));
    return initialPlan(std::make_shared<const Model>(std::move(step->model)), step->record);
}

} // namespace graphloom::bench

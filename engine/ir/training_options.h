// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace graphloom {

/// Describes how a model is to be trained.
struct TrainingOptions {
    /// Statistics that BatchNormalization uses: those of the batch, or the stored ones as they are.
    enum class BatchNorm { Batch, Frozen } batchNorm = BatchNorm::Batch;
    enum class Optimizer { Sgd, Adam } optimizer = Optimizer::Sgd;
    /// The loss; Automatic depends on what the first output is (loss.h).
    enum class Loss { Automatic, CrossEntropy, SquaredError } loss = Loss::Automatic;
    double learningRate = 0.001;
};

inline constexpr std::array<std::string_view, 2> batchNormNames{"batch", "frozen"};
inline constexpr std::array<std::string_view, 2> optimizerNames{"sgd", "adam"};
inline constexpr std::array<std::string_view, 3> lossNames{"automatic", "cross-entropy",
                                                           "squared-error"};

constexpr std::string_view nameOf(TrainingOptions::BatchNorm mode)
{
    return batchNormNames[std::size_t(mode)];
}
constexpr std::string_view nameOf(TrainingOptions::Optimizer optimizer)
{
    return optimizerNames[std::size_t(optimizer)];
}
constexpr std::string_view nameOf(TrainingOptions::Loss loss)
{
    return lossNames[std::size_t(loss)];
}

} // namespace graphloom

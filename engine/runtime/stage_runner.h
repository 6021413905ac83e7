// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/runtime/interpreter.h"

#include <span>
#include <stop_token>

namespace graphloom {

struct StageOptions {
    std::stop_token stop;
    /// What the values of one call may take; 0: the memory of this machine.
    std::uint64_t maxBytes = 0;
};

/// As runStages(description, call, inputs), which has the default options. Works in the task
/// arena of the calling thread. When stopped, a Fault that says so.
Result<std::vector<TensorData>> runStages(const Description &description, const Call &call,
                                          std::span<const TensorData *const> inputs,
                                          const StageOptions &options);

/// The same by loops over the axes, literally: the measure of runStages, too slow for models.
/// Sums of products of double tensors may differ in the last bits (fused multiply-add).
Result<std::vector<TensorData>> runStagesLiterally(const Description &description, const Call &call,
                                                   std::span<const TensorData *const> inputs);

/// The answer to a stop request, where an answer must be a Result. The caller knows that it asked.
tl::unexpected<Error> stopped();

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <span>
#include <stop_token>
#include <vector>

namespace graphloom {

/// The oracle of every transformation: runs descriptions literally, loops over the axes, loads
/// through the index maps, in double precision (integers in 64 bits), rounding on each write.
/// Fails (Model) when a lookup leaves its tensor, an operator has no description here, or the
/// result would not fit into memory; never aborts.
Result<std::vector<TensorData>> runStages(const Description &description, const Call &call,
                                          std::span<const TensorData *const> inputs);

struct StageOptions {
    std::stop_token stop;
    /// What the values of one call may take; 0: the memory of this machine.
    std::uint64_t maxBytes = 0;
};

/// The same with options. Works in the task
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

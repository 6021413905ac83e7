// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <span>
#include <stop_token>
#include <vector>

namespace graphloom {

/// Runs a description literally: loops over the axes, loads through the index maps, computes in
/// double precision (integers in 64 bits) and rounds on each write. This is the reference for every
/// transformation. Fails (Model) if a lookup leaves its tensor, if an operator has no description
/// here, or if the result would not fit into memory; never aborts.
Result<std::vector<TensorData>> runStages(const Description &description, const Call &call,
                                          std::span<const TensorData *const> inputs);

struct StageOptions {
    std::stop_token stop;
    /// The most bytes that the values of one call may take; 0: the memory of this machine.
    std::uint64_t maxBytes = 0;
};

/// Does the same with options, in the task arena of the calling thread. Fails (Fault) when stopped,
/// with an error that says so.
Result<std::vector<TensorData>> runStages(const Description &description, const Call &call,
                                          std::span<const TensorData *const> inputs,
                                          const StageOptions &options);

/// Does the same with plain loops over the axes: the reference that runStages() is checked against,
/// too slow for models. Sums of products of double tensors may differ in the last bits (fused
/// multiply-add).
Result<std::vector<TensorData>> runStagesLiterally(const Description &description, const Call &call,
                                                   std::span<const TensorData *const> inputs);

/// Returns the error that answers a stop request, for functions that return a Result. The caller
/// knows that it requested the stop.
tl::unexpected<Error> stopped();

} // namespace graphloom

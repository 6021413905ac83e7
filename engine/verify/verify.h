// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/interpreter/fill_weights.h"
#include "engine/plan/verification.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

namespace graphloom {

struct VerifyOptions {
    /// Greatest error that passes, relative to the scale of the output (compare.h).
    double tolerance = 1e-4;
    std::uint64_t seed = 0; // of the inputs and of weights that are filled in
    unsigned threads = 0;   // 0: one per core
    std::stop_token stop = {};
    /// Receives the fraction done in 0..1 and a text of what is being run.
    std::function<void(double, std::string_view)> progress = [](double, std::string_view) {};
};

/// Runs the original (the first) and its transformed forms on the same pseudo-random inputs, with
/// the interpreter or as each Runnable specifies, and compares the outputs of each form with those
/// of the original. Splat weights are filled in first (fill_weights.h). Inputs are matched by name,
/// outputs by position.
/// Outputs that depend on random numbers without a seed (drawn_values.h) and differ are compared
/// only by type and extents. This is a warning, or, if there are no other outputs, clears
/// `comparable`. Fails if the original cannot be run (Usage: symbolic input shapes; Model: an
/// operator without a kernel). If a transformed form cannot be run although the original can, or if
/// outputs differ, this is a result, not a failure. Returns nothing if stopped.
Result<std::optional<Verification>> verify(std::vector<Runnable> runnables,
                                           const VerifyOptions &options);

/// The tolerance that verifyOutputs() reports (compare.h, withinBackendTolerance).
inline constexpr double backendTolerance = 1e-3;

/// Compares a graph's results for the given inputs with the expected ones, within the tolerance of
/// ONNX's backend tests. Outputs that depend on random numbers and differ are compared only by type
/// and extents, whatever the seed: the expected values come from another generator. Fails if the
/// graph cannot be run. Returns nothing if stopped.
Result<std::optional<Verification>> verifyOutputs(const Runnable &runnable,
                                                  const std::vector<DataValue> &inputs,
                                                  const std::vector<DataValue> &expected,
                                                  const VerifyOptions &options);

} // namespace graphloom

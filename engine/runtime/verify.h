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
    /// Greatest error that passes, relative to the scale of its output (compare.h).
    double tolerance = 1e-4;
    std::uint64_t seed = 0; // of the inputs and of weights that are filled in
    unsigned threads = 0;   // 0: one per core
    std::stop_token stop = {};
    /// Fraction done in 0..1 and what is being run.
    std::function<void(double, std::string_view)> progress = [](double, std::string_view) {};
};

/// Runs the original (the first) and its transformed forms on the same pseudo-random inputs
/// through the interpreter, or as a Runnable says, and compares outputs, pairwise with the first.
/// Splat weights are filled in first (fill_weights.h). Inputs belong together by name, outputs by
/// position.
/// Outputs that depend on random numbers without a seed (drawn_values.h) and do not agree are
/// compared by type and extents alone, which is a warning, or `comparable` where there are no
/// others. Fails when the original cannot be run (Usage: symbolic input shapes; Model: an operator
/// without a kernel). A transformed form that cannot be run although the original can, or outputs
/// that differ, are an answer, not a failure. None when stopped.
Result<std::optional<Verification>> verify(std::vector<Runnable> runnables,
                                           const VerifyOptions &options);

/// The tolerance that verifyOutputs() reports (compare.h, withinBackendTolerance).
inline constexpr double backendTolerance = 1e-3;

/// Compares a graph's results for the given inputs with the expected ones, within the tolerance
/// of ONNX's backend tests. What depends on random numbers and differs is compared by type and
/// extents alone, whatever its seed: another generator has drawn what was expected. Fails when it
/// cannot be run. None when stopped.
Result<std::optional<Verification>> verifyOutputs(const Runnable &runnable,
                                                  const std::vector<DataValue> &inputs,
                                                  const std::vector<DataValue> &expected,
                                                  const VerifyOptions &options);

} // namespace graphloom

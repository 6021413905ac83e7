// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/interpreter/compare.h"
#include "engine/verify/verify.h"

#include <optional>
#include <vector>

namespace graphloom {

/// Says how a tensor that a plan's graph computes differs from that of the original.
struct TensorError {
    enum class State {
        Compared,
        Alone, // the original has no tensor of this value: new ones, parts of others
        Drawn, // both have the same form, but depend on random numbers without a seed
        NotRun // the run of the plan ended before
    };
    TensorId tensor;   // of the plan's graph
    TensorId original; // invalid if it is alone
    NodeId node;       // that writes it
    State state = State::Alone;
    Comparison comparison; // if compared
    /// Tells whether the error passes: it is at most the tolerance, or not compared.
    bool passes = true;
};

/// Holds the errors of all tensors that the nodes of a plan's graph write.
struct TensorErrors {
    Verification verification;        // of the outputs, as verify() has it
    std::vector<TensorError> tensors; // in the order in which the plan computes them
    /// The first node, in the order of the plan's graph, with a tensor whose error does not pass,
    /// or that cannot be run; invalid if there is none.
    NodeId begins;
    std::uint64_t spilledBytes = 0; // of values that waited in an unnamed file
};

struct TensorErrorOptions : VerifyOptions {
    /// Values of the original's inputs, one for each; nothing: pseudo-random ones.
    std::optional<std::vector<DataValue>> inputs = {};
    /// Values of the original that wait to be compared go to an unnamed file if they take more
    /// bytes than this.
    std::uint64_t mostHeld = std::uint64_t{512} << 20;
};

/// Runs a plan's graph beside the original, whose nodes are the origins of the plan's, and compares
/// each tensor with its counterpart (counterparts.h) as soon as both are known. The original runs
/// ahead only as far as the plan needs it, so no more values are held than those that still have
/// readers or wait for their counterparts. Splat weights that both graphs have are filled in first;
/// others are a warning. Fails as verify() does, and (Usage) if the inputs are not those that the
/// original declares. Returns nothing if stopped.
Result<std::optional<TensorErrors>> tensorErrors(const Runnable &original, const Runnable &plan,
                                                 const TensorErrorOptions &options);

} // namespace graphloom

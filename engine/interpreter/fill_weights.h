// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/data_value.h"
#include "engine/ir/graph.h"
#include "engine/ir/opsets.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace graphloom {

/// Holds a graph and the opset versions that its nodes follow.
struct Runnable {
    std::string name; // used in messages: "the exported model"
    Graph graph;
    Opsets opsets;
    /// Computes the values of the graph's outputs from those of its inputs; empty: the interpreter
    /// does.
    std::function<Result<std::vector<DataValue>>(const Graph &, const std::vector<DataValue> &)>
        run = {};
};

/// Holds the options of fillSplatWeights().
struct FillOptions {
    std::uint64_t seed = 0;
    std::int64_t leastElements = 1024;
    std::uint64_t maxBytes = std::uint64_t{1} << 30;
    /// Also fills constants from which other constants are computed: for graphs that are yet to be
    /// folded.
    bool folded = false;
    /// Also fills weights of sums of products that passes computed from splats by factors along
    /// dimensions, as of a normalization. Being all of one sign, they would let activations grow
    /// without bound, which may change the run time compared with numbers of ordinary size: for a
    /// graph that is measured.
    bool scaled = false;
    std::stop_token stop = {};
};
/// Tells whether the constant by itself would be filled.
bool isFillable(const Tensor &tensor, std::int64_t leastElements);

/// Fills splats with pseudo-random elements. Models that are shipped without trained weights give
/// every element of a weight the same value (a splat): two such models agree even if channels were
/// mixed up, and their activations overflow. The new elements are the same in all graphs; weights
/// are matched by name. A splat is filled if every graph has it under this name, unchanged, and no
/// node of any graph computes another constant from it, which could have been folded in one graph
/// and not in the other. Weights of sums of products get a magnitude that keeps activations near
/// their original ones; others stay within half of their value. Small constants (fewer than
/// `leastElements`) and zeros stay as they are, and so does everything once `maxBytes` are used up.
/// Returns how many constants were filled. Fails when stopped.
Result<std::size_t> fillSplatWeights(std::vector<Runnable> &runnables, const FillOptions &options);

} // namespace graphloom

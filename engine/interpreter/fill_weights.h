// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/data_value.h"
#include "engine/ops/describe/operator_table.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace graphloom {

/// A graph and the opset versions that its nodes follow.
struct Runnable {
    std::string name; // for messages: "the exported model"
    Graph graph;
    Opsets opsets;
    /// Values of the outputs of such a graph for those of its inputs; none: the interpreter's.
    std::function<Result<std::vector<DataValue>>(const Graph &, const std::vector<DataValue> &)>
        run = {};
};

/// Models that are shipped without trained weights give every element of a weight the same
/// value (a splat). Two such models agree although channels were mixed up, and their activations
/// overflow. This gives splats pseudo-random elements: the same in all graphs, found by name.
/// A splat is filled when every graph has it under this name, unchanged, and no node of any
/// graph computes another constant of it, which could have been folded in one graph and not in
/// the other. Weights of sums of products get a magnitude that keeps activations near theirs;
/// others stay within half of their value. Small constants (less than `leastElements`) and zeros
/// stay as they are, and so does everything once `maxBytes` are used up.
/// Returns how many constants were filled; fails where it is stopped.
struct FillOptions {
    std::uint64_t seed = 0;
    std::int64_t leastElements = 1024;
    std::uint64_t maxBytes = std::uint64_t{1} << 30;
    /// Also those that other constants are computed of: for graphs that are yet to be folded.
    bool folded = false;
    /// Also weights of sums of products that passes have made of splats by factors along
    /// dimensions, as of a normalization. All of one sign, they would let activations grow beyond
    /// all bounds, which may take another time than numbers of everyday size do: for a graph that
    /// is measured.
    bool scaled = false;
    std::stop_token stop = {};
};
/// Would the constant be filled, by itself?
bool isFillable(const Tensor &tensor, std::int64_t leastElements);
Result<std::size_t> fillSplatWeights(std::vector<Runnable> &runnables, const FillOptions &options);

} // namespace graphloom

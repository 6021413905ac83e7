// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/data_value.h"
#include "engine/ir/graph.h"
#include "engine/ir/opsets.h"

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

namespace graphloom {

struct InterpreterOptions {
    std::stop_token stop;
    unsigned threads = 0; // 0: one per core
    std::function<void(double)> progress = [](double) {};
    /// The most bytes that intermediate results may take together; 0: the memory of this machine.
    std::uint64_t maxBytes = 0;
    /// Receives each value that a node of the graph has computed, also one that nobody reads; null:
    /// nobody looks at them. Nodes of nested graphs do not count.
    std::function<void(TensorId, const DataValue &)> computed = {};
};

/// Returns the values of the graph's outputs for the given values of its inputs (one each, in
/// order). The inputs resolve symbolic extents. Intermediate results are freed after their last
/// reader has run. Fails (Usage) if the inputs are not those that the graph declares, and (Model)
/// if a node cannot be run, naming it, or if an output is not a tensor. When stopped, fails with an
/// error that says so.
Result<std::vector<TensorData>> interpret(const Graph &graph, const Opsets &opsets,
                                          const std::vector<TensorData> &inputs,
                                          const InterpreterOptions &options = {});
/// Does the same for graphs whose inputs and outputs may be sequences and optionals.
Result<std::vector<DataValue>> interpretValues(const Graph &graph, const Opsets &opsets,
                                               const std::vector<DataValue> &inputs,
                                               const InterpreterOptions &options = {});

/// Fails (Usage) if a value does not have the type and the shape that an input declares, as far as
/// these are fixed.
Result<void> checkInput(const Tensor &declared, const DataValue &value);

/// Returns pseudo-random inputs for a graph whose inputs have static shapes: reals uniform in [-1,
/// 1], integers 0 or 1, and absolute values where an optimizer takes them for means of squares. The
/// same seed gives the same values on every machine.
Result<std::vector<TensorData>> randomInputs(const Graph &graph, std::uint64_t seed);
/// Does the same for graphs whose inputs may be sequences, which get three elements, and optionals,
/// which get one. Fails (Usage) if the extents of an input are unknown.
Result<std::vector<DataValue>> randomValues(const Graph &graph, std::uint64_t seed);
/// Returns the one of them for an input, which must exist.
Result<DataValue> randomValueOf(const Graph &graph, std::size_t input, std::uint64_t seed);

} // namespace graphloom

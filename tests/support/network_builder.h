// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/attributes.h"
#include "engine/ir/graph.h"
#include "tests/support/random_graph.h"

#include <cstdint>
#include <vector>

namespace graphloom::test {

/// Builds a graph call by call, with shapes from the operator table, and chooses at random what the
/// calls do not specify.
class NetworkBuilder {
public:
    using Extents = std::vector<std::int64_t>;
    using List = std::vector<Attribute>;
    /// Holds a float tensor that calls may read.
    struct Known {
        TensorId id;
        Extents extents;
        bool exact = false; // equals the interpreter's result bit by bit
    };

    NetworkBuilder(Random &random, std::int64_t opset) : m_random(random), m_opset(opset) {}

    Random &random() { return m_random; }
    std::int64_t opset() const { return m_opset; }
    /// Returns a random number below `bound`.
    int pick(int bound) { return int(below(m_random, std::uint64_t(bound))); }
    bool oneIn(int bound) { return pick(bound) == 0; }
    /// Returns a random number from 1 to `most`.
    std::int64_t small(std::int64_t most) { return 1 + pick(int(most)); }

    /// Adds an input of a random shape.
    void addInput();
    TensorId constant(TensorData data);
    TensorId integers(Extents values);
    /// Adds a weight with uniform elements between -scale and scale.
    TensorId weight(const Extents &extents, double scale = 1);
    /// Adds a constant of a shape that is broadcast to the given one.
    TensorId broadcastConstant(const Extents &extents);
    /// Adds a node with one or more outputs; returns false if the table refuses the call. `keep`
    /// lets other calls read the outputs.
    bool call(const char *op, std::vector<TensorId> inputs, List attributes = {},
              bool exact = false, int outputs = 1, bool keep = true);

    /// Returns a tensor to read, preferably one that was made lately.
    Known any();
    const std::vector<Known> &known() const { return m_known; }
    /// Returns the first output of the last call.
    TensorId last() const { return m_last; }

    /// Returns the graph. Its outputs are the results that nobody reads, and some others.
    Graph finish();

private:
    Random &m_random;
    std::int64_t m_opset;
    GraphEditor m_editor;
    std::vector<TensorId> m_inputs;
    std::vector<Known> m_known;
    TensorId m_last;
    int m_names = 0;
};

} // namespace graphloom::test

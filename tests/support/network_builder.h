// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/attributes.h"
#include "engine/ir/graph.h"
#include "tests/support/random_graph.h"

#include <cstdint>
#include <vector>

namespace graphloom::test {

/// Makes a graph call by call, with shapes as the operator table gives them, and chooses at random
/// what the calls leave open.
class NetworkBuilder {
public:
    using Extents = std::vector<std::int64_t>;
    using List = std::vector<Attribute>;
    /// A float tensor that calls may read.
    struct Known {
        TensorId id;
        Extents extents;
        bool exact = false; // equals the interpreter's to the last bit
    };

    NetworkBuilder(Random &random, std::int64_t opset) : m_random(random), m_opset(opset) {}

    Random &random() { return m_random; }
    std::int64_t opset() const { return m_opset; }
    /// Below `bound`.
    int pick(int bound) { return int(below(m_random, std::uint64_t(bound))); }
    bool oneIn(int bound) { return pick(bound) == 0; }
    /// From 1 to `most`.
    std::int64_t small(std::int64_t most) { return 1 + pick(int(most)); }

    /// Of a random shape.
    void addInput();
    TensorId constant(TensorData data);
    TensorId integers(Extents values);
    /// Uniform between -scale and scale.
    TensorId weight(const Extents &extents, double scale = 1);
    /// Of a shape that is broadcast to the given one.
    TensorId broadcastConstant(const Extents &extents);
    /// A node with one or more outputs; false when the table refuses the call. `keep`: others may
    /// read them.
    bool call(const char *op, std::vector<TensorId> inputs, List attributes = {},
              bool exact = false, int outputs = 1, bool keep = true);

    /// A tensor to read, rather one that was made lately.
    Known any();
    const std::vector<Known> &known() const { return m_known; }
    /// The first output of the last call.
    TensorId last() const { return m_last; }

    /// With results that nobody reads as outputs, and some others.
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

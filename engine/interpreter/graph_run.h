// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steps.h"
#include "engine/interpreter/interpreter.h"
#include "engine/ops/describe/operator_table.h"

#include <optional>
#include <string_view>

namespace graphloom {

/// Holds what the main graph and its nested graphs share during a run.
struct RunSession {
    const Opsets &opsets;
    const InterpreterOptions &options;
    std::uint64_t maxBytes;
    Steps &steps;                // of reference kernels
    std::uint64_t liveBytes = 0; // of intermediate results
};

/// A run of one graph: the main one, or one nested in a node.
class GraphRun {
public:
    GraphRun(const Graph &graph, RunSession &session, bool nested)
        : m_graph(graph), m_session(session), m_nested(nested), m_slots(graph.tensorBound()),
          m_reads(graph.tensorBound(), 0)
    {
    }

    void begin(const std::vector<DataValue> &inputs, const std::vector<DataValue> &captures);
    bool isAtEnd() const { return m_done == m_graph.nodeCount(); }
    NodeId next() const { return m_graph.order()[m_done]; }
    Result<void> step();
    Result<std::vector<DataValue>> end();
    /// Does all of the above.
    Result<std::vector<DataValue>> run(const std::vector<DataValue> &inputs,
                                       const std::vector<DataValue> &captures);

private:
    /// Holds a value of the running graph. Only results of nodes count as used memory.
    struct Slot {
        std::optional<DataValue> value;
        bool isCounted = false;
    };

    Result<void> runNode(const Node &node);
    Result<std::vector<DataValue>> runCall(const Call &call,
                                           std::span<const DataValue *const> inputs);
    Result<std::vector<DataValue>> runNested(const Call &call, std::string_view attribute,
                                             const std::vector<DataValue> &inputs);
    void release(TensorId id);

    const Graph &m_graph;
    RunSession &m_session;
    bool m_nested;
    std::size_t m_done = 0;             // nodes
    std::vector<Slot> m_slots;          // by tensor id
    std::vector<std::uint32_t> m_reads; // pending reads, by tensor id
};

} // namespace graphloom

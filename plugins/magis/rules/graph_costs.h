// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/device.h"
#include "engine/ir/graph.h"
#include "engine/ops/operator_table.h"

#include <vector>

namespace graphloom::magis {

/// Seconds of a node, modelled. What only hands elements on takes none: they stay where they are,
/// all of them or a run of neighbours. Fails (Model) where a node contradicts its operator.
Result<double> secondsOf(const Graph &graph, NodeId node, const Opsets &opsets,
                         const Device &device);

/// Seconds of the nodes of a graph, and of graphs that are made of it.
class GraphCosts {
public:
    static Result<GraphCosts> of(const Graph &graph, const Opsets &opsets, const Device &device);

    double total() const { return m_total; }
    /// What a change makes of the total; `graph` is the changed one.
    Result<double> change(const Graph &graph, const std::vector<NodeId> &removed,
                          const std::vector<NodeId> &added) const;
    /// Goes on from the changed graph.
    Result<void> accept(const Graph &graph, const std::vector<NodeId> &removed,
                        const std::vector<NodeId> &added);

private:
    GraphCosts(Opsets opsets, Device device)
        : m_opsets(std::move(opsets)), m_device(std::move(device))
    {
    }

    Opsets m_opsets;
    Device m_device;
    std::vector<double> m_seconds; // by node id
    double m_total = 0;
};

} // namespace graphloom::magis

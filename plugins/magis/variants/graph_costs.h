// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/device.h"
#include "engine/ir/graph.h"
#include "engine/ops/describe/operator_table.h"

#include <vector>

namespace graphloom::magis {

/// Which nodes take no time, since elements that they only hand on stay where they are.
enum class Views {
    Whole, // those whose result holds all elements of an operand
    Runs,  // and those whose results are runs of neighbours: slices of a stack
};

/// Seconds of a node, modelled. Fails (Model) where it contradicts its operator.
Result<double> secondsOf(const Graph &graph, NodeId node, const Opsets &opsets,
                         const Device &device, Views views);

/// Seconds of the nodes of a graph, kept up while it is changed.
class GraphCosts {
public:
    static Result<GraphCosts> of(const Graph &graph, const Opsets &opsets, const Device &device,
                                 Views views);

    double total() const { return m_total; }
    /// Goes on from the changed graph.
    Result<void> accept(const Graph &graph, const std::vector<NodeId> &removed,
                        const std::vector<NodeId> &added);

private:
    GraphCosts(Opsets opsets, Device device, Views views)
        : m_opsets(std::move(opsets)), m_device(std::move(device)), m_views(views)
    {
    }

    Opsets m_opsets;
    Device m_device;
    Views m_views;
    std::vector<double> m_seconds; // by node id
    double m_total = 0;
};

} // namespace graphloom::magis

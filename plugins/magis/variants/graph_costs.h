// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/device.h"
#include "engine/ir/graph.h"
#include "engine/ir/opsets.h"

#include <vector>

namespace graphloom::magis {

/// Selects the nodes that take no time because the elements that they hand on stay where they are.
enum class Views {
    Whole, // those whose result holds all elements of an operand
    Runs,  // and those whose results are runs of neighbours: slices of a stack
};

/// Returns the modelled seconds of a node. Fails (Model) if it contradicts its operator.
Result<double> secondsOf(const Graph &graph, NodeId node, const Opsets &opsets,
                         const Device &device, Views views);

/// Keeps the seconds of the nodes of a graph up to date while it is changed.
class GraphCosts {
public:
    static Result<GraphCosts> of(const Graph &graph, const Opsets &opsets, const Device &device,
                                 Views views);

    double total() const { return m_total; }
    /// Continues with the changed graph.
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

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/ops/analysis.h"
#include "engine/plan/plan.h"

#include <QString>

#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <vector>

namespace graphloom {

/// What views show of a node. Computed once, on a worker: describing thousands of nodes takes
/// longer than a frame.
struct NodeFacts {
    OperatorClass operatorClass = OperatorClass::Opaque;
    MappingType mapping = MappingType::Opaque;
    Dim macs, flops, read, written; // bytes for the last two
    QString opaque;                 // why there are no index maps; empty when there are
    QString op, name, shape;        // shape of the first output
    QString searchText;             // lower case: name, operator, tensors, one per line
};

/// What views show of a graph. It depends on the graph alone, so plans that differ in other
/// decisions share it.
struct GraphFacts {
    std::uint64_t graphHash = 0;
    std::vector<NodeFacts> nodes; // by node id; default for removed nodes
    double macs = 0;              // of the nodes whose count is a number
    std::size_t symbolic = 0;     // nodes whose MACs depend on symbols, such as a batch size
    std::size_t opaque = 0;       // nodes of which none are known
    std::uint64_t parameters = 0, parameterBytes = 0; // floating-point constants
    std::map<OperatorClass, std::size_t> classes;

    const NodeFacts &of(NodeId id) const { return nodes[id.index]; }
};

/// Null when stopped. A node whose description fails is opaque, with the error as the reason.
std::shared_ptr<const GraphFacts> graphFactsOf(const Graph &graph, const Opsets &opsets,
                                               std::stop_token stop);

/// The operators of some nodes with their counts, most frequent first: "Conv ×3, Relu ×2, Add".
QString operatorSummary(const Graph &graph, const std::vector<NodeId> &nodes);

} // namespace graphloom

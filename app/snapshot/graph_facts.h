// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/place.h"
#include "engine/ir/opsets.h"
#include "engine/ops/derive/analysis.h"
#include "engine/ops/derive/mapping_type.h"
#include "engine/plan/plan.h"

#include <QString>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace graphloom {

/// Holds what views show of a node. Computed once, on a worker: describing thousands of nodes takes
/// longer than a frame.
struct NodeFacts {
    OperatorClass operatorClass = OperatorClass::Opaque;
    MappingType mapping = MappingType::Opaque;
    Dim macs, flops, read, written; // `read` and `written` in bytes
    std::optional<Channels> channels;
    std::uint64_t parameters = 0; // elements of its floating-point constants
    QString opaque;               // why there are no index maps; empty if there are
    QString op, name, shape;      // shape of the first output
    QString searchText;           // lower case: name, operator, tensors, one per line
};

struct GraphFacts;

/// A graph that a node holds in an attribute.
struct NestedGraph {
    GraphStep step;
    QString name; // name of the attribute: "body", or "branches[1]" if it holds several
    GraphPointer graph;
    std::shared_ptr<const GraphFacts> facts;
    std::size_t firstCapture = 0; // index into Node::captures of the first tensor that it captures
};

/// Holds what views show of a graph. It depends on the graph alone, so plans that differ in other
/// decisions share it.
struct GraphFacts {
    std::uint64_t graphHash = 0;
    std::vector<NodeFacts> nodes; // by node id; default-constructed for removed nodes
    double macs = 0;              // sum over the nodes whose count is a number
    std::size_t symbolic = 0;     // nodes whose MACs depend on symbols, such as a batch size
    std::size_t opaque = 0;       // nodes without known MACs
    std::uint64_t parameters = 0, parameterBytes = 0; // floating-point constants
    std::map<OperatorClass, std::size_t> classes;
    std::vector<NestedGraph> nested; // by node id, then by their order in the node

    const NodeFacts &of(NodeId id) const { return nodes[id.index]; }
    /// Returns the graphs that a node holds.
    std::span<const NestedGraph> nestedIn(NodeId id) const;
    /// Returns the graph that a step leads to, or null when there is none.
    const NestedGraph *nestedAt(const GraphStep &step) const;
};

/// Computes the facts of a graph. Returns null when stopped. A node whose description fails is
/// opaque, with the error as the reason.
std::shared_ptr<const GraphFacts> graphFactsOf(const Graph &graph, const Opsets &opsets,
                                               std::stop_token stop);

/// Computes the facts of some nodes only, for a view that shows no others.
std::shared_ptr<const GraphFacts> factsOfNodes(const Graph &graph, const Opsets &opsets,
                                               std::span<const NodeId> nodes);

/// Returns the sizes of nested graphs in words: "body: 14 nodes", "else_branch: 1 node,
/// then_branch: 12 nodes". Returns an empty string for no graphs.
QString nestedSummary(std::span<const NestedGraph> graphs);

/// Returns the title of a block: its pattern, or its mapping type.
QString titleOfBlock(const FusionBlock &block);

/// Returns the operators of some nodes with their counts, most frequent first: "Conv ×3, Relu ×2,
/// Add".
QString operatorSummary(const Graph &graph, const std::vector<NodeId> &nodes);

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/analysis.h"

#include <optional>
#include <stop_token>
#include <vector>

namespace graphloom {

/// What fusion asks of a read of a tensor.
struct EcgRead {
    TensorId tensor;
    NodeId producer; // invalid for graph inputs and constants
    std::uint32_t slot = 0;
    /// How the elements of the read tensor relate to those of the node's outputs (Table 2); none
    /// when no output depends on them (Shape), or for what a nested graph captures.
    std::optional<MappingType> mapping;
    /// Many-to-Many, and yet every element is needed for one point of the node's loops only: by a
    /// reduction, or by windows that do not overlap. Whoever computes the element can hand it over.
    bool once = false;
    /// One of several operands whose elements the node does no more with than to copy each to a
    /// place of its own in the output (Concat). Whoever computes it can write it there.
    bool placeable = false;
    bool constant = false;
};

/// A node of the extended computational graph.
struct EcgNode {
    std::shared_ptr<const Description> description;
    std::vector<EcgRead> reads;
    std::vector<DimensionEdge> dimensions;     // between inputs and outputs; none when opaque
    MappingType mapping = MappingType::Opaque; // the most complex of all pairs
    OperatorClass operatorClass = OperatorClass::Opaque;
    double flops = 0; // of flopsOf(), symbols counted as Ecg::symbolicExtent
    /// Reads an input more than once per element: a sum of products, or stage after stage (Table
    /// 5's compute-intensive layers).
    bool computeIntensive = false;

    bool isOpaque() const { return mapping == MappingType::Opaque; }
};

/// DNNFusion's extended computational graph (section 3.2): a graph with the facts about its nodes,
/// all of them from the operator table. Refers to the graph, which must outlive it.
class Ecg {
public:
    /// What an extent counts as that only the running model tells.
    static constexpr std::int64_t symbolicExtent = 64;

    /// Fails (Model) when a node contradicts its operator's definition; stoppedError() when
    /// stopped.
    static Result<Ecg> of(const Graph &graph, const Opsets &opsets,
                          const std::stop_token &stop = {});

    const Graph &graph() const { return *m_graph; }
    const EcgNode &node(NodeId id) const { return m_nodes[id.index]; }
    /// Bytes of a tensor; none when an extent or the rank is unknown.
    std::optional<std::int64_t> bytes(TensorId id) const;
    /// The same with unknown extents counted as symbolicExtent, unknown shapes as one element.
    double estimatedBytes(TensorId id) const;
    /// Bytes of all outputs of a node: its intermediate result size (IRS).
    double resultBytes(NodeId id) const;

private:
    explicit Ecg(const Graph &graph) : m_graph(&graph), m_nodes(graph.nodeBound()) {}

    const Graph *m_graph;
    std::vector<EcgNode> m_nodes; // by node id
};

} // namespace graphloom

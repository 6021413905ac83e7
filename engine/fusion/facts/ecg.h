// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/device.h"
#include "engine/ops/derive/analysis.h"
#include "engine/ops/derive/mapping_type.h"

#include <optional>
#include <stop_token>
#include <vector>

namespace graphloom {

struct Description;

/// Holds what fusion needs to know of one read of a tensor.
struct EcgRead {
    TensorId tensor;
    NodeId producer; // invalid for graph inputs and constants
    std::uint32_t slot = 0;
    /// Tells how the elements of the read tensor relate to those of the node's outputs (Table 2);
    /// absent if no output depends on them (Shape), or if a nested graph captures the tensor.
    std::optional<MappingType> mapping;
    /// Tells whether every element is needed for only one point of the node's loops although the
    /// mapping is Many-to-Many: by a reduction, or by windows that do not overlap. The producer of
    /// the element can pass it on directly.
    bool once = false;
    /// Tells whether this is one of several operands that the node merely copies, each element to a
    /// place of its own in the output (Concat). The producer of the operand can write it there.
    bool placeable = false;
    bool constant = false;
    /// Bytes of the elements that are read, each once; unknown extents as in estimatedBytes().
    double bytes = 0;
};

/// Represents a node of the extended computational graph.
struct EcgNode {
    std::shared_ptr<const Description> description;
    std::vector<EcgRead> reads;
    std::vector<DimensionEdge> dimensions;     // between inputs and outputs; none when opaque
    MappingType mapping = MappingType::Opaque; // the most complex of all pairs
    OperatorClass operatorClass = OperatorClass::Opaque;
    double flops = 0; // by flopsOf(), symbols counted as Ecg::symbolicExtent
    KernelWork work;  // the same by kinds; no bytes
    /// Tells whether the node reads an input more than once per element: a sum of products, or
    /// several stages (the compute-intensive layers of Table 5).
    bool computeIntensive = false;

    bool isOpaque() const { return mapping == MappingType::Opaque; }
};

/// Represents DNNFusion's extended computational graph (section 3.2): a graph with the facts about
/// its nodes, all of them from the operator table. Refers to the graph, which must outlive it.
class Ecg {
public:
    /// Assumed extent if only the running model determines it.
    static constexpr std::int64_t symbolicExtent = 64;

    /// Derives the facts. Fails (Model) if a node contradicts its operator's definition;
    /// stoppedError() if stopped.
    static Result<Ecg> of(const Graph &graph, const Opsets &opsets,
                          const std::stop_token &stop = {});

    const Graph &graph() const { return *m_graph; }
    const EcgNode &node(NodeId id) const { return m_nodes[id.index]; }
    /// Returns the bytes of a tensor; nothing if an extent or the rank is unknown.
    std::optional<std::int64_t> bytes(TensorId id) const;
    /// Returns the same with unknown extents counted as symbolicExtent, unknown shapes as one
    /// element.
    double estimatedBytes(TensorId id) const;
    /// Returns the bytes of all outputs of a node: its intermediate result size (IRS).
    double resultBytes(NodeId id) const;

private:
    explicit Ecg(const Graph &graph) : m_graph(&graph), m_nodes(graph.nodeBound()) {}

    const Graph *m_graph;
    std::vector<EcgNode> m_nodes; // by node id
};

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "engine/onnx/format/name_table.h"
#include "engine/onnx_export/weight_writer.h"

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

namespace graphloom {

/// Writes parts of graphs as ONNX messages.
class GraphWriter {
public:
    /// `opset` is the ai.onnx version that the nodes follow.
    GraphWriter(WeightWriter &weights, NameTable &tensorNames, NameTable &nodeNames,
                std::int64_t opset)
        : m_weights(weights), m_tensorNames(tensorNames), m_nodeNames(nodeNames), m_opset(opset)
    {
    }

    /// Writes a node under the given name; `tensors` are the names of the graph's tensors, by id.
    /// Metadata about a subgraph or origins is left out, since the exporter writes its own.
    void writeNode(const Node &node, const std::string &name,
                   const std::vector<std::string> &tensors, onnx::NodeProto &proto);
    /// Writes the constants that are used, as initializers or as nodes that fill them. In the main
    /// graph, large ones are left to the weight writer.
    void writeConstants(const Graph &graph, const std::vector<std::string> &tensors, bool main,
                        onnx::GraphProto &proto);
    /// Writes the declarations of inputs and outputs.
    void writeInterface(const Graph &graph, const std::vector<std::string> &tensors,
                        onnx::GraphProto &proto);

    /// Returns the oldest file format version that supports everything that was written.
    std::int64_t irVersion() const { return m_irVersion; }
    void needType(DataType type);

private:
    void writeAttribute(const Attribute &attribute, std::span<const std::string> captured,
                        onnx::AttributeProto &proto);
    void writeNested(const Graph &graph, std::vector<std::string> captured,
                     onnx::GraphProto &proto);

    WeightWriter &m_weights;
    NameTable &m_tensorNames, &m_nodeNames;
    std::int64_t m_opset;
    std::int64_t m_irVersion = 8; // the first one with functions
};

} // namespace graphloom

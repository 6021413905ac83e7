// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/onnx/nodes/node_attributes.h"

#include <vector>

namespace graphloom {

using NodeProtos = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

/// Reads nodes of a graph or of a function's body. Constants become constants of the region's
/// graph, calls of functions are replaced by the nodes of the body, other nodes wait in
/// GraphBuild::pending. The names of their outputs must already be in the region.
class NodeReader {
public:
    NodeReader(ReadingState &state, ReadNestedGraph readNested)
        : m_state(state), m_readNested(std::move(readNested))
    {
    }

    Result<void> read(const NodeProtos &nodes, Region &region);

private:
    Result<void> readNode(const onnx::NodeProto &proto, Region &region);
    Result<void> readConstant(const onnx::NodeProto &proto, Region &region, TensorId output);
    Result<void> inlineCall(const onnx::NodeProto &proto, const ModelFunction &function,
                            Region &region);
    bool isConstant(const onnx::NodeProto &node) const;
    Result<std::int64_t> opsetOf(const std::string &domain, const Region &region) const;
    Result<std::vector<TensorId>> inputsOf(const onnx::NodeProto &proto,
                                           const Region &region) const;
    void addMetadata(const onnx::NodeProto &proto, const Region &region, Node &node) const;

    ReadingState &m_state;
    ReadNestedGraph m_readNested;
};

} // namespace graphloom

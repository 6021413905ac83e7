// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/onnx/nodes/node_attributes.h"

#include <unordered_map>
#include <vector>

namespace graphloom {

/// A call of a function while the function's body takes its place: begin(), then the nodes of
/// the body are read into region(), then finish().
class InlinedCall {
public:
    InlinedCall(const onnx::NodeProto &call, const ModelFunction &function, Region &caller,
                ReadingState &state);
    InlinedCall(const InlinedCall &) = delete;

    /// Fails (Model) when functions call each other too deep, or the call does not fit the
    /// function's inputs and outputs.
    static Result<void> check(const onnx::NodeProto &call, const ModelFunction &function,
                              const Region &caller, ReadingState &state);

    /// Gives the body's names their tensors: what the caller passes and wants, and new ones.
    Result<void> begin(const std::vector<TensorId> &inputs, const std::vector<TensorId> &outputs,
                       const ResolvedAttributes &attributes);
    Region &region() { return m_inside; }
    /// Gives the caller the outputs that no node of the body writes: inputs passed through.
    Result<void> finish();

private:
    const onnx::NodeProto &m_proto;
    const onnx::FunctionProto &m_body;
    Region &m_caller;
    ReadingState &m_state;
    FunctionCall m_call;
    Region m_inside;
    std::unordered_map<std::string_view, TensorId> m_results; // that the caller asked for
};

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/onnx/nodes/node_attributes.h"

#include <unordered_map>
#include <vector>

namespace graphloom {

/// Inlines one call of a function: begin(), then the nodes of the body are read into region(), then
/// finish().
class InlinedCall {
public:
    InlinedCall(const onnx::NodeProto &call, const ModelFunction &function, Region &caller,
                ReadingState &state);
    InlinedCall(const InlinedCall &) = delete;

    /// Checks a call. Fails (Model) if functions are nested too deeply, or if the call does not
    /// match the inputs and outputs of the function.
    static Result<void> check(const onnx::NodeProto &call, const ModelFunction &function,
                              const Region &caller, ReadingState &state);

    /// Binds the names of the body to tensors: those that the caller passes and requests, and new
    /// ones.
    Result<void> begin(const std::vector<TensorId> &inputs, const std::vector<TensorId> &outputs,
                       const ResolvedAttributes &attributes);
    Region &region() { return m_inside; }
    /// Binds those outputs of the call that no node of the body writes: inputs passed through.
    Result<void> finish();

private:
    const onnx::NodeProto &m_proto;
    const onnx::FunctionProto &m_body;
    Region &m_caller;
    ReadingState &m_state;
    FunctionCall m_call;
    Region m_inside;
    std::unordered_map<std::string_view, TensorId> m_results; // requested by the caller
};

} // namespace graphloom

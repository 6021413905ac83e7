// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/onnx/files/tensor_reader.h"
#include "engine/onnx/format/warnings.h"
#include "engine/onnx/nodes/function_library.h"

#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

struct GraphReaderInput {
    const onnx::ModelProto &model;
    const FunctionLibrary &functions;
    const std::vector<OpsetImport> &opsets; // of the model
    std::int64_t targetOpset;               // the ai.onnx version of the resulting nodes
    const ImportOptions &options;
    const std::string &path;
};

/// Reads the model's main graph: names resolved, functions inlined, nodes in a topological order
/// and in the form of the target opset, as far as that does not require types (upgrade.h). Nodes of
/// functions in domain "graphloom" keep their names and carry their function's name in their
/// metadata, under exportedSubgraphKey. Fails (Model) with the place in the file.
Result<Graph> readGraph(const GraphReaderInput &input, TensorReader &tensors, Warnings &warnings);

/// Domain of the functions into which an export turns subgraphs, and the key of node metadata that
/// holds the name of a node's subgraph.
inline constexpr std::string_view exportDomain = "graphloom";
inline constexpr std::string_view exportedSubgraphKey = "graphloom.subgraph";
/// Keys of node metadata: the function from which a node was inlined; the node's documentation.
inline constexpr std::string_view inlinedFromKey = "graphloom.function";
inline constexpr std::string_view documentationKey = "graphloom.doc_string";

} // namespace graphloom

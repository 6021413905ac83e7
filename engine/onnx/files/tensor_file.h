// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/ir/data_value.h"
#include "engine/ir/graph.h"

#include <filesystem>
#include <string>

namespace graphloom {

/// Reads a serialized TensorProto from a file of its own: input_0.pb… of ONNX's test data. Fails
/// (Model) with the file and the reason.
Result<TensorData> readTensorFile(const std::filesystem::path &path);

/// Does the same for values of any type: a serialized TensorProto, SequenceProto or OptionalProto,
/// as the serialized TypeProto says (empty: a tensor).
Result<DataValue> readValueFile(const std::filesystem::path &path, const std::string &type);

/// Does the same for a value that a graph declares. ONNX's test data of version 1.12 and before
/// store the bits of bfloat16 elements as uint16; if bfloat16 is declared, they are read as such.
Result<DataValue> readValueFile(const std::filesystem::path &path, const Tensor &declared);

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/ir/tensor_data.h"

#include <filesystem>

namespace graphloom {

/// Reads a tensor that has a file of its own (a serialized TensorProto), as the inputs and
/// outputs of ONNX's backend tests do. Fails (Model) naming the file.
Result<TensorData> readTensorFile(const std::filesystem::path &path);

} // namespace graphloom

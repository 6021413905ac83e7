// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace graphloom::test {

/// Writes a model y = Relu(x + 1) with x of float[n,4], where n is symbolic, as an ONNX file.
void writeTinyModel(const std::filesystem::path &path);

/// Writes a float tensor as a serialized TensorProto.
void writeTensor(const std::filesystem::path &path, const std::vector<std::int64_t> &extents,
                 const std::vector<float> &values);

} // namespace graphloom::test

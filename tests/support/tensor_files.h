// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/ir/data_value.h"
#include "engine/ir/graph.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace graphloom::test {

/// Reads the values PREFIX_0.pb, PREFIX_1.pb… of a folder, as ONNX's backend tests store the inputs
/// and outputs of a model. The values are those of the given tensors of a graph, as many of them as
/// there are files.
Result<std::vector<DataValue>> readValueFiles(const std::filesystem::path &folder,
                                              const std::string &prefix, const Graph &graph,
                                              std::span<const TensorId> tensors);

/// Holds the tolerance of numbers: |a - b| <= absolute + relative * |expected|.
struct Tolerance {
    double relative = 1e-3, absolute = 1e-7; // as in ONNX's backend test runner
};

/// Returns how type or extents of a tensor differ from those of the expected one, or nothing if
/// they are equal.
std::optional<std::string> differenceOfForm(const TensorData &actual, const TensorData &expected);

/// Returns how type or extents of values of any kind differ, element by element, or nothing if they
/// are equal.
std::optional<std::string> differenceOfForm(const DataValue &actual, const DataValue &expected);
std::optional<std::string> differenceOf(const DataValue &actual, const DataValue &expected);

/// Returns where and how a tensor differs from the expected one, or nothing if it does not. Types
/// and extents must be the same; integers, strings and NaN must agree exactly.
std::optional<std::string> differenceOf(const TensorData &actual, const TensorData &expected,
                                        const Tolerance &tolerance = {});

} // namespace graphloom::test

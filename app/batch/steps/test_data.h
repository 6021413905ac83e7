// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/base/result.h"
#include "engine/ir/data_value.h"
#include "engine/ir/graph.h"

#include <filesystem>
#include <vector>

namespace graphloom {

/// Holds stored inputs and expected outputs of a model, one for each of the graph's.
struct TestData {
    std::vector<DataValue> inputs, outputs;
};

/// Reads input_0.pb… and output_0.pb… of a folder in the form of ONNX's backend tests. Fails
/// (Usage) if the folder does not exist or holds another number of files than the graph has inputs
/// and outputs, and (Model) with the file that cannot be read. Sequences and optionals are read as
/// the graph declares them.
Result<TestData> readTestData(const std::filesystem::path &folder, const Graph &graph);

} // namespace graphloom

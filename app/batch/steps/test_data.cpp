// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/steps/test_data.h"

#include "engine/onnx/files/tensor_file.h"

#include <span>
#include <string>

namespace graphloom {

namespace fs = std::filesystem;

namespace {

/// Reads the files prefix_0.pb, prefix_1.pb… of a folder, one for each of the graph's tensors.
Result<std::vector<DataValue>> readAll(const fs::path &folder, const std::string &prefix,
                                       const Graph &graph, std::span<const TensorId> tensors)
{
    std::error_code ignored;
    const auto file = [&](std::size_t i) {
        return folder / (prefix + "_" + std::to_string(i) + ".pb");
    };
    std::size_t count = 0;
    while (fs::exists(file(count), ignored))
        ++count;
    if (count != tensors.size())
        return fail(Error::Kind::Usage,
                    "contains " + std::to_string(count) + " files " + prefix +
                        "_N.pb, but the model has " + std::to_string(tensors.size()) + " " +
                        prefix + "s",
                    "--test-data " + folder.string());
    std::vector<DataValue> values;
    for (std::size_t i = 0; i < count; ++i) {
        GL_TRY_RESULT(value, readValueFile(file(i), graph.tensor(tensors[i])));
        values.push_back(std::move(*value));
    }
    return values;
}

} // namespace

Result<TestData> readTestData(const fs::path &folder, const Graph &graph)
{
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        return fail(Error::Kind::Usage, "is not a folder", "--test-data " + folder.string());
    GL_TRY_RESULT(inputs, readAll(folder, "input", graph, graph.inputs()));
    GL_TRY_RESULT(outputs, readAll(folder, "output", graph, graph.outputs()));
    return TestData{std::move(*inputs), std::move(*outputs)};
}

} // namespace graphloom

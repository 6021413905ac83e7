// SPDX-License-Identifier: Apache-2.0
#include "tests/support/conformance.h"

#include "engine/interpreter/drawn_values.h"
#include "engine/interpreter/interpreter.h"
#include "engine/onnx/import.h"
#include "engine/ops/derive/infer.h"
#include "tests/support/tensor_files.h"

#include <algorithm>
#include <string_view>

namespace graphloom::test {

namespace {

using Kind = ConformanceOutcome::Kind;

ConformanceOutcome runDataSet(const Model &model, const Opsets &opsets,
                              const std::filesystem::path &folder)
{
    const Graph &graph = model.graph;
    const auto inputs = readValueFiles(folder, "input", graph, graph.inputs());
    const auto expected = readValueFiles(folder, "output", graph, graph.outputs());
    if (!inputs || !expected)
        return {Kind::Wrong, (inputs ? expected : inputs).error().text()};
    InterpreterOptions options;
    options.threads = 1;
    const auto actual = interpretValues(graph, opsets, *inputs, options);
    if (!actual && actual.error().kind == Error::Kind::Usage)
        return {Kind::Unsupported, "stored inputs that are not what the model declares"};
    constexpr std::string_view noKernel = "not supported: ";
    if (!actual && actual.error().message.starts_with(noKernel))
        return {Kind::Unsupported, actual.error().message.substr(noKernel.size())};
    if (!actual)
        return {Kind::Wrong, actual.error().text()};
    if (actual->size() != expected->size())
        return {Kind::Wrong, "gives " + std::to_string(actual->size()) + " outputs instead of " +
                                 std::to_string(expected->size())};
    const auto drawn = outputsDrawn(graph, opsets, Draws::All);
    bool drawsOthers = false;
    for (std::size_t i = 0; i < expected->size(); ++i) {
        const DataValue &wanted = (*expected)[i];
        auto difference = differenceOf((*actual)[i], wanted);
        if (difference && !drawn[i].empty()) {
            drawsOthers = true;
            difference = differenceOfForm((*actual)[i], wanted);
        }
        if (difference)
            return {Kind::Wrong, "output " + std::to_string(i) + ": " + *difference};
    }
    if (drawsOthers)
        return {Kind::Unsupported, "random numbers as expected outputs"};
    return {Kind::Passed, {}};
}

} // namespace

std::filesystem::path conformanceRoot()
{
    return "/usr/share/libonnx-testdata/data";
}

std::vector<std::string> conformanceTests(const std::filesystem::path &root)
{
    std::vector<std::string> tests;
    for (const char *group : {"node", "pytorch-converted", "pytorch-operator", "simple"}) {
        std::error_code none;
        for (const auto &entry : std::filesystem::directory_iterator(root / group, none))
            if (std::filesystem::exists(entry.path() / "model.onnx"))
                tests.push_back(group + ("/" + entry.path().filename().string()));
    }
    std::ranges::sort(tests);
    return tests;
}

ConformanceOutcome runConformanceTest(const std::filesystem::path &folder)
{
    const auto model = importOnnx(folder / "model.onnx");
    if (!model)
        return {Kind::Wrong, model.error().text()};
    const Opsets opsets = opsetsOf(*model);
    int sets = 0;
    for (;; ++sets) {
        const auto data = folder / ("test_data_set_" + std::to_string(sets));
        if (!std::filesystem::exists(data))
            break;
        const auto outcome = runDataSet(*model, opsets, data);
        if (outcome.kind != Kind::Passed)
            return outcome;
    }
    return sets > 0 ? ConformanceOutcome{Kind::Passed, {}}
                    : ConformanceOutcome{Kind::Unsupported, "there are no inputs and outputs"};
}

} // namespace graphloom::test

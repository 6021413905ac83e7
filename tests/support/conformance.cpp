// SPDX-License-Identifier: Apache-2.0
#include "tests/support/conformance.h"

#include "engine/onnx/import.h"
#include "engine/ops/infer.h"
#include "engine/runtime/interpreter.h"
#include "tests/support/tensor_files.h"

#include <algorithm>
#include <optional>

namespace graphloom::test {

namespace {

using Kind = ConformanceOutcome::Kind;

/// What in the graph can be neither described nor run; none when all of it can.
std::optional<std::string> lackOf(const Graph &graph, const Opsets &opsets)
{
    for (const auto list : {graph.inputs(), graph.outputs()})
        for (const TensorId id : list)
            if (!graph.tensor(id).otherType.empty())
                return "values that are not tensors";
    for (const NodeId id : graph.order()) {
        const Node &node = graph.node(id);
        if (!findOperator(node.domain, node.op, opsets(node.domain)))
            return node.qualifiedOp() + " is not in the operator table";
        for (const Attribute &attribute : node.attributes)
            if (const auto *nested = std::get_if<GraphPointer>(&attribute.value))
                if (auto lack = lackOf(**nested, opsets))
                    return lack;
    }
    return std::nullopt;
}

/// Draws from a generator that no two implementations share, so that of the stored outputs only
/// types and shapes can be met.
bool drawsRandomNumbers(const Graph &graph)
{
    constexpr std::string_view names[] = {"Bernoulli",        "Multinomial",   "RandomNormal",
                                          "RandomNormalLike", "RandomUniform", "RandomUniformLike"};
    return std::ranges::any_of(graph.order(), [&](NodeId id) {
        const Node &node = graph.node(id);
        // Dropout draws in training mode, which is its third input.
        const bool training = node.op == "Dropout" && node.inputs.size() > 2;
        return training || std::ranges::find(names, node.op) != std::end(names);
    });
}

/// The tests store bfloat16, which numpy lacks, as uint16.
TensorData retyped(const TensorData &stored, DataType wanted)
{
    if (wanted != DataType::BFloat16 || stored.type() != DataType::Uint16)
        return stored;
    const auto bytes = stored.bytes();
    return TensorData::fromBytes(wanted, stored.extents(), {bytes.begin(), bytes.end()});
}

ConformanceOutcome runDataSet(const Model &model, const Opsets &opsets,
                              const std::filesystem::path &folder)
{
    auto inputs = readTensorFiles(folder, "input");
    const auto expected = readTensorFiles(folder, "output");
    if (!inputs || !expected)
        return {Kind::Wrong, (inputs ? expected : inputs).error().text()};
    for (std::size_t i = 0; i < std::min(inputs->size(), model.graph.inputs().size()); ++i)
        (*inputs)[i] = retyped((*inputs)[i], model.graph.tensor(model.graph.inputs()[i]).type);
    InterpreterOptions options;
    options.threads = 1;
    const auto actual = interpret(model.graph, opsets, *inputs, options);
    if (!actual && actual.error().kind == Error::Kind::Usage)
        return {Kind::Unsupported, "stored inputs that are not what the model declares"};
    if (!actual)
        return {Kind::Wrong, actual.error().text()};
    if (actual->size() != expected->size())
        return {Kind::Wrong, "gives " + std::to_string(actual->size()) + " outputs instead of " +
                                 std::to_string(expected->size())};
    bool drawsOthers = false;
    for (std::size_t i = 0; i < expected->size(); ++i) {
        const TensorData wanted = retyped((*expected)[i], (*actual)[i].type());
        auto difference = differenceOf((*actual)[i], wanted);
        if (difference && drawsRandomNumbers(model.graph)) {
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
    if (!model && model.error().message.find("operator set") != std::string::npos)
        return {Kind::Unsupported, "operator sets that are too old"};
    if (!model)
        return {Kind::Wrong, model.error().text()};
    const Opsets opsets = opsetsOf(*model);
    if (auto lack = lackOf(model->graph, opsets))
        return {Kind::Unsupported, *lack};
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

// SPDX-License-Identifier: Apache-2.0
// Every operator that has stages, compiled as a graph of one node, against the interpreter.
#include "engine/codegen/index/expr_edit.h"
#include "engine/interpreter/random.h"
#include "engine/ops/derive/infer.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/reference/example.h"
#include "tests/support/kernel_batch.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <array>
#include <cmath>
#include <optional>

namespace graphloom::test::operator_kernels_test {

namespace {

/// The opset in which the newest form of an operator is.
std::int64_t newestForm()
{
    return std::ranges::max_element(operatorTable(), {}, &Operator::since)->since;
}

std::string qualified(const Operator &entry)
{
    return (entry.domain.empty() ? "" : std::string(entry.domain) + ".") + std::string(entry.name);
}

/// Types that the float inputs of an example are tried with.
const std::vector<DataType> &triedTypes()
{
    static const std::vector<DataType> types{
        DataType::Float, DataType::Double, DataType::Float16, DataType::BFloat16,
        DataType::Bool,  DataType::Int8,   DataType::Int64,   DataType::Uint64};
    return types;
}

/// What the results may differ by, relative to the greatest one.
double toleranceOf(DataType type)
{
    switch (type) {
    case DataType::Float16:
        return 2e-3; // two in the last place
    case DataType::BFloat16:
        return 1.6e-2;
    case DataType::Double:
        return 1e-12;
    default:
        return 1e-5;
    }
}

/// Values that every element type has enough of: integers of both signs, reals with fractions.
TensorData inputOf(DataType type, const TensorData::Extents &extents, std::uint64_t seed)
{
    auto data = *randomTensor(type, extents, seed);
    if (isFloatingPoint(type) || type == DataType::Bool || bitsOf(type) < 8)
        return data;
    std::vector<std::byte> bytes(data.bytes().begin(), data.bytes().end());
    const auto size = std::size_t(bitsOf(type) / 8);
    for (std::size_t i = 0; i < bytes.size(); i += size) {
        const std::int64_t value =
            std::int64_t((seed + i / size) * 7 % 11) - (isSignedInteger(type) ? 5 : 0);
        for (std::size_t b = 0; b < size; ++b)
            bytes[i + b] = std::byte(value >> (8 * b) & 255);
    }
    return TensorData::fromBytes(type, extents, std::move(bytes));
}

/// Integers that are made of reals by cutting their fractions off, which ONNX has no such operator
/// for: the least error of the real makes another integer.
bool cutsReals(const Description &description, DataType type)
{
    if (!isIntegral(type) || !isIntegral(description.values.front().type))
        return false;
    bool reals = false;
    for (const Stage &stage : description.stages)
        for (const Expr &expr : {stage.body, stage.finish})
            forEachPart(expr, [&](const Expr::Node &node) {
                reals = reals || isFloatingPoint(node.type) ||
                        (arityOf(node.fn) == 1 && node.fn >= Fn::Sqrt && node.fn <= Fn::Erf);
            });
    return reals;
}

/// NaN, infinities and zeros of both signs among other values.
TensorData specialInput(const TensorData::Extents &extents, std::uint64_t seed)
{
    const auto usual = *randomTensor(DataType::Float, extents, seed);
    const std::array<float, 5> special{NAN, INFINITY, -INFINITY, 0.0f, -0.0f};
    std::vector<float> values;
    for (std::int64_t i = 0; i < usual.elements(); ++i)
        values.push_back(i % 3 == 1 ? special[std::size_t(i / 3 + std::int64_t(seed)) % 5]
                                    : float(usual.real(i)));
    return TensorData::fromValues<float>(DataType::Float, extents, values);
}

/// The example of an operator with its float inputs of another type; none where it is opaque, has
/// no such inputs or does not take the type.
std::optional<KernelCase> caseOf(const Operator &entry, DataType type, bool special = false)
{
    const auto example = ExampleCall::of(entry);
    if (!example)
        return std::nullopt;
    GraphEditor editor;
    Node node = example->node();
    std::vector<TensorId> graphInputs, outputs;
    KernelCase one;
    bool hasReals = false;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (!node.inputs[i].valid())
            continue;
        Tensor tensor = example->inputs()[i];
        if (!tensor.shape || !isStatic(*tensor.shape))
            return std::nullopt;
        tensor.name = "in" + std::to_string(i);
        TensorData::Extents extents;
        for (const Dim &dim : *tensor.shape)
            extents.push_back(dim.value());
        const bool isList = tensor.constant && !tensor.constant->isSplat();
        if (tensor.type == DataType::Float && !isList) {
            tensor.type = type;
            hasReals = true;
            if (tensor.constant)
                tensor.constant =
                    std::make_shared<const TensorData>(inputOf(type, extents, 100 + i));
        }
        if (!tensor.constant && !isFloatingPoint(tensor.type) && !isIntegral(tensor.type))
            return std::nullopt;
        if (!tensor.constant)
            // Other inputs than the one that the call is about may be positions.
            one.inputs.push_back(special && tensor.type == type ? specialInput(extents, i)
                                 : tensor.type == type          ? inputOf(type, extents, i)
                                                       : *randomTensor(tensor.type, extents, i));
        const bool isInput = !tensor.constant;
        node.inputs[i] = editor.addTensor(std::move(tensor));
        if (isInput)
            graphInputs.push_back(node.inputs[i]);
    }
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
        Tensor tensor;
        tensor.name = "out" + std::to_string(k);
        node.outputs[k] = editor.addTensor(std::move(tensor));
        outputs.push_back(node.outputs[k]);
    }
    if (!hasReals && type != DataType::Float)
        return std::nullopt;
    editor.addNode(std::move(node));
    editor.setInputs(graphInputs);
    editor.setOutputs(outputs);
    const auto opsets = KernelBatch(newestForm()).opsets();
    auto graph = std::move(editor).finish();
    if (!graph)
        return std::nullopt;
    auto inferred = inferShapes(*graph, opsets);
    if (!inferred)
        return std::nullopt;
    one.graph = std::move(inferred->graph);
    const auto description = describe(one.graph, one.graph.order().front(), opsets);
    if (!description || description->isOpaque() || cutsReals(*description, type))
        return std::nullopt;
    one.name = qualified(entry) + " of " + std::string(nameOf(type));
    return one;
}

using Outcomes = std::map<std::string, KernelOutcome>;

/// All operators on elements of a type.
KernelBatch batchOf(DataType type)
{
    KernelBatch batch(newestForm());
    for (const Operator &entry : operatorTable())
        if (auto one = caseOf(entry, type))
            batch.add(std::move(*one));
    return batch;
}

/// The same, run once with vectors of so many lanes.
const Result<Outcomes> &outcomesOf(DataType type, int lanes)
{
    static std::map<std::pair<DataType, int>, Result<Outcomes>> known;
    auto at = known.find({type, lanes});
    if (at == known.end())
        at = known.emplace(std::pair(type, lanes), batchOf(type).run(lanes)).first;
    return at->second;
}

} // namespace

class OperatorKernelsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyOperatorIsTried();
    void likeTheInterpreter_data();
    void specialValues();
    void likeTheInterpreter();
    void refusals();
};

void OperatorKernelsTest::everyOperatorIsTried()
{
    QStringList missing;
    for (const Operator &entry : operatorTable()) {
        const auto example = ExampleCall::of(entry);
        QVERIFY(example.has_value());
        const auto description = describe(example->call());
        if (description && !description->isOpaque() && !caseOf(entry, DataType::Float))
            missing << QString::fromStdString(qualified(entry));
    }
    QCOMPARE(missing.join(", "), QString());
}

void OperatorKernelsTest::likeTheInterpreter_data()
{
    QTest::addColumn<int>("lanes");
    QTest::addColumn<int>("type");
    // All types with the widest vectors; of what is computed in lanes, the others too.
    for (const InstructionSet &set : instructionSets())
        for (const DataType type : triedTypes())
            if (&set == &hostInstructionSet() || type == DataType::Float)
                QTest::addRow("%s, %s", std::string(set.title).c_str(),
                              std::string(nameOf(type)).c_str())
                    << set.lanes << int(type);
}

void OperatorKernelsTest::likeTheInterpreter()
{
    QFETCH(int, lanes);
    QFETCH(int, type);
    if (!whyNotRun(lanes).empty()) {
        KernelBatch batch = batchOf(DataType(type));
        GRAPHLOOM_COMPILE_ONLY_UNLESS_EXECUTABLE(batch, lanes)
    }
    const auto &outcomes = outcomesOf(DataType(type), lanes);
    QVERIFY2(outcomes.has_value(), outcomes ? "" : outcomes.error().text().c_str());
    QStringList wrong;
    int compared = 0;
    for (const auto &[name, outcome] : *outcomes) {
        if (!outcome.error.empty())
            continue;
        ++compared;
        if (!(outcome.relativeError() <= toleranceOf(DataType(type))))
            wrong << QString::fromStdString(name + ": " + outcome.difference());
    }
    QVERIFY(compared > 20);
    QVERIFY2(wrong.isEmpty(), qPrintable("\n" + wrong.join("\n")));
}

/// NaN where the interpreter has NaN, and infinities of the same sign. Of zeros the sign may
/// differ: max(-0, 0) is one or the other as its arguments come.
void OperatorKernelsTest::specialValues()
{
    KernelBatch batch(newestForm());
    for (const Operator &entry : operatorTable())
        if (auto one = caseOf(entry, DataType::Float, true))
            batch.add(std::move(*one));
    const auto outcomes = batch.run(hostInstructionSet().lanes);
    QVERIFY2(outcomes.has_value(), outcomes ? "" : outcomes.error().text().c_str());
    int withNan = 0;
    for (const auto &[name, outcome] : *outcomes)
        for (const TensorData &data : outcome.expected)
            if (data.type() == DataType::Float && data.elements() > 1)
                withNan += std::isnan(data.real(0)) || std::isnan(data.real(1));
    QVERIFY(withNan > 50);
    QStringList wrong;
    for (const auto &[name, outcome] : *outcomes)
        if (outcome.error.empty() && !(outcome.relativeError() <= toleranceOf(DataType::Float)))
            wrong << QString::fromStdString(name + ": " + outcome.difference());
    QVERIFY2(wrong.isEmpty(), qPrintable("\n" + wrong.join("\n")));
}

/// What is interpreted for another reason than being opaque, and why: a list to make shorter.
void OperatorKernelsTest::refusals()
{
    std::set<std::string> refused;
    for (const DataType type : triedTypes()) {
        const auto &outcomes = outcomesOf(type, hostInstructionSet().lanes);
        QVERIFY2(outcomes.has_value(), outcomes ? "" : outcomes.error().text().c_str());
        for (const auto &[name, outcome] : *outcomes)
            for (const std::string &reason : outcome.reasons)
                refused.insert(name.substr(0, name.rfind(" of ")) + ": " +
                               reason.substr(reason.rfind(": ") + 2));
    }
    QStringList lines;
    for (const std::string &line : refused)
        lines << QString::fromStdString(line);
    const QStringList expected{
        "NegativeLogLikelihoodLoss: it reads at data-dependent positions, which may lie outside "
        "its input",
        "ReverseSequence: it reads at data-dependent positions, which may lie outside its input",
        "SoftmaxCrossEntropyLoss: it reads at data-dependent positions, which may lie outside its "
        "input",
    };
    QCOMPARE(lines.join("\n"), expected.join("\n"));
}

GRAPHLOOM_TESTS(OperatorKernelsTest)

} // namespace graphloom::test::operator_kernels_test

#include "operator_kernels_test.moc"

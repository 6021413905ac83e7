// SPDX-License-Identifier: Apache-2.0
// Parts of calls give what the whole call gives: of every operator's example, along every split.
#include "engine/interpreter/compare.h"
#include "engine/interpreter/random.h"
#include "engine/interpreter/stages/stage_runner.h"
#include "engine/ir/opsets.h"
#include "engine/ops/derive/call_part.h"
#include "engine/ops/gradient/adjoint.h"
#include "engine/ops/gradient/gradient.h"
#include "engine/ops/reference/example.h"
#include "tests/support/attribute.h"
#include "tests/support/operator_case.h"
#include "tests/support/tensor_box.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <random>

namespace graphloom::test::call_part_test {

using test::Given;
using test::integer;
using test::ints;
using test::OperatorCase;

namespace {

double combined(Combine combine, double a, double b)
{
    switch (combine) {
    case Combine::Sum:
        return a + b;
    case Combine::Product:
        return a * b;
    case Combine::Max:
        return std::max(a, b);
    default:
        return std::min(a, b);
    }
}

/// Runs a call whole and in parts.
class Parts {
public:
    explicit Parts(const Call &call) : m_call(call)
    {
        auto description = describe(call);
        if (!description) {
            m_error = QString::fromStdString(description.error().text());
            return;
        }
        m_whole = wholeCall(call, *std::move(description));
        std::uint64_t seed = 1;
        for (const auto &operand : m_whole.operands) {
            m_inputs.emplace_back();
            if (!operand)
                continue;
            if (operand->constant) {
                m_inputs.back() = *operand->constant;
                continue;
            }
            if (!operand->shape) {
                m_error = "an input is no tensor";
                continue;
            }
            TensorData::Extents extents;
            for (const Dim &extent : *operand->shape)
                extents.push_back(extent.value());
            auto data = randomTensor(operand->type, extents, seed++);
            if (!data)
                m_error = QString::fromStdString(data.error().text());
            else
                m_inputs.back() = *std::move(data);
        }
    }

    const QString &error() const { return m_error; }
    const CallPart &whole() const { return m_whole; }
    std::vector<Split> splits() const { return splitsOf(m_whole.description); }

    static Result<std::vector<TensorData>> run(const CallPart &part,
                                               const std::vector<std::optional<TensorData>> &data)
    {
        std::vector<const TensorData *> inputs;
        for (const auto &input : data)
            inputs.push_back(input ? &*input : nullptr);
        return runStages(part.description, part.call(), inputs);
    }

    /// What is wrong with the parts that end at the given steps; empty if nothing is.
    QString check(const Split &split, const std::vector<std::int64_t> &ends) const
    {
        const auto expected = run(m_whole, m_inputs);
        if (!expected)
            return QString::fromStdString(expected.error().text());
        std::vector<std::vector<double>> results;
        for (const TensorData &data : *expected)
            results.emplace_back(std::size_t(data.elements()), std::nan(""));
        std::int64_t begin = 0;
        for (const std::int64_t end : ends) {
            const auto part = callPart(m_whole, split, begin, end);
            if (!part && part.error().text().ends_with("a part lies entirely in the padding"))
                return {};
            if (!part)
                return QString::fromStdString(part.error().text());
            std::vector<std::optional<TensorData>> inputs;
            for (std::size_t i = 0; i < m_inputs.size(); ++i) {
                const TensorPart &cut = part->inputs[i];
                inputs.push_back(m_inputs[i]);
                if (part->replaced[i])
                    inputs.back() = *part->operands[i]->constant;
                else if (m_inputs[i] && cut.dim >= 0)
                    inputs.back() = test::partOf(*m_inputs[i], cut.dim, cut.begin, cut.end);
            }
            const auto given = run(*part, inputs);
            if (!given)
                return QString::fromStdString(given.error().text());
            for (std::size_t o = 0; o < given->size(); ++o)
                put(results[o], (*expected)[o].extents(), (*given)[o], part->outputs[o],
                    begin == 0 ? Combine::None : split.combine);
            begin = end;
        }
        for (std::size_t o = 0; o < results.size(); ++o)
            for (std::size_t i = 0; i < results[o].size(); ++i) {
                const double want = (*expected)[o].real(std::int64_t(i)), got = results[o][i];
                if (!(std::abs(want - got) <= 1e-4 * (1 + std::abs(want))) && want != got &&
                    !(std::isnan(want) && std::isnan(got)))
                    return QString("output %1 at %2: %3 in place of %4")
                        .arg(o)
                        .arg(i)
                        .arg(got)
                        .arg(want);
            }
        return {};
    }

private:
    static void put(std::vector<double> &to, const TensorData::Extents &extents,
                    const TensorData &part, const TensorPart &cut, Combine combine)
    {
        TensorData::Extents begin(extents.size(), 0);
        if (cut.dim >= 0)
            begin[std::size_t(cut.dim)] = cut.begin;
        test::forEachOfBox(extents, begin, part.extents(), [&](std::int64_t at, std::int64_t i) {
            double &value = to[std::size_t(at)];
            value = cut.dim >= 0 || combine == Combine::None
                        ? part.real(i)
                        : combined(combine, value, part.real(i));
        });
    }

    const Call m_call;
    QString m_error;
    CallPart m_whole;
    std::vector<std::optional<TensorData>> m_inputs;
};

/// In two halves, in parts of one step, and at random.
std::vector<std::vector<std::int64_t>> waysToCut(std::int64_t extent, std::mt19937 &random)
{
    std::vector<std::vector<std::int64_t>> ways{{(extent + 1) / 2, extent}};
    std::vector<std::int64_t> all, some;
    for (std::int64_t end = 1; end <= std::min<std::int64_t>(extent, 16); ++end) {
        all.push_back(end);
        if (end < extent && random() % 2)
            some.push_back(end);
    }
    for (auto *ends : {&all, &some}) {
        if (ends->empty() || ends->back() != extent)
            ends->push_back(extent);
        ways.push_back(*ends);
    }
    return ways;
}

/// Checks all splits of a call that can be cut; how many there are of both kinds.
struct Tally {
    int cut = 0, refused = 0, checks = 0;
    QStringList refusals;
};
QString checkAll(const Call &call, Tally &tally)
{
    const Parts parts(call);
    if (!parts.error().isEmpty())
        return {}; // strings, and what is no tensor
    if (parts.whole().description.isOpaque())
        return {};
    std::mt19937 random(7);
    for (const Split &split : parts.splits()) {
        if (!canBeCut(parts.whole(), split)) {
            ++tally.refused;
            tally.refusals << QString::fromStdString(
                callPart(parts.whole(), split, 0, (split.extent + 1) / 2)
                    ? "in between"
                    : callPart(parts.whole(), split, 0, (split.extent + 1) / 2).error().text());
            continue;
        }
        ++tally.cut;
        for (const auto &ends : waysToCut(split.extent, random)) {
            ++tally.checks;
            if (const QString wrong = parts.check(split, ends); !wrong.isEmpty())
                return QString("split of %1: %2").arg(split.extent).arg(wrong);
        }
    }
    return {};
}

QString withGradients(const Call &call, Tally &tally)
{
    if (const QString wrong = checkAll(call, tally); !wrong.isEmpty())
        return wrong;
    GraphEditor editor;
    std::vector<TensorId> inputs, external;
    for (std::size_t i = 0; i < call.inputCount(); ++i) {
        inputs.push_back(call.has(i) ? editor.addTensor(call.input(i)) : TensorId());
        if (call.has(i) && !call.isConstant(i))
            external.push_back(inputs.back());
    }
    editor.setInputs(external);
    const auto description = describe(call);
    Node node = call.node();
    node.inputs = inputs;
    std::vector<TensorId> gradients;
    for (std::size_t o = 0; o < node.outputs.size(); ++o) {
        Tensor tensor;
        tensor.name = "y" + std::to_string(o);
        tensor.type = description->values[o].type;
        tensor.shape = description->values[o].shape;
        node.outputs[o] = editor.addTensor(tensor);
        tensor.name = "dy" + std::to_string(o);
        gradients.push_back(editor.addTensor(tensor));
        external.push_back(gradients.back());
    }
    editor.setInputs(external);
    const NodeId id = editor.addNode(node);
    auto graph = std::move(editor).finish();
    if (!graph)
        return QString::fromStdString(graph.error().text());
    const auto opset = call.opset();
    const Opsets opsets = [opset](std::string_view) { return opset; };
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i].valid())
            continue;
        const auto gradient = gradientNode(*graph, id, int(i), gradients, opsets);
        if (!gradient)
            continue; // it has none
        std::vector<const Tensor *> tensors;
        for (const TensorId tensor : gradient->node.inputs)
            tensors.push_back(tensor.valid() ? &graph->tensor(tensor) : nullptr);
        Node made = gradient->node;
        made.outputs = {TensorId{1000}};
        if (const QString wrong = checkAll(Call(made, tensors, opset), tally); !wrong.isEmpty())
            return QString("gradient by input %1: %2").arg(i).arg(wrong);
    }
    return {};
}

} // namespace

class CallPartTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyOperator_data();
    void everyOperator();
    void windows_data();
    void windows();
    void singlePoints_data();
    void singlePoints();
    void reshapesGetOwnShapes();
    void refusesWithReason();
    void cutsTwice();
    void cleanupTestCase() { qInfo("%d splits checked in %d ways", m_cut, m_checks); }

private:
    int m_cut = 0, m_checks = 0;
};

void CallPartTest::everyOperator_data()
{
    QTest::addColumn<int>("entry");
    const auto table = operatorTable();
    for (std::size_t i = 0; i < table.size(); ++i)
        QTest::addRow("%s.%s-%lld", std::string(table[i].domain).c_str(),
                      std::string(table[i].name).c_str(), (long long)table[i].since)
            << int(i);
}

void CallPartTest::everyOperator()
{
    QFETCH(int, entry);
    const auto example = ExampleCall::of(operatorTable()[std::size_t(entry)]);
    if (!example)
        QSKIP("no example");
    Tally tally;
    QCOMPARE(withGradients(example->call(), tally), QString());
    m_cut += tally.cut;
    m_checks += tally.checks;
    for (const QString &refusal : tally.refusals)
        qInfo("%s", qPrintable(refusal));
}

void CallPartTest::windows_data()
{
    QTest::addColumn<QString>("op");
    QTest::addColumn<QList<qint64>>("input");
    QTest::addColumn<QList<qint64>>("weights");
    QTest::addColumn<QString>("attributes");
    QTest::addColumn<int>("dims"); // spatial dimensions that can be cut
    using L = QList<qint64>;
    QTest::newRow("conv") << "Conv" << L{2, 3, 9, 8} << L{4, 3, 3, 3} << "pads=1,1,1,1" << 2;
    QTest::newRow("stride 2") << "Conv" << L{2, 3, 9, 8} << L{4, 3, 3, 3}
                              << "pads=1,1,1,1 strides=2,2" << 2;
    QTest::newRow("stride 3") << "Conv" << L{1, 2, 13, 11} << L{2, 2, 2, 1}
                              << "strides=3,3 pads=0,0,1,1" << 2;
    QTest::newRow("dilation") << "Conv" << L{1, 2, 13, 11} << L{2, 2, 3, 3}
                              << "dilations=2,3 pads=2,3,2,3" << 2;
    QTest::newRow("same upper") << "Conv" << L{1, 2, 9, 8} << L{2, 2, 3, 4}
                                << "strides=2,2 auto_pad=SAME_UPPER" << 2;
    QTest::newRow("same lower") << "Conv" << L{1, 2, 9, 8} << L{2, 2, 4, 3}
                                << "strides=2,1 auto_pad=SAME_LOWER" << 2;
    QTest::newRow("depthwise") << "Conv" << L{2, 4, 9, 8} << L{4, 1, 3, 3} << "pads=1,1,1,1 group=4"
                               << 2;
    QTest::newRow("pool") << "MaxPool" << L{2, 3, 9, 8} << L{} << "kernel_shape=2,2 strides=2,2"
                          << 2;
    QTest::newRow("padded pool") << "MaxPool" << L{2, 3, 9, 8} << L{}
                                 << "kernel_shape=3,3 strides=2,2 pads=1,1,1,1" << 2;
    QTest::newRow("ceiling") << "MaxPool" << L{2, 3, 9, 9} << L{}
                             << "kernel_shape=2,2 strides=2,2 ceil_mode=1" << 2;
    QTest::newRow("mean") << "AveragePool" << L{2, 3, 9, 8} << L{} << "kernel_shape=3,3 strides=2,2"
                          << 2;
    QTest::newRow("padded mean") << "AveragePool" << L{2, 3, 9, 8} << L{}
                                 << "kernel_shape=3,3 pads=1,1,1,1 count_include_pad=1" << 2;
    QTest::newRow("transposed") << "ConvTranspose" << L{2, 3, 5, 4} << L{3, 2, 2, 2}
                                << "strides=2,2" << 2;
    QTest::newRow("transposed 4") << "ConvTranspose" << L{2, 3, 5, 4} << L{3, 2, 4, 4}
                                  << "strides=2,2 pads=1,1,1,1" << 2;
    QTest::newRow("transposed 1") << "ConvTranspose" << L{2, 3, 5, 4} << L{3, 2, 3, 3}
                                  << "pads=1,1,1,1" << 2;
}

void CallPartTest::windows()
{
    QFETCH(QString, op);
    QFETCH(QList<qint64>, input);
    QFETCH(QList<qint64>, weights);
    QFETCH(QString, attributes);
    QFETCH(int, dims);
    std::vector<Given> inputs{Given(Shape(input.begin(), input.end()))};
    if (!weights.isEmpty())
        inputs.emplace_back(Shape(weights.begin(), weights.end()));
    std::vector<Attribute> list;
    for (const QString &word : attributes.split(' ')) {
        const QString name = word.section('=', 0, 0), value = word.section('=', 1);
        std::vector<std::int64_t> numbers;
        for (const QString &number : value.split(','))
            numbers.push_back(number.toLongLong());
        if (name == "auto_pad")
            list.push_back(test::word(name.toStdString(), value.toStdString()));
        else if (numbers.size() == 1)
            list.push_back(integer(name.toStdString(), numbers[0]));
        else
            list.push_back(ints(name.toStdString(), numbers));
    }
    const OperatorCase whole(op.toStdString(), inputs, list);
    Tally tally;
    QCOMPARE(withGradients(whole.call(), tally), QString());
    m_cut += tally.cut;
    m_checks += tally.checks;
    const Parts parts(whole.call());
    int found = 0;
    for (const Split &split : parts.splits())
        found += split.outputs[0].dim >= 2 && canBeCut(parts.whole(), split);
    QCOMPARE(found, dims);
    for (const QString &refusal : tally.refusals)
        qInfo("%s", qPrintable(refusal));
}

void CallPartTest::singlePoints_data()
{
    QTest::addColumn<QString>("op");
    QTest::addColumn<QList<qint64>>("input");
    QTest::addColumn<int>("channels"); // inputs of one extent
    using L = QList<qint64>;
    QTest::newRow("normalization") << "BatchNormalization" << L{4, 3, 1, 1} << 4;
    QTest::newRow("normalization, one image") << "BatchNormalization" << L{1, 3, 4, 1} << 4;
    QTest::newRow("normalization of groups") << "InstanceNormalization" << L{4, 3, 1, 1} << 2;
    QTest::newRow("normalization of rows") << "LayerNormalization" << L{4, 1, 3} << 1;
    QTest::newRow("slope") << "PRelu" << L{4, 1, 3} << 1;
    QTest::newRow("sum") << "Add" << L{4, 1, 3} << 1;
    QTest::newRow("product") << "MatMul" << L{4, 1, 3} << 1;
}

/// Parts of a single step, of which sums over all other dimensions are sums no more.
void CallPartTest::singlePoints()
{
    QFETCH(QString, op);
    QFETCH(QList<qint64>, input);
    QFETCH(int, channels);
    std::vector<Given> inputs{Given(Shape(input.begin(), input.end()))};
    for (int i = 0; i < channels; ++i)
        inputs.emplace_back(Shape{3});
    const OperatorCase whole(op.toStdString(), inputs, {});
    Tally tally;
    QCOMPARE(withGradients(whole.call(), tally), QString());
    QVERIFY(tally.cut > 0);
}

void CallPartTest::reshapesGetOwnShapes()
{
    for (const auto &target : std::vector<std::vector<std::int64_t>>{
             {4, 6, 2, 5}, {0, 6, 2, -1}, {-1, 6, 2, 5}, {4, 6, 10}, {24, 10}, {-1, 10}}) {
        const OperatorCase whole("Reshape", {Shape{4, 6, 10}, Given::integers(target)});
        Tally tally;
        QCOMPARE(checkAll(whole.call(), tally), QString());
        QVERIFY(tally.cut >= 1);
    }
    const OperatorCase expand("Expand", {Shape{4, 1, 10}, Given::integers({3, 1, 6, 1})});
    Tally tally;
    QCOMPARE(checkAll(expand.call(), tally), QString());
    QCOMPARE(tally.cut, 4);
}

void CallPartTest::refusesWithReason()
{
    // What the last part of a split in equal parts reads is not where the first one's is.
    const OperatorCase resize("Resize",
                              {Shape{1, 2, 6, 6}, Given(TensorData::fromInt64s({})),
                               Given(TensorData::fromInt64s({})), Given::integers({1, 2, 12, 12})},
                              {test::word("mode", "nearest"),
                               test::word("coordinate_transformation_mode", "asymmetric"),
                               test::word("nearest_mode", "floor")});
    const Parts parts(resize.call());
    QCOMPARE(parts.error(), QString());
    for (const Split &split : parts.splits())
        QVERIFY(split.outputs[0].dim < 2);
    const Split batch = parts.splits().front();
    const auto outside = callPart(parts.whole(), batch, 1, batch.extent + 1);
    QVERIFY(!outside);
    QCOMPARE(outside.error().kind, Error::Kind::Model);
    QVERIFY(outside.error().text().find("Resize cannot be computed in parts along dimension 1") !=
            std::string::npos);
}

void CallPartTest::cutsTwice()
{
    const OperatorCase whole("Conv", {Shape{4, 3, 9, 8}, Shape{4, 3, 3, 3}},
                             {ints("pads", {1, 1, 1, 1})});
    const Parts parts(whole.call());
    const auto splits = parts.splits();
    const auto along = [&](int dim) {
        return *std::ranges::find_if(
            splits, [dim](const Split &split) { return split.outputs[0].dim == dim; });
    };
    const auto rows = callPart(parts.whole(), along(2), 3, 6);
    QVERIFY(rows);
    const auto split = splitLike(*rows, along(0));
    QVERIFY(split);
    const auto both = callPart(*rows, *split, 1, 3);
    QVERIFY(both);
    QCOMPARE(text(*both->description.values[0].shape), std::string("2x4x3x8"));
    QVERIFY(both->node.attributes.integers("pads") == (std::vector<std::int64_t>{0, 1, 0, 1}));
}

GRAPHLOOM_TESTS(CallPartTest)

} // namespace graphloom::test::call_part_test

#include "call_part_test.moc"

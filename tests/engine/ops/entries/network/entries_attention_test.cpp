// SPDX-License-Identifier: Apache-2.0
// Attention, against the same computed by plain loops.
#include "engine/ops/describe/stage.h"
#include "tests/support/operator_case.h"
#include "tests/support/operator_run.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>

namespace graphloom::test::entries_attention_test {

namespace {

using Reals = std::vector<double>;

constexpr int sequences = 2, length = 3, inner = 4, heads = 2;
constexpr int queryWidth = 4, valueWidth = 6, columns = 2 * queryWidth + valueWidth;

/// Numbers that look irregular.
Reals numbersFrom(int count, double start)
{
    Reals values;
    for (int i = 0; i < count; ++i)
        values.push_back(std::sin(start + 1.7 * i));
    return values;
}

/// May source position s look at t of batch b, and what is added to their score?
struct Rules {
    std::function<bool(int b, int s, int t)> isHidden = [](int, int, int) { return false; };
    std::function<double(int n, int s, int t)> bias = [](int, int, int) { return 0.0; };
    bool causal = false;
    double scale = 1 / std::sqrt(double(queryWidth) / heads);
};

Reals attended(const Reals &x, const Reals &w, const Reals &b, const Rules &rules)
{
    const auto projected = [&](int item, int position, int column) {
        double sum = b[std::size_t(column)];
        for (int d = 0; d < inner; ++d)
            sum += x[std::size_t((item * length + position) * inner + d)] *
                   w[std::size_t(d * columns + column)];
        return sum;
    };
    const int q = queryWidth / heads, v = valueWidth / heads;
    Reals result;
    for (int item = 0; item < sequences; ++item)
        for (int s = 0; s < length; ++s)
            for (int n = 0; n < heads; ++n) {
                double scores[length], sum = 0;
                for (int t = 0; t < length; ++t) {
                    double score = 0;
                    for (int h = 0; h < q; ++h)
                        score += projected(item, s, n * q + h) *
                                 projected(item, t, queryWidth + n * q + h);
                    score = score * rules.scale + rules.bias(n, s, t) +
                            (rules.isHidden(item, s, t) ? -10000 : 0);
                    sum += scores[t] = rules.causal && t > s ? 0 : std::exp(score);
                }
                for (int h = 0; h < v; ++h) {
                    double value = 0;
                    for (int t = 0; t < length; ++t)
                        value += scores[t] / sum * projected(item, t, 2 * queryWidth + n * v + h);
                    result.push_back(value);
                }
            }
    return result;
}

const Reals xs = numbersFrom(sequences * length * inner, 0), ws = numbersFrom(inner * columns, 1),
            bs = numbersFrom(columns, 2);

std::vector<OperatorRun::Input> inputs(std::vector<OperatorRun::Input> more = {})
{
    std::vector<OperatorRun::Input> all{floats({sequences, length, inner}, xs),
                                        floats({inner, columns}, ws), floats({columns}, bs)};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

std::vector<Attribute> attributes(std::vector<Attribute> more = {})
{
    more.push_back({"num_heads", std::int64_t(heads)});
    more.push_back(
        {"qkv_hidden_sizes", std::vector<std::int64_t>{queryWidth, queryWidth, valueWidth}});
    return more;
}

TensorData int32s(TensorData::Extents extents, const Reals &values)
{
    return numbers(DataType::Int32, std::move(extents), values);
}

/// "" when the call gives what the loops give.
QString difference(const OperatorRun &call, const Rules &rules)
{
    const auto outputs = call.run();
    if (!outputs)
        return QString::fromStdString(outputs.error().text());
    const TensorData &y = outputs->front();
    if (y.extents() != TensorData::Extents{sequences, length, valueWidth})
        return "is " + textOf(y);
    const Reals expected = attended(xs, ws, bs, rules);
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (!(std::fabs(y.real(std::int64_t(i)) - expected[i]) < 1e-5))
            return QString("element %1 is %2 instead of %3")
                .arg(i)
                .arg(y.real(std::int64_t(i)))
                .arg(expected[i]);
    return {};
}

const std::string op = "com.microsoft.Attention";

} // namespace

class EntriesAttentionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void plain();
    void scaleAndBias();
    void causal();
    void masks_data();
    void masks();
    void continuesFromThePast();
    void equalWidthsNeedNotBeStated();
    void formsWithoutStages();
    void refusals();
};

void EntriesAttentionTest::plain()
{
    const OperatorRun call(op, inputs(), attributes(), 1, 1);
    QCOMPARE(difference(call, {}), QString());
    QVERIFY(!call.describe()->isOpaque());
    QVERIFY(mappingType(*call.describe(), 0, 0) == MappingType::ManyToMany);
}

void EntriesAttentionTest::scaleAndBias()
{
    const Reals bias = numbersFrom(heads * length * length, 3);
    Rules rules;
    rules.scale = 0.25;
    rules.bias = [&](int n, int s, int t) {
        return bias[std::size_t((n * length + s) * length + t)];
    };
    const OperatorRun call(
        op, inputs({std::nullopt, std::nullopt, floats({1, heads, length, length}, bias)}),
        attributes({{"scale", 0.25f}}), 1, 1);
    QCOMPARE(difference(call, rules), QString());
}

void EntriesAttentionTest::causal()
{
    Rules rules;
    rules.causal = true;
    const OperatorRun call(op, inputs(), attributes({{"unidirectional", std::int64_t(1)}}), 1, 1);
    QCOMPARE(difference(call, rules), QString());
}

void EntriesAttentionTest::masks_data()
{
    QTest::addColumn<QList<qint64>>("extents");
    QTest::addColumn<QList<double>>("values");
    QTest::addColumn<QString>("hidden"); // batch by source by target
    QTest::newRow("bits") << QList<qint64>{2, 3} << QList<double>{1, 0, 1, 1, 1, 0}
                          << "010010010001001001";
    QTest::newRow("bits by source")
        << QList<qint64>{2, 3, 3}
        << QList<double>{1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 1}
        << "011001000000100110";
    QTest::newRow("bits up to a greatest position")
        << QList<qint64>{2, 1, 4, 4}
        << QList<double>{1, 0, 0, 9, 1, 1, 0, 9, 1, 1, 1, 9, 9, 9, 9, 9,
                         1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0}
        << "011001000000100110";
    QTest::newRow("ends") << QList<qint64>{2} << QList<double>{3, 1} << "000000000011011011";
    QTest::newRow("ends and starts")
        << QList<qint64>{4} << QList<double>{3, 2, 1, 0} << "100100100001001001";
}

void EntriesAttentionTest::masks()
{
    QFETCH(QList<qint64>, extents);
    QFETCH(QList<double>, values);
    QFETCH(QString, hidden);
    Rules rules;
    rules.isHidden = [&](int b, int s, int t) {
        return hidden[(b * length + s) * length + t] == '1';
    };
    const TensorData mask =
        int32s({extents.begin(), extents.end()}, Reals(values.begin(), values.end()));
    QCOMPARE(difference(OperatorRun(op, inputs({mask}), attributes(), 1, 1), rules), QString());
}

/// The last positions, given keys and values of the first, attend as in the whole sequence.
void EntriesAttentionTest::continuesFromThePast()
{
    constexpr int width = 4, head = width / heads, first = 1, rest = length - first;
    const Reals weights = numbersFrom(inner * 3 * width, 4);
    const auto run = [&](const Reals &x, int positions, OperatorRun::Input past,
                         OperatorRun::Input mask) {
        return *OperatorRun(
                    op,
                    {floats({1, positions, inner}, x), floats({inner, 3 * width}, weights),
                     std::nullopt, std::move(mask), std::move(past)},
                    {{"num_heads", std::int64_t(heads)}, {"unidirectional", std::int64_t(1)}}, 2, 1)
                    .run();
    };
    const Reals x(xs.begin(), xs.begin() + length * inner);
    const TensorData mask = int32s({1, length}, {1, 0, 1});
    const auto whole = run(x, length, std::nullopt, mask);
    const TensorData &present = whole[1];
    QCOMPARE(present.extents(), (TensorData::Extents{2, 1, heads, length, head}));
    Reals past;
    for (int row = 0; row < 2 * heads; ++row)
        for (int i = 0; i < first * head; ++i)
            past.push_back(present.real(row * length * head + i));
    const auto continued = run({x.begin() + first * inner, x.end()}, rest,
                               floats({2, 1, heads, first, head}, past), mask);
    for (int i = 0; i < rest * width; ++i)
        QVERIFY(std::fabs(continued[0].real(i) - whole[0].real(first * width + i)) < 1e-5);
    QCOMPARE(textOf(continued[1], 5), textOf(present, 5));
}

void EntriesAttentionTest::equalWidthsNeedNotBeStated()
{
    const TensorData x = floats({1, 2, 2}, {1, 2, 3, 4});
    const TensorData weights = floats({2, 6}, {0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1});
    // All scores are 0: the mean over both positions.
    QCOMPARE(OperatorRun(op, {x, weights}, {{"num_heads", std::int64_t(1)}}, 1, 1).result(),
             QString("float 1x2x2: 2 3 2 3"));
}

void EntriesAttentionTest::formsWithoutStages()
{
    const auto described = [](std::vector<OperatorRun::Input> more,
                              std::string attribute = "none") {
        return *OperatorRun(op, inputs(std::move(more)),
                            attributes({{std::move(attribute), std::int64_t(1)}}), 1, 1)
                    .describe();
    };
    QVERIFY(described({}, "do_rotary").opaque.starts_with("rotary"));
    QVERIFY(described({}, "past_present_share_buffer").opaque.starts_with("a past that shares"));
    const Description masked = described({int32s({2, 2, 3, 3}, Reals(36, 1))});
    QVERIFY(masked.isOpaque());
    QCOMPARE(QString::fromStdString(text(*masked.values[0].shape)), QString("2x3x6"));
}

void EntriesAttentionTest::refusals()
{
    const auto refusal = [](std::vector<OperatorRun::Input> given, std::vector<Attribute> more) {
        return OperatorRun(op, std::move(given), std::move(more), 1, 1).refusal();
    };
    const TensorData x = floats({1, 1, 2}, {1, 2}), w = floats({2, 6}, Reals(12, 0));
    const auto headsAre = [](std::int64_t count) {
        return std::vector<Attribute>{{"num_heads", count}};
    };
    QVERIFY(refusal({x, w}, headsAre(0)).contains("0 heads"));
    QVERIFY(refusal({x, w}, headsAre(3)).contains("3 heads"));
    QVERIFY(refusal({x, floats({3, 6}, Reals(18, 0))}, headsAre(1)).contains("do not match"));
    QVERIFY(refusal({x, w, floats({5}, Reals(5, 0))}, headsAre(1)).contains("do not match"));
    QVERIFY(refusal({floats({1, 2}, {1, 2}), w}, headsAre(1)).contains("three and two dimensions"));
    QVERIFY(refusal({x, w, std::nullopt, std::nullopt, std::nullopt, floats({1}, {0})}, headsAre(1))
                .contains("four dimensions"));
    QVERIFY(refusal({x, w, std::nullopt, std::nullopt, floats({2, 1, 1, 1, 3}, Reals(6, 0))},
                    headsAre(1))
                .contains("past of shape 2x1x1x1x3"));
    QVERIFY(OperatorRun(op, inputs(), attributes(), 2, 1).refusal().contains("their widths are"));
}

GRAPHLOOM_TESTS(EntriesAttentionTest)

} // namespace graphloom::test::entries_attention_test

#include "entries_attention_test.moc"

// SPDX-License-Identifier: Apache-2.0
// Deformable convolution, against the same computed by plain loops and against Conv.
#include "tests/support/operator_case.h"
#include "tests/support/operator_run.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>

namespace graphloom::test::entries_deformation_test {

namespace {

using Reals = std::vector<double>;

/// Numbers that look irregular, in single precision.
Reals numbersFrom(int count, double start, double scale = 1)
{
    Reals values;
    for (int i = 0; i < count; ++i)
        values.push_back(float(scale * std::sin(start + 1.7 * i)));
    return values;
}

struct Sizes {
    int batch = 1, channels = 1, rows = 1, columns = 1, outputs = 1, kernel = 1, groups = 1,
        offsetGroups = 1, stride = 1, pad = 0;
    int outRows() const { return (rows + 2 * pad - kernel) / stride + 1; }
    int outColumns() const { return (columns + 2 * pad - kernel) / stride + 1; }
    int positions() const { return outRows() * outColumns(); }
    int elements() const { return kernel * kernel * offsetGroups; }
    std::vector<Attribute> attributes() const
    {
        const std::int64_t p = pad, s = stride;
        return {{"group", std::int64_t(groups)},
                {"offset_group", std::int64_t(offsetGroups)},
                {"strides", std::vector<std::int64_t>{s, s}},
                {"pads", std::vector<std::int64_t>{p, p, p, p}}};
    }
};

double sampled(const Sizes &z, const double *plane, double y, double x)
{
    double sum = 0;
    for (const int dy : {0, 1})
        for (const int dx : {0, 1}) {
            const double row = std::floor(y) + dy, column = std::floor(x) + dx;
            if (row >= 0 && row < z.rows && column >= 0 && column < z.columns)
                sum += (1 - std::fabs(y - row)) * (1 - std::fabs(x - column)) *
                       plane[int(row) * z.columns + int(column)];
        }
    return sum;
}

Reals deformed(const Sizes &z, const Reals &xs, const Reals &ws, const Reals &offsets,
               const Reals &bias, const Reals &mask)
{
    Reals result;
    const int perGroup = z.channels / z.groups, k = z.kernel;
    for (int n = 0; n < z.batch; ++n)
        for (int o = 0; o < z.outputs; ++o)
            for (int at = 0; at < z.positions(); ++at) {
                double sum = bias[std::size_t(o)];
                for (int i = 0; i < perGroup; ++i)
                    for (int e = 0; e < k * k; ++e) {
                        const int channel = o / (z.outputs / z.groups) * perGroup + i;
                        const int element = channel / (z.channels / z.offsetGroups) * k * k + e;
                        const auto offset = [&](int part) {
                            return offsets[std::size_t(
                                ((n * z.elements() + element) * 2 + part) * z.positions() + at)];
                        };
                        const double y = at / z.outColumns() * z.stride - z.pad + e / k + offset(0);
                        const double x = at % z.outColumns() * z.stride - z.pad + e % k + offset(1);
                        const double *plane =
                            &xs[std::size_t((n * z.channels + channel) * z.rows * z.columns)];
                        sum += sampled(z, plane, y, x) *
                               ws[std::size_t((o * perGroup + i) * k * k + e)] *
                               mask[std::size_t((n * z.elements() + element) * z.positions() + at)];
                    }
                result.push_back(sum);
            }
    return result;
}

} // namespace

class EntriesDeformationTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void isConvolutionWithoutOffsets();
    void againstLoops();
    void farOffsets();
    void refusals();
};

void EntriesDeformationTest::isConvolutionWithoutOffsets()
{
    const TensorData x = floats({1, 2, 4, 5}, numbersFrom(40, 0));
    const TensorData w = floats({2, 2, 3, 3}, numbersFrom(36, 1));
    const std::vector<Attribute> pads{{"pads", std::vector<std::int64_t>{1, 0, 0, 1}},
                                      {"strides", std::vector<std::int64_t>{2, 1}},
                                      {"dilations", std::vector<std::int64_t>{1, 2}}};
    const OperatorRun plain("Conv", {x, w}, pads);
    const TensorData none = floats({1, 18, 2, 2}, Reals(72, 0));
    const OperatorRun call("DeformConv", {x, w, none}, pads, 1, 19);
    QCOMPARE(call.result(0, 5), plain.result(0, 5));
}

void EntriesDeformationTest::againstLoops()
{
    const Sizes z{.batch = 2,
                  .channels = 4,
                  .rows = 5,
                  .columns = 4,
                  .outputs = 4,
                  .kernel = 2,
                  .groups = 2,
                  .offsetGroups = 2,
                  .stride = 1,
                  .pad = 1};
    const Reals x = numbersFrom(2 * 4 * 20, 0), w = numbersFrom(4 * 2 * 4, 1),
                b = numbersFrom(4, 2),
                offsets = numbersFrom(2 * z.elements() * 2 * z.positions(), 3, 1.5),
                mask = numbersFrom(2 * z.elements() * z.positions(), 4);
    const auto positions = [&](std::int64_t channels) {
        return TensorData::Extents{2, channels, z.outRows(), z.outColumns()};
    };
    const OperatorRun call("DeformConv",
                           {floats({2, 4, 5, 4}, x), floats({4, 2, 2, 2}, w),
                            floats(positions(2 * z.elements()), offsets), floats({4}, b),
                            floats(positions(z.elements()), mask)},
                           z.attributes(), 1, 19);
    const auto outputs = call.run();
    QVERIFY2(outputs, outputs ? "" : outputs.error().text().c_str());
    const Reals expected = deformed(z, x, w, offsets, b, mask);
    QCOMPARE(std::size_t(outputs->front().elements()), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        QVERIFY2(std::fabs(outputs->front().real(std::int64_t(i)) - expected[i]) < 1e-5,
                 qPrintable(QString("element %1").arg(i)));
}

void EntriesDeformationTest::farOffsets()
{
    // Elements: half inside, outside by one, far outside, and nowhere.
    const TensorData offsets = floats({1, 2, 1, 4}, {0, 0, 0, 0, -0.5, -2, 1e30, std::nan("")});
    QCOMPARE(OperatorRun("DeformConv",
                         {floats({1, 1, 1, 4}, {8, 1, 1, 1}), floats({1, 1, 1, 1}, {1}), offsets},
                         {}, 1, 19)
                 .result(),
             QString("float 1x1x1x4: 4 0 0 0"));
}

void EntriesDeformationTest::refusals()
{
    const auto refusal = [](std::vector<Given> inputs, std::vector<Attribute> attributes = {}) {
        const auto described =
            OperatorCase("DeformConv", std::move(inputs), std::move(attributes), 1, 19).describe();
        return described ? QString() : QString::fromStdString(described.error().message);
    };
    const Given x(Shape{1, 2, 4, 4}), w(Shape{3, 2, 2, 2}), offset(Shape{1, 8, 3, 3});
    QVERIFY(refusal({x, w, offset}).isEmpty());
    QVERIFY(refusal({x, w, Shape{1, 4, 3, 3}}).contains("4 elements of the window"));
    QVERIFY(refusal({x, w, Shape{1, 8, 2, 3}}).contains("the shape of its result"));
    QVERIFY(refusal({x, w, offset, Shape{2}}).contains("bias of shape 2"));
    QVERIFY(refusal({x, w, offset, Shape{3}, Shape{1, 8, 3, 3}}).contains("offset or mask"));
    QVERIFY(refusal({x, w, offset}, {{"group", std::int64_t(2)}}).contains("2 groups"));
    QVERIFY(
        refusal({x, w, offset}, {{"offset_group", std::int64_t(0)}}).contains("0 offset groups"));
    QVERIFY(refusal({Shape{1, 2, 4}, w, offset}).contains("must have four dimensions"));
}

GRAPHLOOM_TESTS(EntriesDeformationTest)

} // namespace graphloom::test::entries_deformation_test

#include "entries_deformation_test.moc"

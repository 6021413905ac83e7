// SPDX-License-Identifier: Apache-2.0
// Normalizations over groups, axes and lines: shapes, mapping types, refusals, values by hand.
#include "tests/support/attribute.h"
#include "tests/support/operator_case.h"
#include "tests/support/operator_run.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::entries_statistics_test {

namespace {
const Attribute exact{"epsilon", 0.f};

} // namespace

class EntriesStatisticsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void groupsOfChannels();
    void groupParametersBeforeVersion21();
    void halfPrecisionIsGatheredInFloat();
    void meanAndVarianceOverAxes();
    void lines();
    void meanOfSquares();
    void shapesStaySymbolic();
    void refusals();
};

void EntriesStatisticsTest::groupsOfChannels()
{
    // Two groups of two channels with one position: -1, 1 around the mean of each.
    const TensorData x = floats({1, 4, 1}, {1, 3, 10, 30});
    const OperatorRun call("GroupNormalization",
                           {x, floats({4}, {1, 2, 1, 2}), floats({4}, {0, 0, 5, 5})},
                           {integer("num_groups", 2), exact}, 1, 21);
    QCOMPARE(call.result(), QString("float 1x4x1: -1 2 4 7"));
}

void EntriesStatisticsTest::groupParametersBeforeVersion21()
{
    const TensorData x = floats({1, 4, 1}, {1, 3, 10, 30});
    const std::vector<Attribute> attributes{integer("num_groups", 2), exact};
    const OperatorRun call("GroupNormalization", {x, floats({2}, {1, 2}), floats({2}, {0, 5})},
                           attributes, 1, 18);
    QCOMPARE(call.result(), QString("float 1x4x1: -1 1 3 7"));
    const OperatorRun newer("GroupNormalization", {x, floats({2}, {1, 2}), floats({2}, {0, 5})},
                            attributes, 1, 21);
    QVERIFY2(newer.refusal().contains("one number for each channel"), qPrintable(newer.refusal()));
}

void EntriesStatisticsTest::halfPrecisionIsGatheredInFloat()
{
    // The sum of 4096 times 17 does not fit into half precision.
    const TensorData x = numbers(DataType::Float16, {1, 4096}, std::vector<double>(4096, 17));
    const OperatorRun call("MeanVarianceNormalization", {x},
                           {{"axes", std::vector<std::int64_t>{1}}});
    const auto outputs = call.run();
    QVERIFY2(outputs, outputs ? "" : outputs.error().text().c_str());
    QCOMPARE(outputs->front().type(), DataType::Float16);
    QCOMPARE(outputs->front().real(7), 0.0);
}

void EntriesStatisticsTest::meanAndVarianceOverAxes()
{
    const TensorData x = floats({2, 2, 1, 1}, {1, 10, 3, 30});
    QCOMPARE(OperatorRun("MeanVarianceNormalization", {x}).result(),
             QString("float 2x2x1x1: -1 -1 1 1"));
    const OperatorRun over("MeanVarianceNormalization", {x},
                           {{"axes", std::vector<std::int64_t>{-3}}});
    QCOMPARE(over.result(), QString("float 2x2x1x1: -1 1 -1 1"));
}

void EntriesStatisticsTest::lines()
{
    const TensorData x = floats({2, 2}, {3, -4, 0, 0});
    QCOMPARE(OperatorRun("LpNormalization", {x}).result(), QString("float 2x2: 0.6 -0.8 0 0"));
    QCOMPARE(OperatorRun("LpNormalization", {x}, {integer("p", 1), integer("axis", 0)}).result(),
             QString("float 2x2: 1 -1 0 0"));
}

void EntriesStatisticsTest::meanOfSquares()
{
    const OperatorRun call("RMSNormalization", {floats({1, 2}, {1, 7}), floats({2}, {5, 10})},
                           {exact}, 1, 23);
    QCOMPARE(call.result(), QString("float 1x2: 1 14"));
}

void EntriesStatisticsTest::shapesStaySymbolic()
{
    const Shape x{Dim::symbol("n"), 8, Dim::symbol("h"), 5};
    const OperatorCase groups("GroupNormalization", {x, Given::weights({8}), Given::weights({8})},
                              {integer("num_groups", 4)}, 1, 21);
    QCOMPARE(QString::fromStdString(groups.shape()), QString("nx8xhx5"));
    QCOMPARE(groups.mapping(), MappingType::ManyToMany);
    // The batch is not gathered, so that it can be split.
    bool batch = false;
    for (const DimensionEdge &edge : dimensionEdges(groups.description()))
        batch = batch || (edge.input == 0 && edge.inputDim == 0 && edge.outputDim == 0);
    QVERIFY(batch);
    const OperatorCase lines("LpNormalization", {x});
    QCOMPARE(QString::fromStdString(lines.shape()), QString("nx8xhx5"));
}

void EntriesStatisticsTest::refusals()
{
    const TensorData x = floats({1, 4, 1}, {1, 3, 10, 30}), four = floats({4}, {1, 1, 1, 1});
    const auto refused = [](const OperatorRun &call, const char *reason) {
        if (!call.refusal().contains(reason))
            qWarning("%s", qPrintable(call.refusal()));
        return call.refusal().contains(reason);
    };
    QVERIFY(refused({"GroupNormalization", {x, four, four}, {integer("num_groups", 3)}, 1, 21},
                    "into 3 groups"));
    QVERIFY(refused({"GroupNormalization", {x, four, four}, {}, 1, 21}, "into 0 groups"));
    QVERIFY(refused({"MeanVarianceNormalization", {x}}, "axis 3 is not a dimension"));
    QVERIFY(refused({"LpNormalization", {x}, {integer("p", 3)}}, "must be 1 or 2, not 3"));
    QVERIFY(refused({"LpNormalization", {x}, {integer("axis", 3)}}, "axis 3"));
    QVERIFY(
        refused({"RMSNormalization", {x, floats({2}, {1, 1})}, {}, 1, 23}, "cannot be broadcast"));
}

GRAPHLOOM_TESTS(EntriesStatisticsTest)

} // namespace graphloom::test::entries_statistics_test

#include "entries_statistics_test.moc"

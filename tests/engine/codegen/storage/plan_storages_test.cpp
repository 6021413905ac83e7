// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/emit/plan_kernels.h"
#include "tests/support/kernel_batch.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::plan_storages_test {

using graphloom::test::Sketch;

class PlanStoragesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void featureMapsHaveChannelsLast();
    void thePlanDecides();
    void outputsAreAsOnnxHasThem();

private:
    std::vector<std::int64_t> stridesOf(TensorId tensor, const std::map<TensorId, Layout> &layouts)
    {
        GenerateOptions options;
        options.target = {8, 16, 1};
        options.layouts = layouts;
        const auto made = generateKernels(m_graph, test::KernelBatch().opsets(),
                                          test::nodeBlocks(m_graph), options);
        return made ? made->storages.tensors.at(tensor).strides : std::vector<std::int64_t>();
    }

    Graph m_graph; // two pointwise convolutions
    TensorId m_between, m_result;
};

void PlanStoragesTest::initTestCase()
{
    Sketch g;
    const TensorId x = g.input("x", {1, 16, 6, 10});
    const TensorId between = g.call("Conv", {x, g.weight({24, 16, 1, 1})});
    m_graph = g.finish({g.call("Conv", {between, g.weight({8, 24, 1, 1})})});
    m_result = m_graph.outputs()[0];
    m_between = m_graph.node(m_graph.producer(m_result)).inputs[0];
}

void PlanStoragesTest::featureMapsHaveChannelsLast()
{
    QCOMPARE(stridesOf(m_between, {}), (std::vector<std::int64_t>{24 * 60, 1, 24 * 10, 24}));
}

void PlanStoragesTest::thePlanDecides()
{
    QCOMPARE(stridesOf(m_between, {{m_between, Layout::ChannelsFirst}}),
             (std::vector<std::int64_t>{24 * 60, 60, 10, 1}));
}

void PlanStoragesTest::outputsAreAsOnnxHasThem()
{
    QCOMPARE(stridesOf(m_result, {{m_result, Layout::ChannelsLast}}),
             (std::vector<std::int64_t>{8 * 60, 60, 10, 1}));
}

GRAPHLOOM_TESTS(PlanStoragesTest)

} // namespace graphloom::test::plan_storages_test

#include "plan_storages_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/phase_model.h"

#include "engine/tuning/phase_space.h"
#include "tests/support/graph_maker.h"
#include "tests/support/kernel_batch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::phase_model_test {

namespace {

const Device &phone()
{
    return *findDevice("phone-cpu");
}

} // namespace

class PhaseModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void moreWorkTakesLonger();
    void threadsShareTheWork();
    void smallTilesTakeLonger();
    void missingRegistersCost();
    void operandsThatComeAgainCost();
    void allSchedulesHaveATime();
    void sumsOverNothingHaveATime();

private:
    static PlanKernels product(std::int64_t rows, std::int64_t depth, std::int64_t columns)
    {
        GraphMaker make;
        const TensorId x = make.input("x", {rows, depth});
        const TensorId w = make.constant(
            "w", floats({depth, columns}, std::vector<float>(std::size_t(depth * columns), 1)));
        const Graph graph = make.finish({make.call("MatMul", {x, w}, {rows, columns})});
        GenerateOptions options;
        options.target = target();
        auto made = generateKernels(graph, KernelBatch().opsets(), nodeBlocks(graph), options);
        if (!made)
            qFatal("%s", made.error().text().c_str());
        return *std::move(made);
    }
    static ScheduleTarget target(int threads = 1)
    {
        return {.lanes = 4, .vectorRegisters = 32, .threads = threads};
    }
    static double seconds(const PlanKernels &kernels, int threads = 1)
    {
        const BlockKernel &kernel = *kernels.kernels.front();
        return modelledPhaseTimes(phone(), target(threads))(kernel, PhaseIndex(0),
                                                            schedulesOf(kernel, PhaseIndex(0)))
            .seconds;
    }
    /// Returns the time of the product with the schedule by default, but for these choices.
    double secondsWith(const std::function<void(ScheduleChoice &)> &change) const
    {
        const BlockKernel &kernel = *m_product.kernels.front();
        const PhaseSpace space(kernel, PhaseIndex(0), target());
        PhaseChoice choice = space.start();
        change(choice.front());
        const auto schedules = space.schedules(choice);
        return modelledPhaseTimes(phone(), target())(kernel, PhaseIndex(0), schedules.span())
            .seconds;
    }

    PlanKernels m_product; // operands of 1 MiB and 4 MiB
};

void PhaseModelTest::initTestCase()
{
    m_product = product(256, 1024, 1024);
}

void PhaseModelTest::moreWorkTakesLonger()
{
    QVERIFY(seconds(product(256, 1024, 512)) < seconds(m_product));
}

void PhaseModelTest::threadsShareTheWork()
{
    QVERIFY(seconds(m_product, 4) < 0.5 * seconds(m_product));
}

void PhaseModelTest::smallTilesTakeLonger()
{
    QVERIFY(secondsWith([](ScheduleChoice &choice) { choice.rows = choice.vectors = 1; }) >
            1.5 * seconds(m_product));
}

void PhaseModelTest::missingRegistersCost()
{
    const auto withRows = [this](int rows) {
        return secondsWith([rows](ScheduleChoice &choice) {
            choice.rows = rows;
            choice.vectors = 4;
        });
    };
    QVERIFY(withRows(12) > 1.2 * withRows(6));
}

/// With rows outside, all of the weights come from memory again for each tile of rows.
void PhaseModelTest::operandsThatComeAgainCost()
{
    const auto with = [this](int order) {
        return secondsWith([order](ScheduleChoice &choice) {
            choice.rows = 6;
            choice.vectors = 4;
            choice.order = order;
        });
    };
    QVERIFY(with(1) > 1.01 * with(2));
}

void PhaseModelTest::allSchedulesHaveATime()
{
    const BlockKernel &kernel = *m_product.kernels.front();
    const PhaseSpace space(kernel, PhaseIndex(0), target());
    const PhaseTimes times = modelledPhaseTimes(phone(), target());
    for (const PhaseChoice &choice : space.neighbours(space.start(), 2)) {
        const auto schedules = space.schedules(choice);
        const double time = times(kernel, PhaseIndex(0), schedules.span()).seconds;
        QVERIFY2(time > 0 && time < 10, textOf(schedules.span()).c_str());
    }
}

/// A sum over nothing has no steps, and perhaps loops without iterations.
void PhaseModelTest::sumsOverNothingHaveATime()
{
    const double time = seconds(product(64, 0, 16));
    QVERIFY(time > 0);
    QVERIFY(time < seconds(product(64, 64, 16)));
}

GRAPHLOOM_TESTS(PhaseModelTest)

} // namespace graphloom::test::phase_model_test

#include "phase_model_test.moc"

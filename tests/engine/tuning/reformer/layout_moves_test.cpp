// SPDX-License-Identifier: Apache-2.0
// Layouts that are changed where times say so. Kernels need not run for that.
#include "engine/tuning/reformer/layout_moves.h"
#include "engine/tuning/reformer/reformer.h"

#include "engine/fusion/blocks/layouts.h"
#include "engine/interpreter/interpreter.h"
#include "engine/runtime/executable.h"
#include "tests/engine/tuning/reformer/separable_plan.h"
#include "tests/support/kernel_batch.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <set>

namespace graphloom::test::layout_moves_test {

class LayoutMovesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void fasterLayoutsAreTaken();
    void reasonsGiveTheTimes();
    void slowerLayoutsAreNotTaken();
    void lockedBlocksKeepTheirs();
    void aBorderIsMoved();
    void resultsAreTheSame();

private:
    /// Returns the plan of the convolutions with the same layout in all blocks, or in those from
    /// `first` on, before which there is the other one. `locked` is locked; -1: none.
    Plan laidOut(Layout layout, std::size_t first = 0, int locked = -1) const
    {
        Plan plan = separablePlan();
        std::vector<Layout> layouts(plan.fusion->blocks.size(), otherThan(layout));
        std::fill(layouts.begin() + std::ptrdiff_t(first), layouts.end(), layout);
        FixedLayouts fixed(layouts.size());
        if (locked >= 0)
            fixed[std::size_t(locked)] = layouts[std::size_t(locked)];
        const auto facts = FusionFacts::of(plan.graph, opsetsOf(*plan.model), plan.fusion->limits,
                                           *plannedDevice(plan));
        plan.layouts = std::make_shared<const LayoutPlan>(layoutsOf(
            (*facts)->ecg(), *plan.fusion, (*facts)->merger().cost().device(), layouts, fixed));
        return plan;
    }
    /// Returns the symbols of the plan's kernels.
    std::set<std::string> symbolsIn(const Plan &plan) const
    {
        const auto kernels =
            StateGenerator(plan, m_target).kernels(kernelBlocksOf(plan), {}, {}, nullptr, {});
        std::set<std::string> symbols;
        for (const auto &kernel : kernels->kernels)
            for (const BlockKernel::Phase &phase : kernel->phases)
                symbols.insert(phase.symbol);
        return symbols;
    }
    /// Returns the plan as it is tuned if kernels that this one has take half the time of others.
    Plan tuned(const Plan &plan, const Plan &fast) const
    {
        PlanTunerOptions options;
        options.seconds = 3000; // ends by itself: there is little to try
        options.trialsPerPhase = 1;
        options.times = [symbols = symbolsIn(fast)](const BlockKernel &kernel, PhaseIndex phase,
                                                    const GroupSchedules &) {
            const double seconds = symbols.contains(kernel.phases[phase].symbol) ? 1e-3 : 2e-3;
            return PhaseTime{seconds, seconds};
        };
        Plan apart = plan;
        auto fusion = *plan.fusion;
        fusion.limits.contractions = BlockLimits::Contractions::One; // nothing is joined
        apart.fusion = std::make_shared<const FusionPlan>(std::move(fusion));
        const auto reformed =
            reformedPlan(apart, {"host", Provenance::Modelled, m_target}, options);
        if (!reformed)
            qFatal("%s", reformed.error().text().c_str());
        return reformed->plan;
    }
    /// Returns how many blocks have the layout.
    static std::ptrdiff_t count(const Plan &plan, Layout layout)
    {
        return std::ranges::count(plan.layouts->blocks, layout, &LayoutPlan::Choice::layout);
    }
    static std::ptrdiff_t blockCount(const Plan &plan)
    {
        return std::ptrdiff_t(plan.layouts->blocks.size());
    }

    ScheduleTarget m_target;
    std::optional<Plan> m_moved; // from one layout in all blocks to the other
};

void LayoutMovesTest::initTestCase()
{
    m_target = scheduleTargetOf(testedSet());
    m_moved = tuned(laidOut(Layout::ChannelsFirst), laidOut(Layout::ChannelsLast));
}

void LayoutMovesTest::fasterLayoutsAreTaken()
{
    QCOMPARE(count(*m_moved, Layout::ChannelsLast), blockCount(*m_moved));
}

void LayoutMovesTest::reasonsGiveTheTimes()
{
    for (const LayoutPlan::Choice &choice : m_moved->layouts->blocks)
        QVERIFY2(choice.measured.starts_with("with its neighbours: channels last ") &&
                     choice.measured.find(", channels first ") != std::string::npos,
                 choice.measured.c_str());
}

void LayoutMovesTest::slowerLayoutsAreNotTaken()
{
    const Plan plan = laidOut(Layout::ChannelsFirst);
    QCOMPARE(count(tuned(plan, plan), Layout::ChannelsLast), 0);
}

void LayoutMovesTest::lockedBlocksKeepTheirs()
{
    constexpr int locked = 5;
    const Plan plan =
        tuned(laidOut(Layout::ChannelsFirst, 0, locked), laidOut(Layout::ChannelsLast));
    // Others may have been joined.
    const auto &choice = plan.layouts->blocks[plan.fusion->blockOf(plan.graph.order()[locked])];
    QCOMPARE(choice.layout, Layout::ChannelsFirst);
    QVERIFY(choice.locked);
}

/// A region that is too large for one move is changed from its border on.
void LayoutMovesTest::aBorderIsMoved()
{
    const Plan before = laidOut(Layout::ChannelsLast, 9);
    const Plan plan = tuned(before, laidOut(Layout::ChannelsLast));
    QVERIFY(count(plan, Layout::ChannelsLast) > count(before, Layout::ChannelsLast));
}

void LayoutMovesTest::resultsAreTheSame()
{
    const auto compiler = findCCompiler();
    if (!compiler)
        QSKIP("needs gcc or clang");
    if (const std::string reason = whyNotRun(); !reason.empty())
        QSKIP(reason.c_str());
    const QTemporaryDir folder;
    KernelCache cache(folder.path().toStdString(), std::uint64_t{1} << 30);
    ExecutableOptions build;
    build.target = m_target;
    build.layouts = m_moved->layouts->tensors;
    build.compiler = &*compiler;
    build.cache = &cache;
    const auto executable = Executable::build(m_moved->graph, opsetsOf(*m_moved->model),
                                              kernelBlocksOf(*m_moved), build);
    QVERIFY2(executable, executable ? "" : executable.error().text().c_str());
    const auto inputs = randomInputs(m_moved->graph, 1);
    const auto expected = interpret(m_moved->graph, opsetsOf(*m_moved->model), *inputs);
    const auto outputs = (*executable)->run(*inputs);
    QVERIFY(outputs && expected);
    QVERIFY(compare((*expected)[0], (*outputs)[0]).maxRelError < 1e-5);
}

GRAPHLOOM_TESTS(LayoutMovesTest)

} // namespace graphloom::test::layout_moves_test

#include "layout_moves_test.moc"

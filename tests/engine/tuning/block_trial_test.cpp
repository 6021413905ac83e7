// SPDX-License-Identifier: Apache-2.0
// Sequences of kernels that are timed in turns.
#include "engine/tuning/block_trial.h"

#include "engine/tuning/reformer/tuning_state.h"
#include "tests/engine/tuning/product_kernels.h"
#include "tests/engine/tuning/reformer/separable_plan.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>

namespace graphloom::test::block_trial_test {

class BlockTrialTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void everySequenceHasItsTurns();
    void noTimeNoTimes();
    void memoryThatIsUsedAgainCountsOnce();

private:
    PhaseTunerOptions options()
    {
        PhaseTunerOptions options;
        options.compiler = &*m_compiler;
        options.cache = &*m_cache;
        options.seconds = 3000; // the turns end it, however slow the machine is
        return options;
    }
    /// One product, and two that are one after the other.
    std::vector<KernelSequence> sequences() const
    {
        const auto &kernels = m_products.kernels.kernels;
        return {{&*kernels[BlockIndex(0)]}, {&*kernels[BlockIndex(0)], &*kernels[BlockIndex(1)]}};
    }

    ProductKernels m_products;
    std::optional<CCompiler> m_compiler;
    QTemporaryDir m_folder;
    std::optional<KernelCache> m_cache;
};

void BlockTrialTest::initTestCase()
{
    m_products.findCompiler(m_compiler);
    if (m_compiler)
        m_cache.emplace(m_folder.path().toStdString(), std::uint64_t{1} << 30);
}

void BlockTrialTest::everySequenceHasItsTurns()
{
    const auto measured = measureInTurns(sequences(), m_products.target, options());
    QVERIFY2(measured, measured ? "" : measured.error().text().c_str());
    QCOMPARE(measured->size(), std::size_t(2));
    for (const TunedCandidate &candidate : *measured) {
        QCOMPARE(candidate.problem, std::string());
        QVERIFY2(candidate.samples >= 4 * 3, std::to_string(candidate.samples).c_str());
        QVERIFY(candidate.least > 0 && candidate.least <= candidate.seconds);
    }
}

void BlockTrialTest::noTimeNoTimes()
{
    PhaseTunerOptions none = options();
    none.seconds = 0;
    const auto measured = measureInTurns(sequences(), m_products.target, none);
    QVERIFY(measured);
    QCOMPARE(measured->front().samples, 0);
    QCOMPARE(measured->front().problem, std::string());
}

/// Four pairs of convolutions, of which each reads the result of the one before.
void BlockTrialTest::memoryThatIsUsedAgainCountsOnce()
{
    const Plan plan = separablePlan();
    const auto kernels =
        StateGenerator(plan, m_products.target).kernels(kernelBlocksOf(plan), {}, {}, nullptr, {});
    QVERIFY(kernels);
    constexpr std::int64_t map = 4 * 16 * 12 * 12, weights = 4 * 4 * (16 * 9 + 16 * 16);
    const std::int64_t bytes = bytesOfOneRun(*kernels);
    QVERIFY2(bytes >= 2 * map + weights, std::to_string(bytes).c_str());
    QVERIFY2(bytes < 4 * map + weights, std::to_string(bytes).c_str()); // it has thirteen
}

GRAPHLOOM_TESTS(BlockTrialTest)

} // namespace graphloom::test::block_trial_test

#include "block_trial_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/phase_tuner.h"

#include "tests/engine/tuning/product_kernels.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace graphloom::test::phase_tuner_test {

using graphloom::test::ProductKernels;

class PhaseTunerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void startIsMeasured();
    void bestIsNotSlowerThanTheStart();
    void everyTrialIsTold();

private:
    const ProductKernels m_products;
    QTemporaryDir m_folder;
    std::optional<CCompiler> m_compiler;
    std::optional<PhaseTuning> m_tuning;
    int m_told = 0;
};

void PhaseTunerTest::initTestCase()
{
    m_products.findCompiler(m_compiler);
    if (!m_compiler)
        return;
    KernelCache cache(m_folder.path().toStdString(), std::uint64_t{1} << 30);
    PhaseTunerOptions options;
    options.compiler = &*m_compiler;
    options.cache = &cache;
    options.seconds = 3000; // the trials end it, however slow the machine is
    options.trials = 10;
    options.measured = [this](const TunedCandidate &) { ++m_told; };
    auto tuning = tunePhase(m_products.first(), PhaseIndex(0), m_products.target, options);
    QVERIFY2(tuning, tuning ? "" : tuning.error().text().c_str());
    m_tuning = *std::move(tuning);
}

void PhaseTunerTest::startIsMeasured()
{
    QCOMPARE(m_tuning->start.problem, std::string());
    QVERIFY(m_tuning->start.samples > 0);
}

void PhaseTunerTest::bestIsNotSlowerThanTheStart()
{
    QVERIFY(m_tuning->best.least <= m_tuning->start.least);
}

void PhaseTunerTest::everyTrialIsTold()
{
    QCOMPARE(m_tuning->trials, 11); // with the start
    QCOMPARE(m_told, m_tuning->trials);
}

GRAPHLOOM_TESTS(PhaseTunerTest)

} // namespace graphloom::test::phase_tuner_test

#include "phase_tuner_test.moc"

// SPDX-License-Identifier: Apache-2.0
// Both strategies with all rules on random graphs.
#include "engine/interpreter/interpreter.h"
#include "engine/rewrite/drivers/rewrite.h"
#include "plugins/dnnfusion/rules/all_rules.h"
#include "tests/support/opsets.h"
#include "tests/support/random_formulas.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>

namespace graphloom::test::rewriting_test {

using graphloom::test::opset17;

namespace {

constexpr std::uint64_t rewriteSeeds = 150;

std::vector<Rule> exactRules()
{
    std::vector<Rule> rules;
    for (const Rule &rule : dnnfusion::allRules())
        if (rule.exact)
            rules.push_back(rule);
    return rules;
}

/// Where finite numbers are expected, what is given must be near; "" if it is.
QString difference(const TensorData &expected, const TensorData &actual)
{
    if (expected.extents() != actual.extents() || expected.type() != actual.type())
        return "type or shape differ";
    for (std::int64_t i = 0; i < expected.elements(); ++i) {
        const double want = expected.real(i), have = actual.real(i);
        // Sums and products of large numbers cancel in another order.
        if (std::isfinite(want) && std::fabs(want) < 1e8 &&
            !(std::fabs(want - have) <= 1e-5 * (1 + std::fabs(want))))
            return QString("%1 instead of %2").arg(have, 0, 'g', 12).arg(want, 0, 'g', 12);
    }
    return {};
}

QString rulesOf(const RewriteLog &log)
{
    QStringList names;
    for (const RewriteStep &step : log.steps)
        names << QString::fromStdString(step.rule);
    return names.join(", ");
}

constexpr std::size_t mostSteps = 200; // rewriting ends by itself long before

RewriteOptions with(RewriteOptions::Strategy strategy)
{
    RewriteOptions options;
    options.strategy = strategy;
    options.mostSteps = mostSteps;
    return options;
}

} // namespace

class RewritingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void keepsWhatGraphsCompute_data();
    void keepsWhatGraphsCompute();
    void saturationIsNeverWorse();
    void twiceIsOnce();
    void withoutAMatchNothingChanges();

private:
    const std::vector<Rule> m_rules = exactRules();
};

void RewritingTest::keepsWhatGraphsCompute_data()
{
    QTest::addColumn<int>("strategy");
    QTest::newRow("greedy") << int(RewriteOptions::Strategy::Greedy);
    QTest::newRow("equality saturation") << int(RewriteOptions::Strategy::EqualitySaturation);
}

void RewritingTest::keepsWhatGraphsCompute()
{
    QFETCH(int, strategy);
    std::size_t steps = 0;
    for (std::uint64_t seed = 0; seed < rewriteSeeds; ++seed) {
        Random random(seed);
        const Graph graph = randomFormulas(random, 16);
        const auto result =
            rewrite(graph, opset17, m_rules, with(RewriteOptions::Strategy(strategy)));
        QVERIFY2(result, result ? "" : result.error().text().c_str());
        QCOMPARE(defectOf(result->graph), "");
        QVERIFY2(result->log.steps.size() < mostSteps,
                 qPrintable(QString("seed %1: %2").arg(seed).arg(rulesOf(result->log).right(900))));
        steps += result->log.steps.size();
        const auto inputs = randomInputs(graph, seed);
        const auto expected = interpret(graph, opset17, *inputs);
        const auto actual = interpret(result->graph, opset17, *inputs);
        QVERIFY2(actual, actual ? "" : actual.error().text().c_str());
        for (std::size_t k = 0; k < expected->size(); ++k) {
            const QString differs = difference((*expected)[k], (*actual)[k]);
            QVERIFY2(
                differs.isEmpty(),
                qPrintable(
                    QString("seed %1: %2 after %3").arg(seed).arg(differs, rulesOf(result->log))));
            QCOMPARE(result->graph.tensor(result->graph.outputs()[k]).name,
                     graph.tensor(graph.outputs()[k]).name);
        }
    }
    QVERIFY(steps > rewriteSeeds); // it is not for want of matches
}

void RewritingTest::saturationIsNeverWorse()
{
    for (std::uint64_t seed = 0; seed < rewriteSeeds; ++seed) {
        Random random(seed);
        const Graph graph = randomFormulas(random, 16);
        const auto greedy =
            rewrite(graph, opset17, m_rules, with(RewriteOptions::Strategy::Greedy));
        const auto saturated =
            rewrite(graph, opset17, m_rules, with(RewriteOptions::Strategy::EqualitySaturation));
        QVERIFY(greedy && saturated);
        QVERIFY2(saturated->log.flopsAfter <= greedy->log.flopsAfter,
                 qPrintable(QString("seed %1").arg(seed)));
        QVERIFY(greedy->log.flopsAfter <= greedy->log.flopsBefore);
    }
}

void RewritingTest::twiceIsOnce()
{
    for (std::uint64_t seed = 0; seed < rewriteSeeds; ++seed) {
        Random random(seed);
        const auto once = rewrite(randomFormulas(random, 16), opset17, m_rules);
        QVERIFY(once);
        const auto twice = rewrite(once->graph, opset17, m_rules);
        QVERIFY(twice);
        QVERIFY2(once->graph.hash() == twice->graph.hash(),
                 qPrintable(QString("seed %1: %2").arg(seed).arg(rulesOf(twice->log))));
    }
}

void RewritingTest::withoutAMatchNothingChanges()
{
    Random random(1);
    const Graph graph = randomGraph(random);
    for (const auto strategy :
         {RewriteOptions::Strategy::Greedy, RewriteOptions::Strategy::EqualitySaturation}) {
        const auto result = rewrite(graph, opset17, {}, with(strategy));
        QVERIFY(result);
        QCOMPARE(result->graph.hash(), graph.hash());
        QVERIFY(result->log.steps.empty());
    }
}

GRAPHLOOM_TESTS(RewritingTest)

} // namespace graphloom::test::rewriting_test

#include "rewriting_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include "engine/base/min_cut.h"

#include "tests/support/test_program.h"

#include <QTest>
#include <random>

namespace graphloom::test::min_cut_test {

class MinCutTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void withoutArcsNothingIsCut();
    void theNarrowestPlaceOfAPath();
    void equalsTheBestOfAllCuts();
};

void MinCutTest::withoutArcsNothingIsCut()
{
    MinCut cut;
    const auto node = cut.addNode();
    QCOMPARE(cut.run(), 0.0);
    QVERIFY(!cut.onSourceSide(node));
}

void MinCutTest::theNarrowestPlaceOfAPath()
{
    MinCut cut;
    const auto a = cut.addNode(), b = cut.addNode();
    cut.addArc(0, a, 3);
    cut.addArc(a, b, 1);
    cut.addArc(b, 1, 2);
    QCOMPARE(cut.run(), 1.0);
    QVERIFY(cut.onSourceSide(a));
    QVERIFY(!cut.onSourceSide(b));
}

void MinCutTest::equalsTheBestOfAllCuts()
{
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::mt19937 random(seed);
        const auto below = [&](unsigned limit) { return unsigned(random() % limit); };
        const unsigned count = 3 + below(6);
        std::vector<std::vector<double>> capacity(count, std::vector<double>(count, 0));
        MinCut cut;
        for (unsigned i = 2; i < count; ++i)
            cut.addNode();
        for (unsigned arc = 0; arc < 3 * count; ++arc) {
            const unsigned from = below(count), to = below(count);
            const double amount = below(8);
            if (from == to)
                continue;
            capacity[from][to] += amount;
            cut.addArc(from, to, amount);
        }
        double best = MinCut::unlimited;
        for (unsigned sides = 0; sides < 1u << (count - 2); ++sides) {
            const auto isSource = [&](unsigned node) {
                return node == 0 || (node > 1 && (sides >> (node - 2) & 1));
            };
            double weight = 0;
            for (unsigned from = 0; from < count; ++from)
                for (unsigned to = 0; to < count; ++to)
                    if (isSource(from) && !isSource(to))
                        weight += capacity[from][to];
            best = std::min(best, weight);
        }
        QVERIFY2(cut.run() == best, qPrintable(QString("seed %1").arg(seed)));
        double weight = 0;
        for (unsigned from = 0; from < count; ++from)
            for (unsigned to = 0; to < count; ++to)
                if (cut.onSourceSide(from) && !cut.onSourceSide(to))
                    weight += capacity[from][to];
        QVERIFY2(weight == best, qPrintable(QString("seed %1").arg(seed)));
    }
}

GRAPHLOOM_TESTS(MinCutTest)

} // namespace graphloom::test::min_cut_test

#include "min_cut_test.moc"

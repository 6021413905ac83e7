// SPDX-License-Identifier: Apache-2.0
// Variants of a graph, as they are before any search.
#include "plugins/magis/variants/variants.h"

#include "plugins/magis/schedule/scheduling.h"
#include "plugins/magis/variants/distribution.h"
#include "tests/plugins/magis/memory_graphs.h"
#include "tests/support/magis_networks.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::variants_test {

using namespace graphloom::magis;
using test::networkOpsets;

namespace {

Variant variant(const Graph &graph, const Variant *madeOf = nullptr)
{
    auto made = variantOf("", graph, networkOpsets(), {findDevice("rtx-3090"), true, 4}, madeOf);
    if (!made)
        qFatal("%s", made.error().text().c_str());
    return *std::move(made);
}

} // namespace

class VariantsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anEqualGraphHasTheSameOrder();
    void anOrderMadeOfAnotherIsValid();
    void anOrderMadeOfAnotherIsAsGood();
    void whatHasFoundNothingIsNotGoneOnWith();
};

void VariantsTest::anEqualGraphHasTheSameOrder()
{
    const Graph graph = test::trainingOf(test::unet());
    const Variant own = variant(graph);
    QCOMPARE(variant(graph, &own).scheduled, own.scheduled);
}

void VariantsTest::anOrderMadeOfAnotherIsValid()
{
    const Graph graph = test::trainingOf(test::unet());
    const Variant own = variant(graph);
    const Variant apart = variant(distributed(graph, networkOpsets())->graph, &own);
    QVERIFY(apart.memory->steps().size() != own.memory->steps().size());
    QVERIFY(test::isValidOrder(*apart.memory, apart.scheduled));
}

void VariantsTest::anOrderMadeOfAnotherIsAsGood()
{
    const Graph graph = test::trainingOf(test::unet());
    const Variant own = variant(graph);
    const Graph changed = distributed(graph, networkOpsets())->graph;
    const Variant apart = variant(changed, &own), anew = variant(changed);
    QVERIFY(peakOf(*apart.memory, apart.scheduled) <= peakOf(*anew.memory, anew.scheduled));
}

/// As one that others are only made of. Where nobody reaches what is asked for, all are as good.
void VariantsTest::whatHasFoundNothingIsNotGoneOnWith()
{
    const Graph graph = test::trainingOf(test::unet());
    std::vector<Variant> variants;
    variants.push_back(variant(graph));
    variants.push_back(variant(graph));
    SearchOptions options;
    options.seconds = 0;
    options.expanded = 4;
    const Outcome before = variants.front().unoptimized.outcome;
    for (Variant &each : variants)
        prepareSearch(each, before, {{0, 1}}, 1, options); // one byte
    variants.back().search->seed(variants.back().unoptimized);
    bool sawNothing = false;
    const std::size_t winner =
        searched(variants, options, [&](const Variant &, const ParetoArchive<State> &found) {
            sawNothing = sawNothing || found.entries().empty();
            return 0.;
        });
    QCOMPARE(winner, std::size_t(1));
    QVERIFY(!sawNothing);
}

GRAPHLOOM_TESTS(VariantsTest)

} // namespace graphloom::test::variants_test

#include "variants_test.moc"

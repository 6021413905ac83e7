// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_dag.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <numeric>

namespace graphloom::test::staged_graph_test {

using ago::StagedGraph;
using ago::WeightedDag;
using test::below;
using test::Random;

namespace {

/// What in the graph contradicts the quotient graph made anew; empty when nothing.
std::string defectOf(const StagedGraph &graph, const WeightedDag &dag)
{
    const auto clusters = graph.clusters();
    const auto quotient = test::quotientOf(dag, clusters);
    const auto stages = test::stagesOf(quotient);
    if (stages.empty() && !dag.weights.empty())
        return "the quotient graph has a cycle";
    if (graph.clusterCount() != quotient.size())
        return "wrong number of clusters";
    std::map<std::uint32_t, double> weights;
    for (std::uint32_t node = 0; node < clusters.size(); ++node)
        weights[clusters[node]] += dag.weights[node];
    std::map<std::uint32_t, std::set<std::uint32_t>> predecessors;
    for (const auto &[cluster, successors] : quotient)
        for (const std::uint32_t next : successors)
            predecessors[next].insert(cluster);
    for (const auto &[cluster, successors] : quotient) {
        const std::string name = "cluster " + std::to_string(cluster);
        if (graph.stage(cluster) != stages.at(cluster))
            return name + " is in stage " + std::to_string(graph.stage(cluster)) + ", not " +
                   std::to_string(stages.at(cluster));
        if (graph.weight(cluster) != weights[cluster])
            return name + " has another weight";
        if (!std::ranges::equal(graph.successors(cluster), successors) ||
            !std::ranges::equal(graph.predecessors(cluster), predecessors[cluster]))
            return name + " has other edges";
        if (!graph.members(graph.level(cluster)).contains({weights[cluster], cluster}))
            return name + " is missing in its level";
    }
    return {};
}

/// All clusters one stage behind `cluster`, which it may merge with.
std::vector<std::uint32_t> affixSet(const StagedGraph &graph, std::uint32_t cluster)
{
    std::vector<std::uint32_t> result;
    const auto level = graph.behind(graph.level(cluster));
    if (level.isValid())
        for (const auto &[weight, other] : graph.members(level))
            result.push_back(other);
    return result;
}

} // namespace

class StagedGraphTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void levelsAreLongestPathStages();
    void affixSetsStayWithinAComponent();
    void mergingANeighbourPullsTheRestForward();
    void mergingAcrossPushesTheRestBack();
    void randomMergesKeepStagesExact();
    void largeGraphsKeepStagesExact();
};

void StagedGraphTest::levelsAreLongestPathStages()
{
    // 0 -> 1 -> 3, 0 -> 3, 2 alone, 4 -> 3
    const WeightedDag dag{{1, 2, 3, 4, 5}, {{1, 3}, {3}, {}, {}, {3}}};
    const StagedGraph graph(dag);
    QCOMPARE(graph.stage(0), 1u);
    QCOMPARE(graph.stage(1), 2u);
    QCOMPARE(graph.stage(2), 1u);
    QCOMPARE(graph.stage(3), 3u);
    QCOMPARE(graph.stage(4), 1u);
    QCOMPARE(defectOf(graph, dag), std::string());
    QCOMPARE(defectOf(StagedGraph(WeightedDag{}), WeightedDag{}), std::string());
}

void StagedGraphTest::affixSetsStayWithinAComponent()
{
    const WeightedDag dag{{1, 1, 1, 1}, {{1}, {}, {3}, {}}}; // 0 -> 1, 2 -> 3
    const StagedGraph graph(dag);
    QCOMPARE(affixSet(graph, 0), std::vector<std::uint32_t>{1});
    QCOMPARE(affixSet(graph, 2), std::vector<std::uint32_t>{3});
    // Connected through a common successor only: not by an edge, yet in the affix set.
    const WeightedDag joined{{1, 1, 1, 1}, {{1}, {3}, {3}, {}}}; // 0 -> 1 -> 3, 2 -> 3
    QCOMPARE(affixSet(StagedGraph(joined), 2), std::vector<std::uint32_t>{1});
}

void StagedGraphTest::mergingANeighbourPullsTheRestForward()
{
    const WeightedDag dag{{1, 1, 1, 1}, {{1}, {2}, {3}, {}}};
    StagedGraph graph(dag);
    const auto merged = graph.merge(1, 2);
    QCOMPARE(graph.stage(merged), 2u);
    QCOMPARE(graph.stage(3), 3u);
    QCOMPARE(graph.clusterCount(), 3u);
    QCOMPARE(defectOf(graph, dag), std::string());
}

void StagedGraphTest::mergingAcrossPushesTheRestBack()
{
    // 0 -> 1 -> 2 and 3 -> 4 -> 2: merging 0 with 4 puts 1 behind 4.
    const WeightedDag dag{{1, 1, 1, 1, 1}, {{1}, {2}, {}, {4}, {2}}};
    StagedGraph graph(dag);
    const auto merged = graph.merge(0, 4);
    QCOMPARE(graph.stage(merged), 2u);
    QCOMPARE(graph.stage(1), 3u);
    QCOMPARE(graph.stage(2), 4u);
    QCOMPARE(defectOf(graph, dag), std::string());
}

void StagedGraphTest::randomMergesKeepStagesExact()
{
    // Theorem 1, and Definition 2 for quotient graphs, on thousands of graphs merged down to
    // nothing by arbitrary, not only greedy, choices.
    std::size_t merges = 0, across = 0;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        Random random(seed);
        const WeightedDag dag = test::randomDag(random, 24);
        StagedGraph graph(dag);
        QVERIFY2(defectOf(graph, dag).empty(), qPrintable(QString("seed %1").arg(seed)));
        for (;;) {
            std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
            const auto clusters = graph.clusters();
            for (const std::uint32_t cluster : std::set(clusters.begin(), clusters.end()))
                for (const std::uint32_t other : affixSet(graph, cluster))
                    pairs.emplace_back(cluster, other);
            if (pairs.empty())
                break;
            const auto [u, v] = pairs[below(random, pairs.size())];
            across += !std::ranges::binary_search(graph.successors(u), v);
            graph.merge(u, v);
            ++merges;
            const std::string defect = defectOf(graph, dag);
            QVERIFY2(defect.empty(),
                     qPrintable(QString("seed %1: %2").arg(seed).arg(defect.c_str())));
        }
    }
    QVERIFY(merges > 20000);
    QVERIFY(across > 3000);
}

void StagedGraphTest::largeGraphsKeepStagesExact()
{
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        Random random(seed);
        const WeightedDag dag = test::randomDag(random, 600);
        StagedGraph graph(dag);
        for (int i = 1; i < 500; ++i) {
            const auto clusters = graph.clusters();
            const auto cluster = clusters[below(random, clusters.size())];
            const auto others = affixSet(graph, cluster);
            if (others.empty())
                continue;
            graph.merge(cluster, others[below(random, others.size())]);
            if (i % 20 == 0) {
                const std::string defect = defectOf(graph, dag);
                QVERIFY2(defect.empty(),
                         qPrintable(QString("seed %1: %2").arg(seed).arg(defect.c_str())));
            }
        }
    }
}

GRAPHLOOM_TESTS(StagedGraphTest)

} // namespace graphloom::test::staged_graph_test

#include "staged_graph_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include "plugins/ago/clustering.h"
#include "tests/support/random_dag.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::clustering_test {

using ago::Affinity;
using ago::Clustering;
using ago::StagedGraph;
using ago::WeightedDag;
using test::below;
using test::Random;

namespace {

std::vector<std::uint32_t> clustersOf(const WeightedDag &dag, double threshold, Affinity affinity)
{
    Clustering clustering(dag, threshold, affinity);
    while (clustering.step()) {
    }
    return clustering.graph().clusters();
}

std::map<std::uint32_t, double> weightsOf(const WeightedDag &dag,
                                          const std::vector<std::uint32_t> &clusters)
{
    std::map<std::uint32_t, double> weights;
    for (std::uint32_t node = 0; node < clusters.size(); ++node)
        weights[clusters[node]] += dag.weights[node];
    return weights;
}

/// Weakly connected components by node, by repeated relabelling.
std::vector<std::uint32_t> componentsOf(const WeightedDag &dag)
{
    std::vector<std::uint32_t> label(dag.weights.size());
    for (std::uint32_t i = 0; i < label.size(); ++i)
        label[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::uint32_t i = 0; i < label.size(); ++i)
            for (const std::uint32_t next : dag.successors[i])
                if (label[i] != label[next]) {
                    label[i] = label[next] = std::min(label[i], label[next]);
                    changed = true;
                }
    }
    return label;
}

} // namespace

class ClusteringTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void heaviestTakesItsLightestAffix();
    void takesWhatIsConnectedOnlyThroughOthers();
    void directNeighboursGoFirstAmongEquals();
    void neighboursAffinityStaysAtEdges();
    void thresholdIsStrict();
    void theCycleOfFigure9IsAvoided();
    void everyStepIsAcyclicAndBelowTheThreshold();
    void resultIsMaximal();
    void lightGraphsBecomeOneClusterPerComponent();
    void candidatesShrink();
    void emptyGraph();
};

void ClusteringTest::heaviestTakesItsLightestAffix()
{
    // 0(2) -> 1(10) -> 2(3), 1 -> 3(1)
    const WeightedDag dag{{2, 10, 3, 1}, {{1}, {2, 3}, {}, {}}};
    Clustering clustering(dag, 100, Affinity::Paper);
    QVERIFY(clustering.step());
    const auto clusters = clustering.graph().clusters();
    QCOMPARE(clusters[1], clusters[3]);
    QCOMPARE(clustering.graph().clusterCount(), 3u);
    QCOMPARE(clustering.graph().weight(clusters[1]), 11.0);
}

void ClusteringTest::takesWhatIsConnectedOnlyThroughOthers()
{
    // 0(9) -> 1(8) -> 4(8), 2(1) -> 3(1) -> 4: of 0's stage behind, 3 is lightest, without an edge.
    const WeightedDag dag{{9, 8, 1, 1, 8}, {{1}, {4}, {3}, {4}, {}}};
    Clustering clustering(dag, 12, Affinity::Paper);
    QVERIFY(clustering.step());
    const auto clusters = clustering.graph().clusters();
    QCOMPARE(clusters[0], clusters[3]);
    QVERIFY(!test::stagesOf(test::quotientOf(dag, clusters)).empty());
}

void ClusteringTest::directNeighboursGoFirstAmongEquals()
{
    // Both 1 and 3 weigh 1 and stand a stage behind 0; only 3 reads it.
    const WeightedDag dag{{9, 1, 1, 1, 1}, {{3}, {4}, {1}, {4}, {}}};
    Clustering clustering(dag, 100, Affinity::Paper);
    QVERIFY(clustering.step());
    const auto clusters = clustering.graph().clusters();
    QCOMPARE(clusters[0], clusters[3]);
    QVERIFY(clusters[0] != clusters[1]);
}

void ClusteringTest::neighboursAffinityStaysAtEdges()
{
    const WeightedDag dag{{9, 2, 1, 1, 8}, {{1}, {4}, {3}, {4}, {}}};
    Clustering paper(dag, 12, Affinity::Paper), neighbours(dag, 12, Affinity::Neighbours);
    QVERIFY(paper.step() && neighbours.step());
    QCOMPARE(paper.graph().clusters()[0], paper.graph().clusters()[3]);
    QCOMPARE(neighbours.graph().clusters()[0], neighbours.graph().clusters()[1]);
}

void ClusteringTest::thresholdIsStrict()
{
    const WeightedDag dag{{4, 6}, {{1}, {}}};
    for (const auto affinity : {Affinity::Paper, Affinity::Neighbours}) {
        QCOMPARE(weightsOf(dag, clustersOf(dag, 10, affinity)).size(), std::size_t(2));
        QCOMPARE(weightsOf(dag, clustersOf(dag, 10.001, affinity)).size(), std::size_t(1));
        QCOMPARE(weightsOf(dag, clustersOf(dag, 0, affinity)).size(), std::size_t(2));
    }
}

void ClusteringTest::theCycleOfFigure9IsAvoided()
{
    // Conv1 -> Conv2 -> Conv3 and Conv1 -> Conv3: 1 and 3 alone would depend on 2 both ways.
    const WeightedDag dag{{5, 9, 5}, {{1, 2}, {2}, {}}};
    const auto clusters = clustersOf(dag, 12, Affinity::Paper);
    QCOMPARE(weightsOf(dag, clusters).size(), std::size_t(3));
    QVERIFY(clusters[0] != clusters[2]);
}

void ClusteringTest::everyStepIsAcyclicAndBelowTheThreshold()
{
    std::size_t steps = 0;
    for (std::uint64_t seed = 0; seed < 2500; ++seed) {
        Random random(seed);
        const WeightedDag dag = test::randomDag(random, 40);
        const double threshold = double(1 + below(random, 60));
        const auto components = componentsOf(dag);
        Clustering clustering(dag, threshold, seed % 2 ? Affinity::Paper : Affinity::Neighbours);
        while (clustering.step()) {
            ++steps;
            const auto clusters = clustering.graph().clusters();
            const auto place = QString("seed %1").arg(seed);
            QVERIFY2(!test::stagesOf(test::quotientOf(dag, clusters)).empty(), qPrintable(place));
            std::map<std::uint32_t, int> sizes;
            for (std::uint32_t node = 0; node < clusters.size(); ++node) {
                ++sizes[clusters[node]];
                QVERIFY2(components[node] == components[clusters[node]], qPrintable(place));
            }
            for (const auto &[cluster, weight] : weightsOf(dag, clusters))
                QVERIFY2(sizes[cluster] == 1 || weight < threshold, qPrintable(place));
        }
    }
    QVERIFY(steps > 50000);
}

void ClusteringTest::resultIsMaximal()
{
    // In the end no two clusters a stage apart would fit together: what a cluster could not
    // take when it left the candidates may come into reach later, but only by a merge of one of
    // the two, which then is a candidate again, or by a change of stages. So count how rare.
    std::size_t pairs = 0, fitting = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        Random random(seed);
        const WeightedDag dag = test::randomDag(random, 40);
        const double threshold = double(5 + below(random, 60));
        Clustering clustering(dag, threshold, Affinity::Paper);
        while (clustering.step()) {
        }
        const StagedGraph &graph = clustering.graph();
        const auto clusters = graph.clusters();
        for (const std::uint32_t cluster : std::set(clusters.begin(), clusters.end()))
            if (const auto level = graph.behind(graph.level(cluster)); level.isValid()) {
                ++pairs;
                fitting +=
                    graph.weight(cluster) + graph.members(level).begin()->first < threshold * 0.999;
            }
    }
    QVERIFY(pairs > 1000);
    QVERIFY2(fitting * 10 < pairs, qPrintable(QString("%1 of %2").arg(fitting).arg(pairs)));
}

void ClusteringTest::lightGraphsBecomeOneClusterPerComponent()
{
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Random random(seed);
        const WeightedDag dag = test::randomDag(random, 40);
        const auto components = componentsOf(dag);
        const auto clusters = clustersOf(dag, 1e9, Affinity::Paper);
        // All of a component that has edges across stages ends in clusters of one stage.
        const auto stages = test::stagesOf(test::quotientOf(dag, clusters));
        QVERIFY(!stages.empty());
        for (const auto &[cluster, stage] : stages)
            QCOMPARE(stage, 1u);
        const std::set<std::uint32_t> names(clusters.begin(), clusters.end());
        QCOMPARE(names.size(), std::set(components.begin(), components.end()).size());
    }
}

void ClusteringTest::candidatesShrink()
{
    Random random(5);
    const WeightedDag dag = test::randomDag(random, 200);
    Clustering clustering(dag, 30, Affinity::Paper);
    double share = clustering.openShare();
    QCOMPARE(share, 1.0);
    while (clustering.step()) {
        QVERIFY(clustering.openShare() <= share);
        share = clustering.openShare();
    }
    QCOMPARE(share, 0.0);
}

void ClusteringTest::emptyGraph()
{
    Clustering clustering(WeightedDag{}, 10, Affinity::Paper);
    QVERIFY(!clustering.step());
    QVERIFY(clustering.graph().clusters().empty());
}

GRAPHLOOM_TESTS(ClusteringTest)

} // namespace graphloom::test::clustering_test

#include "clustering_test.moc"

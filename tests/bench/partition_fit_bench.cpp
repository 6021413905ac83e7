// SPDX-License-Identifier: Apache-2.0
// Where the defaults of the pass "ago" come from: slope c, bias b and threshold Td. The paper gives
// formula (1) and what it yields on MobileViT (section VI, Fig. 14) for Relay's subgraphs and its
// own, but none of the three.
//
// Over a grid of all three, least squares of the logarithms of: mean, median, fairness and share of
// trivial subgraphs of our Relay-like partition against the paper's figures for Relay; number,
// mean, median and fairness of our clustering against the paper's for AGO. Held throughout: at most
// the paper's number of subgraphs, at least its fairness, and a Td above the heaviest operator, so
// that every subgraph is below Td. (The paper's own mean and fairness ask for a subgraph of at
// least mean / Jain = 795, Relay's for one of 726: a sum of squares is at most the largest times
// the sum.) The bias is kept above 0, so that an operator without loops weighs something.
#include "engine/onnx/import.h"
#include "engine/ops/derive/infer.h"
#include "engine/plan/plan.h"
#include "plugins/ago/clustering.h"
#include "plugins/ago/partitions.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

using namespace graphloom;

namespace {

struct Reference {
    const char *name;
    double subgraphs, mean, median, jain, trivial; // trivial: weight below 20
};
constexpr Reference relay{"Relay, paper", 259, 138, 23, 0.19, 105};
constexpr Reference agoPaper{"AGO, paper", 82, 437, 350, 0.55, -1}; // trivial: not told

struct Fit {
    double slope = 0, bias = 0, threshold = 0;
    double baselineError = 1e300, clusteringError = 1e300; // sums of squares
    double error() const { return baselineError + clusteringError; }
};

double squared(double found, double wanted)
{
    const double ratio = std::log((found + 1e-9) / wanted);
    return ratio * ratio;
}

double errorOf(const PartitionStatistics &found, const Reference &wanted)
{
    return squared(found.mean, wanted.mean) + squared(found.median, wanted.median) +
           squared(found.jain, wanted.jain);
}

Partition clustered(const Graph &graph, const ago::WeightedDag &dag, double threshold,
                    ago::Affinity affinity = ago::Affinity::Paper)
{
    ago::Clustering clustering(dag, threshold, affinity);
    while (clustering.step()) {
    }
    return ago::partitionOf(graph, dag, clustering.graph().clusters(), "ago", threshold);
}

double trivialError(const PartitionStatistics &found)
{
    return squared(double(found.trivial) / double(found.subgraphs),
                   relay.trivial / relay.subgraphs);
}

void print(const char *name, double td, const PartitionStatistics &s)
{
    std::printf("%-24s %6.0f %9zu %8.1f %8.1f %6.3f %8zu %s\n", name, td, s.subgraphs, s.mean,
                s.median, s.jain, s.trivial, s.acyclic ? "acyclic" : "CYCLIC");
}

void print(const Reference &reference)
{
    std::printf("%-24s %6s %9.0f %8.1f %8.1f %6.3f", reference.name, "", reference.subgraphs,
                reference.mean, reference.median, reference.jain);
    if (reference.trivial < 0)
        std::printf("        -\n");
    else
        std::printf(" %8.0f\n", reference.trivial);
}

/// The best Td for a slope and a bias; `best` stays what it is if none is better.
void fitThreshold(const Graph &graph, const ago::WeightedDag &dag, Fit fit, Fit &best)
{
    const double heaviest = *std::ranges::max_element(dag.weights);
    for (double threshold = 100; threshold <= 2000; threshold *= 1.03) {
        if (threshold <= heaviest)
            continue;
        const auto statistics = statisticsOf(graph, clustered(graph, dag, threshold));
        fit.threshold = threshold;
        fit.clusteringError = errorOf(statistics, agoPaper) +
                              squared(double(statistics.subgraphs), agoPaper.subgraphs);
        if (double(statistics.subgraphs) <= agoPaper.subgraphs &&
            statistics.jain >= agoPaper.jain && fit.error() < best.error())
            best = fit;
    }
}

/// Subgraphs by powers of two of their weight, as in Fig. 14.
void printHistogram(const char *name, const Partition &partition)
{
    std::vector<int> bins(12, 0);
    for (const Subgraph &subgraph : partition.subgraphs)
        ++bins[std::size_t(std::clamp(std::floor(std::log2(std::max(subgraph.weight, 1.0))), 0.0,
                                      double(bins.size() - 1)))];
    std::printf("%-24s", name);
    for (const int count : bins)
        std::printf(" %4d", count);
    std::printf("\n");
}

} // namespace

int main(int argc, char **argv)
{
    const std::string path = argc > 1 ? argv[1] : GRAPHLOOM_SAMPLES "/mobilevit_s_256.onnx";
    const auto refuse = [](const Error &error) {
        std::fprintf(stderr, "%s\n", error.text().c_str());
        return 3;
    };
    auto model = importOnnx(path);
    if (!model)
        return refuse(model.error());
    const auto plan = initialPlan(std::make_shared<const Model>(*std::move(model)));
    if (!plan)
        return refuse(plan.error());
    const Graph &graph = plan->graph;

    const auto traits = ago::traitsOf(graph, opsetsOf(*plan->model), 64);
    if (!traits)
        return refuse(traits.error());
    const auto baseline = ago::relayBaseline(graph, *traits);

    Fit best;
    for (const double bias : {0.5, 1.0, 2.0, 3.0, 5.0})
        for (double logSlope = -7; logSlope <= 0; logSlope += 0.125) {
            Fit fit;
            fit.slope = std::exp2(logSlope);
            fit.bias = bias;
            const auto dag = ago::weightedDagOf(graph, *traits, fit.slope, bias);
            const auto statistics =
                statisticsOf(graph, ago::partitionOf(graph, dag, baseline, "relay-like", 0));
            fit.baselineError = errorOf(statistics, relay) + trivialError(statistics);
            if (fit.baselineError < best.error())
                fitThreshold(graph, dag, fit, best);
        }
    if (best.threshold == 0) {
        std::printf("nothing reaches the paper's number of subgraphs and fairness\n");
        return 1;
    }
    std::printf("%zu nodes; c = %.4f, b = %.2f, Td = %.0f; sums of squares: Relay-like %.3f, "
                "AGO %.3f\n",
                graph.nodeCount(), best.slope, best.bias, best.threshold, best.baselineError,
                best.clusteringError);
    const auto dag = ago::weightedDagOf(graph, *traits, best.slope, best.bias);
    const Partition ours = clustered(graph, dag, best.threshold);
    const Partition theirs = ago::partitionOf(graph, dag, baseline, "relay-like", 0);
    std::printf("heaviest operator %.1f\n%-24s %6s %9s %8s %8s %6s %8s\n",
                *std::ranges::max_element(dag.weights), "", "Td", "subgraphs", "mean", "median",
                "Jain", "trivial");
    print(relay);
    print("Relay-like", 0, statisticsOf(graph, theirs));
    print(agoPaper);
    print("AGO", best.threshold, statisticsOf(graph, ours));
    print("AGO, neighbours", best.threshold,
          statisticsOf(graph, clustered(graph, dag, best.threshold, ago::Affinity::Neighbours)));
    for (double threshold = 200; threshold <= 1000; threshold += 100)
        print("AGO", threshold, statisticsOf(graph, clustered(graph, dag, threshold)));
    std::printf("\nsubgraphs by weight, [1, 2), [2, 4)...\n");
    printHistogram("Relay-like", theirs);
    printHistogram("AGO", ours);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Where the defaults of the pass "ago" come from: slope c, bias b, base of the logarithms and
// threshold Td. The paper gives formula (1) and what it yields on MobileViT (section VI, Fig. 14)
// for Relay's subgraphs and its own, but none of the four.
//
// For every base of a grid: c and b by least squares of the logarithms of mean, median, fairness
// and share of trivial subgraphs of our Relay-like partition against the paper's figures for
// Relay. The bias is kept above 0, so that an operator without loops weighs something. Then Td:
// of those whose clustering has at most the paper's number of subgraphs and at least its fairness,
// the one with the least squares against the paper's number, mean, median and fairness. The base
// with the least sum of both is taken.
#include "engine/onnx/import.h"
#include "engine/ops/infer.h"
#include "engine/plan/plan.h"
#include "plugins/ago/clustering.h"
#include "plugins/ago/partitions.h"
#include "plugins/ago/relay_baseline.h"

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
    ago::LoopMeasure measure;
    double slope = 0, bias = 0, threshold = 0;
    double baselineError = 1e300, clusteringError = 1e300; // sums of squares
    std::vector<std::uint32_t> baseline;
    ago::WeightedDag dag;
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

void fitSlopeAndBias(const Graph &graph, const std::vector<ago::NodeTraits> &traits, Fit &fit)
{
    fit.baseline = ago::relayBaseline(graph, traits);
    for (double logSlope = -12; logSlope <= 2; logSlope += 0.0625)
        for (double bias = 0.5; bias <= 10; bias += 0.5) {
            const double slope = std::exp2(logSlope);
            const auto dag = ago::weightedDagOf(graph, traits, slope, bias);
            const auto statistics =
                statisticsOf(graph, ago::partitionOf(graph, dag, fit.baseline, "relay-like", 0));
            const double error = errorOf(statistics, relay) + trivialError(statistics);
            if (error >= fit.baselineError)
                continue;
            fit.slope = slope;
            fit.bias = bias;
            fit.baselineError = error;
        }
    fit.dag = ago::weightedDagOf(graph, traits, fit.slope, fit.bias);
}

void fitThreshold(const Graph &graph, Fit &fit)
{
    for (double threshold = 200; threshold <= 1000; threshold += 10) {
        const auto statistics = statisticsOf(graph, clustered(graph, fit.dag, threshold));
        const double error = errorOf(statistics, agoPaper) +
                             squared(double(statistics.subgraphs), agoPaper.subgraphs);
        if (double(statistics.subgraphs) <= agoPaper.subgraphs &&
            statistics.jain >= agoPaper.jain && error < fit.clusteringError) {
            fit.clusteringError = error;
            fit.threshold = threshold;
        }
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
    const Opsets opsets = opsetsOf(*plan->model);

    Fit best;
    std::printf("%zu nodes\n%6s %9s %6s %6s %s\n", graph.nodeCount(), "base", "c", "b", "Td",
                "sums of squares: Relay-like, AGO");
    for (int step = 0; step < 18; ++step) {
        Fit fit;
        fit.measure.logBase = 1.2 + 0.1 * step;
        const auto traits = ago::traitsOf(graph, opsets, fit.measure);
        if (!traits)
            return refuse(traits.error());
        fitSlopeAndBias(graph, *traits, fit);
        fitThreshold(graph, fit);
        std::printf("%6.2f %9.5f %6.2f ", fit.measure.logBase, fit.slope, fit.bias);
        if (fit.threshold > 0)
            std::printf("%6.0f %.3f %.3f\n", fit.threshold, fit.baselineError, fit.clusteringError);
        else
            std::printf("     - %.3f -\n", fit.baselineError);
        if (fit.threshold > 0 &&
            fit.baselineError + fit.clusteringError < best.baselineError + best.clusteringError)
            best = std::move(fit);
    }
    if (best.threshold == 0) {
        std::printf("nothing reaches the paper's number of subgraphs and fairness\n");
        return 1;
    }
    std::printf("\ntaken: base %.2f, c = %.5f, b = %.2f, Td = %.0f\n", best.measure.logBase,
                best.slope, best.bias, best.threshold);
    std::printf("%-24s %6s %9s %8s %8s %6s %8s\n", "", "Td", "subgraphs", "mean", "median", "Jain",
                "trivial");
    const Partition baseline = ago::partitionOf(graph, best.dag, best.baseline, "relay-like", 0);
    const Partition ours = clustered(graph, best.dag, best.threshold);
    print(relay);
    print("Relay-like", 0, statisticsOf(graph, baseline));
    print(agoPaper);
    print("AGO", best.threshold, statisticsOf(graph, ours));
    print(
        "AGO, neighbours", best.threshold,
        statisticsOf(graph, clustered(graph, best.dag, best.threshold, ago::Affinity::Neighbours)));
    for (double threshold = 200; threshold <= 1000; threshold += 100)
        print("AGO", threshold, statisticsOf(graph, clustered(graph, best.dag, threshold)));
    std::printf("\nsubgraphs by weight, [1, 2), [2, 4)...\n");
    printHistogram("Relay-like", baseline);
    printHistogram("AGO", ours);
    return 0;
}

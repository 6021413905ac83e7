// SPDX-License-Identifier: Apache-2.0
// The pass "ago" on a synthetic graph of 4,000 nodes and on every model of a folder: time, the
// figures of both partitions, and whether they pass the independent check and stay below Td.
#include "engine/onnx/import.h"
#include "plugins/ago/ago_pass.h"
#include "tests/support/synthetic_graphs.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

using namespace graphloom;

namespace {

/// Prints one line; false when the pass failed. runPass() has checked both partitions.
bool measure(const std::string &name, const std::shared_ptr<const Model> &model, int rounds)
{
    const auto plan = initialPlan(model);
    if (!plan) {
        std::printf("%-28s cannot be planned: %s\n", name.c_str(), plan.error().text().c_str());
        return false;
    }
    const ago::AgoPass pass;
    std::vector<double> seconds;
    Result<Plan> result = *plan;
    for (int round = 0; round < rounds && result; ++round) {
        result = runPass(pass, *plan, {});
        if (result)
            seconds.push_back(result->history.back().seconds);
    }
    if (!result) {
        std::printf("%-28s %s\n", name.c_str(), result.error().text().c_str());
        return false;
    }
    std::ranges::sort(seconds);
    const auto ours = statisticsOf(result->graph, *result->partition);
    const auto baseline = statisticsOf(result->graph, *result->baselinePartition);
    const double threshold = result->partition->threshold;
    double heaviest = 0;
    for (const Subgraph &subgraph : result->partition->subgraphs)
        heaviest = std::max(heaviest, subgraph.weight);
    std::printf("%-28s %6zu %8.1f | %5zu %7.1f %7.1f %5.2f %5zu %8.1f %8.1f | %5zu %7.1f %7.1f "
                "%5.2f %5zu\n",
                name.c_str(), result->graph.nodeCount(), 1000 * seconds[seconds.size() / 2],
                ours.subgraphs, ours.mean, ours.median, ours.jain, ours.trivial, heaviest,
                threshold, baseline.subgraphs, baseline.mean, baseline.median, baseline.jain,
                baseline.trivial);
    if (!(heaviest < threshold))
        std::printf("%-28s a subgraph is not below Td\n", "");
    return ours.acyclic && baseline.acyclic && heaviest < threshold;
}

} // namespace

int main(int argc, char **argv)
{
    std::filesystem::path models = GRAPHLOOM_SAMPLES;
    for (int i = 1; i + 1 < argc; ++i)
        if (std::strcmp(argv[i], "--models") == 0)
            models = argv[i + 1];
    std::printf("%-28s %6s %8s | %-53s | Relay-like\n%-28s %6s %8s | %5s %7s %7s %5s %5s %8s %8s | "
                "%5s %7s %7s %5s %5s\n",
                "", "", "", "AGO, default parameters", "model", "nodes", "ms", "parts", "mean",
                "median", "Jain", "triv.", "most", "Td", "parts", "mean", "median", "Jain",
                "triv.");
    int failed = 0;
    for (const bool mask : {false, true})
        failed += !measure(mask ? "transformer with mask" : "transformer",
                           test::modelOf(test::transformer(4000, mask)), 5);
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(models))
        if (entry.path().extension() == ".onnx")
            files.push_back(entry.path());
    std::ranges::sort(files);
    for (const auto &file : files) {
        auto model = importOnnx(file);
        if (!model) {
            std::printf("%-28s %s\n", file.stem().c_str(), model.error().text().c_str());
            ++failed;
            continue;
        }
        failed +=
            !measure(file.stem().string(), std::make_shared<const Model>(*std::move(model)), 3);
    }
    std::printf("%zu models, %d failed\n", files.size(), failed);
    return failed == 0 ? 0 : 1;
}

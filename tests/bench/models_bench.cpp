// SPDX-License-Identifier: Apache-2.0
// Every model of a folder through the main job: open with shapes inferred, fold, partition, export,
// open the export again. One line each with what was found and how long it took.
//
//   models_bench [--models FOLDER] [--rounds N] [FILE.onnx]...
#include "engine/onnx/export.h"
#include "engine/onnx/import.h"
#include "engine/plan/model_facts.h"
#include "plugins/ago/ago_pass.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

using namespace graphloom;

namespace {

double millisecondsOf(const auto &work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
        .count();
}

/// Greatest resident memory of this process so far, in MB.
double peakMegabytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return double(usage.ru_maxrss) * 1024 / 1e6;
}

/// How many tensors of the graph have shapes of integers, with symbols, and none.
struct Shapes {
    std::size_t fixed = 0, symbolic = 0, unknown = 0;
};

Shapes shapesOf(const Graph &graph)
{
    Shapes shapes;
    for (const NodeId id : graph.order())
        for (const TensorId output : graph.node(id).outputs)
            if (output.valid()) {
                const auto &shape = graph.tensor(output).shape;
                ++(!shape ? shapes.unknown : isStatic(*shape) ? shapes.fixed : shapes.symbolic);
            }
    return shapes;
}

bool measure(const std::filesystem::path &file, int rounds, const std::filesystem::path &copy)
{
    const std::string name = file.stem().string();
    const auto refuse = [&](const Error &error) {
        std::printf("%-26s %s\n", name.c_str(), error.text().c_str());
        return false;
    };
    std::vector<double> opening;
    Result<Model> opened = fail(Error::Kind::Fault, "not opened");
    for (int round = 0; round < rounds; ++round)
        opening.push_back(millisecondsOf([&] { opened = importOnnx(file); }));
    if (!opened)
        return refuse(opened.error());
    std::ranges::sort(opening);
    const auto model = std::make_shared<const Model>(*std::move(opened));
    const auto facts = factsOf(*model);
    if (!facts)
        return refuse(facts.error());

    Result<Plan> plan = fail(Error::Kind::Fault, "not folded");
    const double folding = millisecondsOf([&] { plan = initialPlan(model); });
    if (!plan)
        return refuse(plan.error());
    const double partitioning =
        millisecondsOf([&] { plan = runPass(ago::AgoPass(), *std::move(plan), {}); });
    if (!plan)
        return refuse(plan.error()); // it was checked, for cycles too
    Result<void> written;
    const double exporting = millisecondsOf([&] { written = exportOnnx(*plan, copy); });
    if (!written)
        return refuse(written.error());
    const auto again = importOnnx(copy);
    if (!again)
        return refuse(again.error());
    const auto restored = importPlan(std::make_shared<const Model>(*again));
    if (!restored)
        return refuse(restored.error());
    const bool same = restored->graph.nodeCount() == plan->graph.nodeCount() &&
                      restored->partition &&
                      restored->partition->subgraphs.size() == plan->partition->subgraphs.size();

    const Shapes shapes = shapesOf(plan->graph);
    std::printf(
        "%-26s %5zu %5zu %8s %5zu %4zu %4zu | %7.1f %7.1f %6.1f %6.1f %7.1f | %4zu %s %5.0f\n",
        name.c_str(), facts->nodes, plan->graph.nodeCount(),
        facts->macs ? std::to_string(double(*facts->macs) / 1e9).substr(0, 7).c_str() : "symbolic",
        shapes.fixed, shapes.symbolic, shapes.unknown, opening.front(), opening[opening.size() / 2],
        folding, partitioning, exporting, plan->partition->subgraphs.size(),
        same ? "same" : "differs", peakMegabytes());
    return same;
}

} // namespace

int main(int argc, char **argv)
{
    std::vector<std::filesystem::path> files;
    std::filesystem::path models;
    int rounds = 5;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--models") == 0 && i + 1 < argc)
            models = argv[++i];
        else if (std::strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
            rounds = std::max(1, std::atoi(argv[++i]));
        else
            files.emplace_back(argv[i]);
    }
    if (files.empty() && models.empty())
        models = GRAPHLOOM_SAMPLES;
    if (!models.empty())
        for (const auto &entry : std::filesystem::recursive_directory_iterator(models))
            if (entry.path().extension() == ".onnx")
                files.push_back(entry.path());
    std::ranges::sort(files);

    const auto folder =
        std::filesystem::temp_directory_path() / ("graphloom-models-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    std::printf("%-26s %5s %5s %8s %15s | %38s | %s\n%-26s %5s %5s %8s %5s %4s %4s | %7s %7s %6s "
                "%6s %7s | %4s %s %5s\n",
                "", "", "", "", "output shapes", "milliseconds (host)", "subgraphs, MB", "model",
                "nodes", "left", "GMAC", "fixed", "sym.", "none", "open", "median", "fold", "ago",
                "export", "", "back", "peak");
    int failed = 0;
    for (const auto &file : files)
        failed += !measure(file, rounds, folder / "export.onnx");
    std::filesystem::remove_all(folder);
    std::printf("%zu models, %d failed\n", files.size(), failed);
    return failed == 0 ? 0 : 1;
}

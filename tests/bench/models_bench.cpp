// SPDX-License-Identifier: Apache-2.0
// Every model of a folder through the main job: open with shapes inferred, fold, partition, export,
// open the export again. One line each with what was found and how long it took.
//
//   models_bench [--models FOLDER] [--rounds N] [--json] [FILE.onnx]...
#include "engine/onnx/import.h"
#include "engine/onnx_export/export.h"
#include "engine/plan/report/model_facts.h"
#include "plugins/ago/ago_pass.h"
#include "tests/bench/peak_memory.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
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

/// What was found of one model, and how long it took.
struct Row {
    std::size_t nodes = 0, left = 0, subgraphs = 0;
    std::optional<double> gmac; // none where extents are symbols
    Shapes shapes;
    double openLeast = 0, openMedian = 0, folding = 0, partitioning = 0, exporting = 0; // ms
    bool back = false; // the export reads back as the same plan
    double peak = 0;   // MB
};

Result<Row> measure(const std::filesystem::path &file, int rounds,
                    const std::filesystem::path &copy)
{
    Row row;
    std::vector<double> opening;
    Result<Model> opened = fail(Error::Kind::Fault, "not opened");
    for (int round = 0; round < rounds; ++round)
        opening.push_back(millisecondsOf([&] { opened = importOnnx(file); }));
    if (!opened)
        return tl::unexpected(opened.error());
    std::ranges::sort(opening);
    row.openLeast = opening.front();
    row.openMedian = opening[opening.size() / 2];
    const auto model = std::make_shared<const Model>(*std::move(opened));
    const auto facts = factsOf(*model);
    if (!facts)
        return tl::unexpected(facts.error());
    row.nodes = facts->nodes;
    if (facts->macs)
        row.gmac = double(*facts->macs) / 1e9;

    Result<Plan> plan = fail(Error::Kind::Fault, "not folded");
    row.folding = millisecondsOf([&] { plan = initialPlan(model); });
    if (!plan)
        return tl::unexpected(plan.error());
    row.partitioning =
        millisecondsOf([&] { plan = runPass(ago::AgoPass(), *std::move(plan), {}); });
    if (!plan)
        return tl::unexpected(plan.error()); // it was checked, for cycles too
    Result<void> written;
    row.exporting = millisecondsOf([&] { written = exportOnnx(*plan, copy); });
    if (!written)
        return tl::unexpected(written.error());
    const auto again = importOnnx(copy);
    if (!again)
        return tl::unexpected(again.error());
    const auto restored = importPlan(std::make_shared<const Model>(*again));
    if (!restored)
        return tl::unexpected(restored.error());
    row.left = plan->graph.nodeCount();
    row.subgraphs = plan->partition->subgraphs.size();
    row.back = restored->graph.nodeCount() == row.left && restored->partition &&
               restored->partition->subgraphs.size() == row.subgraphs;
    row.shapes = shapesOf(plan->graph);
    row.peak = peakMegabytes();
    return row;
}

void printLine(const std::string &name, const Row &row)
{
    std::printf(
        "%-26s %5zu %5zu %8s %5zu %4zu %4zu | %7.1f %7.1f %6.1f %6.1f %7.1f | %4zu %s %5.0f\n",
        name.c_str(), row.nodes, row.left,
        row.gmac ? std::to_string(*row.gmac).substr(0, 7).c_str() : "symbolic", row.shapes.fixed,
        row.shapes.symbolic, row.shapes.unknown, row.openLeast, row.openMedian, row.folding,
        row.partitioning, row.exporting, row.subgraphs, row.back ? "same" : "differs", row.peak);
}

void printJson(const Row &row)
{
    std::printf("{\"nodes\":%zu,\"left\":%zu,\"gmac\":%s,\"fixed\":%zu,\"symbolic\":%zu,"
                "\"none\":%zu,\"open_ms\":%.3f,\"open_least_ms\":%.3f,\"fold_ms\":%.3f,"
                "\"ago_ms\":%.3f,\"export_ms\":%.3f,\"subgraphs\":%zu,\"back\":%s,"
                "\"peak_mb\":%.0f}\n",
                row.nodes, row.left, row.gmac ? std::to_string(*row.gmac).c_str() : "null",
                row.shapes.fixed, row.shapes.symbolic, row.shapes.unknown, row.openMedian,
                row.openLeast, row.folding, row.partitioning, row.exporting, row.subgraphs,
                row.back ? "true" : "false", row.peak);
}

} // namespace

int main(int argc, char **argv)
{
    std::vector<std::filesystem::path> files;
    std::filesystem::path models;
    int rounds = 5;
    bool json = false;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--models") == 0 && i + 1 < argc)
            models = argv[++i];
        else if (std::strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
            rounds = std::max(1, std::atoi(argv[++i]));
        else if (std::strcmp(argv[i], "--json") == 0)
            json = true;
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
    if (!json)
        std::printf(
            "%-26s %5s %5s %8s %15s | %38s | %s\n%-26s %5s %5s %8s %5s %4s %4s | %7s %7s %6s "
            "%6s %7s | %4s %s %5s\n",
            "", "", "", "", "output shapes", "milliseconds (host)", "subgraphs, MB", "model",
            "nodes", "left", "GMAC", "fixed", "sym.", "none", "open", "median", "fold", "ago",
            "export", "", "back", "peak");
    int failed = 0;
    for (const auto &file : files) {
        const auto row = measure(file, rounds, folder / "export.onnx");
        failed += !row || !row->back;
        if (!row)
            std::fprintf(json ? stderr : stdout, "%-26s %s\n", file.stem().c_str(),
                         row.error().text().c_str());
        else if (json)
            printJson(*row);
        else
            printLine(file.stem().string(), *row);
    }
    std::filesystem::remove_all(folder);
    if (!json)
        std::printf("%zu models, %d failed\n", files.size(), failed);
    return failed == 0 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
// The rewrite rules of DNNFusion on every model of a folder, by both strategies: time, FLOPs and
// nodes before and after, and which rules were used how often.
//
//     rewrite_bench --models FOLDER [--rules]
#include "engine/onnx/import.h"
#include "engine/ops/derive/infer.h"
#include "engine/plan/plan.h"
#include "engine/rewrite/drivers/rewrite.h"
#include "plugins/dnnfusion/rules/algebra/rules.h"
#include "plugins/dnnfusion/rules/cleanup/cleanup.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

using namespace graphloom;

namespace {

using Firings = std::map<std::string, std::size_t>;

/// Prints one line; false when rewriting failed.
bool measure(const std::string &name, const Plan &plan, const Opsets &opsets,
             std::span<const Rule> rules, RewriteOptions::Strategy strategy, Firings &firings)
{
    RewriteOptions options;
    options.strategy = strategy;
    const auto start = std::chrono::steady_clock::now();
    const auto result = rewrite(plan.graph, opsets, rules, options);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!result) {
        std::printf("%-20s %s\n", name.c_str(), result.error().text().c_str());
        return false;
    }
    const RewriteLog &log = result->log;
    for (const RewriteStep &step : log.steps)
        ++firings[step.rule];
    std::printf("%-20s %-20s %8.0f ms %6zu -> %5zu nodes %14.0f -> %14.0f FLOPs (-%.3f %%) %5zu "
                "steps\n",
                name.c_str(), log.strategy.c_str(), 1000 * seconds, plan.graph.nodeCount(),
                result->graph.nodeCount(), log.flopsBefore, log.flopsAfter,
                100 * (log.flopsBefore - log.flopsAfter) / std::max(log.flopsBefore, 1.0),
                log.steps.size());
    return true;
}

} // namespace

int main(int argc, char **argv)
{
    std::filesystem::path models = GRAPHLOOM_SAMPLES;
    bool listRules = false;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--models") == 0 && i + 1 < argc)
            models = argv[i + 1];
        listRules = listRules || std::strcmp(argv[i], "--rules") == 0;
    }
    std::vector<Rule> rules = dnnfusion::cleanupRules();
    for (const Rule &rule : dnnfusion::algebraicRules())
        if (rule.exact)
            rules.push_back(rule);
    std::printf("%zu rules\n", rules.size());
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(models))
        if (entry.path().extension() == ".onnx")
            files.push_back(entry.path());
    std::ranges::sort(files);
    int failed = 0;
    Firings all;
    for (const auto &file : files) {
        auto imported = importOnnx(file);
        if (!imported) {
            std::printf("%-20s %s\n", file.stem().c_str(), imported.error().text().c_str());
            ++failed;
            continue;
        }
        const auto model = std::make_shared<const Model>(*std::move(imported));
        const auto plan = initialPlan(model);
        if (!plan) {
            std::printf("%-20s %s\n", file.stem().c_str(), plan.error().text().c_str());
            ++failed;
            continue;
        }
        for (const auto strategy :
             {RewriteOptions::Strategy::Greedy, RewriteOptions::Strategy::EqualitySaturation}) {
            Firings firings;
            failed +=
                !measure(file.stem().string(), *plan, opsetsOf(*model), rules, strategy, firings);
            for (const auto &[rule, count] : firings) {
                if (listRules)
                    std::printf("    %5zu %s\n", count, rule.c_str());
                all[rule] += count;
            }
        }
    }
    std::printf("%zu rules were used\n", all.size());
    return failed == 0 ? 0 : 1;
}

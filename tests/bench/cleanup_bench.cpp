// SPDX-License-Identifier: Apache-2.0
// What the clean-up rules do to models: nodes before and after, how often each rule fires, which
// blocks are recognised afterwards, and how long it takes.
//     cleanup_bench MODEL.onnx...
// With --operators, the operators that are left.
#include "engine/onnx/import.h"
#include "engine/ops/derive/infer.h"
#include "engine/plan/plan.h"
#include "engine/rewrite/composites/recognition.h"
#include "engine/rewrite/drivers/rewrite.h"
#include "plugins/dnnfusion/rules/cleanup/cleanup.h"

#include <chrono>
#include <cstdio>
#include <map>
#include <string>

using namespace graphloom;

namespace {

std::map<std::string, int> operatorsOf(const Graph &graph)
{
    std::map<std::string, int> counts;
    for (const NodeId id : graph.order())
        ++counts[graph.node(id).qualifiedOp()];
    return counts;
}

void print(const char *title, const std::map<std::string, int> &counts)
{
    std::printf("    %s:", title);
    for (const auto &[name, count] : counts)
        std::printf(" %s %d", name.c_str(), count);
    std::printf("\n");
}

bool bench(const std::string &path, bool operators)
{
    auto model = importOnnx(path);
    auto plan = model ? initialPlan(std::make_shared<const Model>(std::move(*model)))
                      : Result<Plan>(tl::unexpected(model.error()));
    if (!plan) {
        std::printf("%s\n", plan.error().text().c_str());
        return false;
    }
    auto rules = dnnfusion::cleanupRules();
    std::erase_if(rules, [](const Rule &rule) { return !rule.exact; }); // as when nothing is said
    const Opsets opsets = opsetsOf(*plan->model);
    const auto start = std::chrono::steady_clock::now();
    const auto result = rewrite(plan->graph, opsets, rules);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (!result) {
        std::printf("%s: %s\n", path.c_str(), result.error().text().c_str());
        return false;
    }
    std::map<std::string, int> fired;
    for (const RewriteStep &step : result->log.steps)
        ++fired[step.rule];
    const auto slash = path.rfind('/');
    std::printf("%-24s %5zu -> %5zu nodes, %.4g -> %.4g GFLOP, %.2f s\n",
                path.substr(slash == std::string::npos ? 0 : slash + 1).c_str(),
                plan->graph.nodeCount(), result->graph.nodeCount(), result->log.flopsBefore / 1e9,
                result->log.flopsAfter / 1e9, took.count());
    print("fired", fired);
    std::map<std::string, int> blocks;
    for (const auto &block : recognise(result->graph, opsets))
        ++blocks[block.name];
    print("recognised", blocks);
    if (operators)
        print("left", operatorsOf(result->graph));
    return true;
}

} // namespace

int main(int argc, char **argv)
{
    const bool operators = argc > 1 && std::string(argv[1]) == "--operators";
    bool fine = argc > 1 + operators;
    for (int i = 1 + operators; i < argc; ++i)
        fine = bench(argv[i], operators) && fine;
    return fine ? 0 : 1;
}

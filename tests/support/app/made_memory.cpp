// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/app/made_memory.h"

namespace graphloom::test {

std::shared_ptr<const MemoryPlan> madeMemory(const Graph &graph)
{
    auto plan = std::make_shared<MemoryPlan>();
    const auto node = [&](std::size_t i) { return graph.node(graph.order()[i]).name; };
    const auto output = [&](std::size_t i) {
        return graph.tensor(graph.node(graph.order()[i]).outputs[0]).name;
    };
    plan->device = "made";
    plan->before = {10, 400, "unchanged order"};
    plan->after = {12, 300, "search"};
    plan->arenaBytes = 320;
    const std::int64_t bytes[] = {100, 200, 300, 150, 250};
    for (std::size_t s = 0; s < 5; ++s)
        plan->steps.push_back({node(s % 4), 2.0 * double(s), 2, bytes[s], s == 4});
    for (std::size_t s = 0; s < 4; ++s)
        plan->stepsBefore.push_back({node(s), 2.5 * double(s), 2.5, s == 2 ? 400 : 100, false});
    // Tensor a: 100 bytes, then swapped out, and back at the end; b takes over 50 of them.
    plan->lives = {{output(0), 0, 1, 100, 0},
                   {output(1), 1, 3, 150, 0},
                   {output(2), 2, 2, 120, 150},
                   {output(0), 4, 4, 100, 0}};
    plan->transfers = {{output(0), false, 2, 4}, {output(0), true, 6, 8}};
    plan->front = {{20, 200, "search"}, {12, 300, "search"}, {10, 390, "order"}};
    MemoryPlan::Baseline baseline;
    baseline.name = "micro-batching";
    baseline.points = {{15, 350, "2 parts"}, {25, 280, "4 parts"}};
    plan->baselines = {baseline};
    plan->recomputed = plan->swapped = 1;
    return plan;
}

SnapshotPointer withMemory(const SnapshotPointer &before)
{
    Plan plan = *before->plan;
    plan.memory = madeMemory(plan.graph);
    PassRecord record;
    record.pass = "scripted";
    record.summary = {{"peak_bytes_after", std::int64_t(300)}};
    plan.history.push_back(std::move(record));
    return snapshotOf(std::make_shared<const Plan>(std::move(plan)), before, {});
}

} // namespace graphloom::test

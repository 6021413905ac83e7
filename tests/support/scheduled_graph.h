// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/memory_schedule.h"
#include "tests/support/sketch.h"

namespace graphloom::test {

/// Holds y = Relu(joined of a and b) + flat view of h, with h swapped out meanwhile, and `a` placed
/// in the memory of `joined`. Tensors have eight floats each, `joined` has sixteen.
struct ScheduledGraph {
    TensorId x, h, flat, a, b, joined, r, part, y;
    Graph graph;
    MemorySchedule schedule;

    ScheduledGraph()
    {
        Sketch s;
        x = s.input("x", {1, 8});
        h = s.call("Tanh", {x});
        a = s.call("Sin", {x});
        b = s.call("Cos", {x});
        joined = s.call("Concat", {a, b}, {integer("axis", 1)});
        r = s.call("Relu", {joined});
        part = s.call("ReduceMean", {r}, {ints("axes", {1}), integer("keepdims", 1)});
        flat = s.call("Identity", {h});
        y = s.call("Add", {flat, part});
        graph = s.finish({y});
        schedule.order.assign(graph.order().begin(), graph.order().end());
        schedule.graphHash = graph.hash();
        const auto add = [&](std::int64_t bytes, std::uint32_t first, std::uint32_t last,
                             std::vector<MemorySchedule::Place> tensors,
                             std::vector<std::int64_t> offsets, int takesOver = -1) {
            schedule.storages.push_back(
                {bytes, first, last, false, takesOver, std::move(tensors), std::move(offsets)});
        };
        add(32, 0, 2, {{x, 0}}, {64});                // 0
        add(32, 0, 7, {{h, 0}, {flat, 0}}, {128, 0}); // 1
        add(64, 1, 4, {{a, 0}, {joined, 0}}, {0});    // 2
        add(32, 2, 2, {{b, 0}}, {128});               // 3, copied to its place
        add(64, 4, 5, {{r, 0}}, {0}, 2);              // 4
        add(4, 5, 7, {{part, 0}}, {64});              // 5
        add(32, 7, 7, {{y, 0}}, {0}, 1);              // 6
        schedule.swaps.push_back({1, 0, 1, 6, 6});
        schedule.copies.push_back({b, joined});
        schedule.workspaces.push_back({5, 1000});
        schedule.arenaBytes = 192;
    }
};

} // namespace graphloom::test

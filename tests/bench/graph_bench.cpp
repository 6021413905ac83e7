// SPDX-License-Identifier: Apache-2.0
// What a search pays for one candidate: a copy of a 4,000-node graph, one edit and the hash.
#include "tests/support/random_graph.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace graphloom;

namespace {

struct Timing {
    double least, median, most; // microseconds
};

Timing timingOf(std::vector<double> micros)
{
    std::sort(micros.begin(), micros.end());
    return {micros.front(), micros[micros.size() / 2], micros.back()};
}

/// Median over random places of the edit; `edit` takes a graph and a node and gives the hash.
template <class Edit> Timing measure(const Graph &graph, int rounds, Edit edit)
{
    test::Random random(1);
    std::vector<double> micros;
    std::uint64_t sum = 0;
    for (int i = -100; i < rounds; ++i) { // the first hundred warm up
        const NodeId id = graph.order()[test::below(random, graph.order().size())];
        const auto begin = std::chrono::steady_clock::now();
        sum += edit(graph, id, std::uint64_t(i + 100));
        const std::chrono::duration<double, std::micro> spent =
            std::chrono::steady_clock::now() - begin;
        if (i >= 0)
            micros.push_back(spent.count());
    }
    if (sum == 0) // keeps the work alive
        std::printf("-");
    return timingOf(std::move(micros));
}

std::uint64_t changeAttribute(const Graph &graph, NodeId id, std::uint64_t round)
{
    Node node = graph.node(id);
    node.attributes = node.attributes.with("axis", std::int64_t(round));
    const Graph edited = *graph.with(id, std::move(node));
    return edited.hash();
}

std::uint64_t insertNode(const Graph &graph, NodeId id, std::uint64_t)
{
    GraphEditor editor(graph);
    const TensorId before = graph.node(id).outputs.front();
    const TensorId after = editor.addTensor(graph.tensor(before));
    editor.replaceUses(before, after);
    Node node;
    node.op = "Identity";
    node.inputs = {before};
    node.outputs = {after};
    editor.addNode(std::move(node));
    const Graph edited = *std::move(editor).finish();
    return edited.hash();
}

void print(const char *what, const Timing &timing)
{
    std::printf("%-44s %8.1f %8.1f %8.1f\n", what, timing.least, timing.median, timing.most);
}

} // namespace

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 4000;
    const Graph graph = test::transformerGraph(4000);
    std::printf("%zu nodes, mask read %zu times, %d rounds; microseconds: min, median, max\n",
                graph.nodeCount(), graph.uses(graph.inputs()[1]).size(), rounds);
    print("copy", measure(graph, rounds, [](const Graph &g, NodeId id, std::uint64_t) {
              const Graph copy = g;
              return copy.hash() + id.index;
          }));
    const Timing change = measure(graph, rounds, changeAttribute);
    print("copy, change an attribute, hash", change);
    print("copy, insert a node behind a random one, hash", measure(graph, rounds, insertNode));
    const bool met = change.median <= 50;
    std::printf("copy + one edit + hash: median %.1f us, bound 50 us: %s\n", change.median,
                met ? "met" : "MISSED");
    return met ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
// What it takes to align graphs of 10,000 nodes that differ in a few, without names or origins to
// go by, and with them.
#include "engine/compare/graph_comparison.h"
#include "tests/support/random_graph.h"
#include "tests/support/synthetic_graphs.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace graphloom;

namespace {

/// The graph with every hundredth node's attributes changed.
Graph changed(Graph graph)
{
    const std::vector<NodeId> order(graph.order().begin(), graph.order().end());
    for (std::size_t i = 50; i < order.size(); i += 100) {
        Node node = graph.node(order[i]);
        node.attributes = node.attributes.with("changed", std::int64_t(i));
        graph = *graph.with(order[i], std::move(node));
    }
    return graph;
}

void measure(const char *name, const Graph &before, const Graph &now, const AlignmentHints &hints)
{
    std::vector<double> milliseconds;
    std::size_t differing = 0;
    for (int round = 0; round < 5; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        const GraphComparison comparison = compare(before, now, hints);
        milliseconds.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
                .count());
        differing = comparison.nodes.size() - comparison.count(Difference::Same);
    }
    std::sort(milliseconds.begin(), milliseconds.end());
    std::printf("%-34s %6zu nodes %8.1f ms, %zu differ\n", name, before.nodeCount(),
                milliseconds[milliseconds.size() / 2], differing);
}

} // namespace

int main()
{
    constexpr std::size_t nodes = 10000;
    test::Random random(1);
    for (const auto &[name, graph] :
         {std::pair{"ResNet", test::resNetLike(nodes)},
          std::pair{"transformer, one mask", test::transformer(nodes, true)},
          std::pair{"U-Net", test::unet(nodes)}}) {
        const Graph other = changed(graph);
        AlignmentHints hints;
        hints.sameIds = true;
        measure((std::string(name) + ", same ids").c_str(), graph, other, hints);
        measure((std::string(name) + ", other names and order").c_str(), graph,
                test::rebuilt(other, random), {});
    }
}

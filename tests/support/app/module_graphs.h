// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/snapshot.h"
#include "tests/support/app/window_driver.h"
#include "tests/support/graph_maker.h"
#include "tests/support/synthetic_graphs.h"

#include <random>

namespace graphloom::test {

/// Returns the model of a graph as views see it.
inline SnapshotPointer snapshotOfGraph(Graph graph)
{
    return snapshotOf(planOf(modelOf(std::move(graph))), nullptr, {});
}

/// Returns a chain of Relus with these names. `skips` holds further edges, by the positions of
/// their ends.
inline Graph named(const std::vector<std::string> &names,
                   const std::vector<std::pair<std::size_t, std::size_t>> &skips = {})
{
    GraphMaker maker;
    std::vector<TensorId> values{maker.input("x", {1, 8})};
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::vector<TensorId> reads{values.back()};
        for (const auto &[from, to] : skips)
            if (to == i)
                reads.push_back(values[from + 1]);
        const bool joins = reads.size() == 2;
        values.push_back(maker.call(joins ? "Add" : "Relu", std::move(reads), {1, 8}));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        Node node = maker.editor.graph().node(maker.nodes[i]);
        node.name = names[i];
        maker.editor.replaceNode(maker.nodes[i], node);
    }
    return maker.finish({values.back()});
}

/// Returns a random graph whose nodes are in random modules, which need not be convex: if a group
/// of modules spans the graph, other modules may be in between.
inline Graph randomModules(std::uint32_t nodes, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t bound) { return std::size_t(random() % bound); };
    GraphMaker maker;
    std::vector<TensorId> values{maker.input("x", {1, 8})};
    std::vector<std::string> names;
    std::string path;
    for (std::uint32_t i = 0; i < nodes; ++i) {
        const TensorId a =
            values[values.size() - 1 - below(std::min<std::size_t>(values.size(), 6))];
        const TensorId b =
            values[values.size() - 1 - below(std::min<std::size_t>(values.size(), 30))];
        values.push_back(a == b ? maker.call("Relu", {a}, {1, 8})
                                : maker.call("Add", {a, b}, {1, 8}));
        if (below(4) == 0) {
            path.clear();
            for (std::size_t level = below(4); level > 0; --level)
                path += "/m" + std::to_string(below(3));
        }
        names.push_back(path + "/n" + std::to_string(i));
    }
    for (std::uint32_t i = 0; i < nodes; ++i) {
        Node node = maker.editor.graph().node(maker.nodes[i]);
        node.name = names[i];
        maker.editor.replaceNode(maker.nodes[i], node);
    }
    std::vector<TensorId> outputs;
    for (const TensorId value : values)
        if (maker.editor.graph().uses(value).empty())
            outputs.push_back(value);
    return maker.finish(std::move(outputs));
}

} // namespace graphloom::test

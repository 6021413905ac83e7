// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/base/result.h"
#include "engine/ir/model.h"

#include <filesystem>
#include <string>
#include <vector>

namespace graphloom::layout {

/// A graph as Graphviz describes it.
struct DotGraph {
    struct Node {
        std::string name;          // unique
        std::string label, colour; // "#rrggbb"; empty: Graphviz' default
        std::uint32_t cluster = ~std::uint32_t{0};
        double width = 0, height = 0; // pixels; 0: as the label needs
    };
    struct Edge {
        std::uint32_t source = 0, target = 0;
        std::string label;
    };
    struct Cluster {
        std::string label;
        std::uint32_t parent = ~std::uint32_t{0}; // cluster around it, which has a lower index
    };
    std::string name;
    std::vector<Node> nodes;
    std::vector<Edge> edges;
    std::vector<Cluster> clusters;
};

/// Returns the graph in the DOT language, written by libcgraph.
Result<std::string> writeDot(const DotGraph &graph);

/// Reads a DOT file with libcgraph as a model whose nodes are opaque. The operator of a node is the
/// attribute `op`, or else the first line of its label; each edge becomes a tensor. Fails (Missing)
/// when there is no such file, (Model) when it is not DOT, holds an undirected graph or a cycle, or
/// is larger than 64 MiB.
Result<Model> readDot(const std::filesystem::path &path);

} // namespace graphloom::layout

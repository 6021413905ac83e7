// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/graph_facts.h"

#include <QString>

#include <optional>
#include <span>

namespace graphloom {

/// Tells how the figures of nodes are combined into one for a group.
enum class Aggregate { Sum, Most };
/// Tells how a figure is mapped to colours.
enum class Spread { Linear, Logarithmic };

/// A number that a node of a graph may have. Queries compare it, columns show it and nodes are
/// coloured by it. All figures follow from the graph and the operator table.
struct NodeFigure {
    const char *key; // key in queries: "cin"
    const char *title, *meaning;
    const char *example; // example of a comparison in queries: ">=64"
    enum class Unit { Count, Bytes, Ratio } unit = Unit::Count;
    Aggregate aggregate = Aggregate::Sum;
    Spread spread = Spread::Logarithmic;
    bool colours = true; // worth colouring by
    /// Returns the figure of a node, or nothing when the node has none or it depends on symbols.
    std::optional<double> (*of)(const Graph &graph, const GraphFacts &facts, NodeId id);

    QString text(double value) const;
    QString translatedTitle() const;
    QString translatedMeaning() const;
};

std::span<const NodeFigure> nodeFigures();
/// Returns the figure with that key, or null when there is none.
const NodeFigure *nodeFigure(QStringView key);

/// Returns, by node id, the bytes that are live while each node runs in topological order: tensors
/// written before and still to be read, its own outputs, the graph's inputs until their last
/// reader, and the graph's outputs; weights excluded. Tensors of unknown size count as 0.
std::vector<double> liveBytes(const Graph &graph);

} // namespace graphloom

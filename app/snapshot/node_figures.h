// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/graph_facts.h"

#include <QString>

#include <optional>
#include <span>

namespace graphloom {

/// How figures of nodes become one of a group.
enum class Aggregate { Sum, Most };
/// How a figure is spread over colours.
enum class Spread { Linear, Logarithmic };

/// A number that every node of a graph has or has not: what filters compare, columns show and nodes
/// are coloured by. All follow from the graph and the operator table.
struct NodeFigure {
    const char *key; // in filters: "cin"
    const char *title, *meaning;
    const char *example; // of a comparison in filters: ">=64"
    enum class Unit { Count, Bytes, Ratio } unit = Unit::Count;
    Aggregate aggregate = Aggregate::Sum;
    Spread spread = Spread::Logarithmic;
    bool colours = true; // worth colouring by
    /// None where the node has no such number, or one that depends on symbols.
    std::optional<double> (*of)(const Graph &graph, const GraphFacts &facts, NodeId id);

    QString text(double value) const;
    QString translatedTitle() const;
    QString translatedMeaning() const;
};

std::span<const NodeFigure> nodeFigures();
/// Null when there is none with that key.
const NodeFigure *nodeFigure(QStringView key);

/// The bytes that are live while each node runs, in the order of the graph: what was written before
/// and is still read, what it writes, the graph's inputs until their last reader and its outputs;
/// not weights. By node id; 0 where sizes are not known.
std::vector<double> liveBytes(const Graph &graph);

} // namespace graphloom

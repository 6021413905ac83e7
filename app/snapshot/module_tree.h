// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/group_forest.h"

#include "engine/plan/memory_plan.h"

#include <QStringList>

namespace graphloom {

/// The modules that a name says its node is in, from the outermost: "/layer1/layer1.0/conv1/Conv"
/// gives layer1, layer1.0, conv1; "model.encoder.layer.3.query" model, encoder, layer.3. Names of
/// the nodes of training graphs begin with a part of their own: "x/y.gradient.1" gives gradient, x;
/// "layer1.weight.update" optimizer, layer1. Parts of a fission ("y.part2of4") are where the whole
/// was. `known`: whether the name tells; of "Conv_12" it does not, of "/Conv" that it is in none.
QStringList modulesOf(const std::string &name, bool *known = nullptr);

/// The modules of a graph by the names of its nodes; where a node has none by those of its outputs,
/// then of the weights that it reads. A node that none of them tells of is where what it reads and
/// what reads it are both in.
GroupTree moduleTreeOf(const Graph &graph);

/// The regions of a memory plan's F-Tree in a graph, the plan's own or one in which they are cut
/// into parts. Of regions that overlap
/// without being in one another, those that are carried out come first, then the larger ones; the
/// others stay out.
struct FissionTree {
    GroupTree tree;
    std::vector<std::uint32_t> fissions; // by key: of plan.fissions
    std::size_t omitted = 0;             // for an overlap
};
FissionTree fissionTreeOf(const Graph &graph, const MemoryPlan &plan);

/// "4 parts", or "candidate, up to 16 parts".
QString titleOfFission(const MemoryPlan::Fission &fission);

} // namespace graphloom

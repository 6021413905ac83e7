// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/group_forest.h"

#include "engine/plan/memory_plan.h"

#include <QStringList>

namespace graphloom {

/// Returns the modules that the name of a node places it in, from the outermost:
/// "/layer1/layer1.0/conv1/Conv" gives layer1, layer1.0, conv1; "model.encoder.layer.3.query" gives
/// model, encoder, layer.3. Names in training graphs give the phase first: "x/y.gradient.1" gives
/// gradient, x; "layer1.weight.update" gives optimizer, layer1. Parts of a fission ("y.part2of4")
/// are in the modules of the original node. `known` is set to whether the name tells the modules:
/// "Conv_12" does not; "/Conv" tells that there are none.
QStringList modulesOf(const std::string &name, bool *known = nullptr);

/// Returns the modules of a graph, which are derived from the names of its nodes, or of the outputs
/// of nodes without a name, or of the weights that a node reads. A node that none of these places
/// is in the modules that its predecessors and successors have in common.
GroupTree moduleTreeOf(const Graph &graph);

/// The regions of a memory plan's F-Tree in a graph, which is the plan's own or one in which the
/// regions are split into parts. Where regions overlap without one containing the other, regions
/// that the plan splits are preferred, then larger ones; the others are omitted.
struct FissionTree {
    GroupTree tree;
    std::vector<std::uint32_t> fissions; // by key: index into plan.fissions
    std::size_t omitted = 0;             // regions omitted because they overlap others
};
FissionTree fissionTreeOf(const Graph &graph, const MemoryPlan &plan);

/// Returns the title of a fission: "4 parts", or "candidate, up to 16 parts".
QString titleOfFission(const MemoryPlan::Fission &fission);

} // namespace graphloom

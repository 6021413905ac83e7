// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/properties/properties.h"

namespace graphloom {

// These functions describe groups of nodes for the properties panel.

/// Returns a line that links to the group that a node is in.
Property membership(const Snapshot &snapshot, const Item &group);

/// Describes a subgraph: size, operators, inputs and outputs.
std::vector<PropertySection> subgraphProperties(const Snapshot &snapshot, const Item &subgraph);

/// Describes a module or a region of the F-Tree: size, operators, inner and outer groups, inputs
/// and outputs.
std::vector<PropertySection> moduleProperties(const Snapshot &snapshot, const Item &item);

/// Describes a block: mapping type, operators, inputs and outputs, fusion decisions, and why it is
/// not larger. For each border this gives the cause and the reason, with the neighbour as a link.
std::vector<PropertySection> blockProperties(const Snapshot &snapshot, const Item &block);

} // namespace graphloom

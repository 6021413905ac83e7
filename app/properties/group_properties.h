// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/properties/properties.h"

namespace graphloom {

// What there is to say about several nodes that are looked at as one.

/// The group that a node is in, as a line that leads there.
Property membership(const Snapshot &snapshot, const Item &group);

/// Size, operators, what it reads and writes.
std::vector<PropertySection> subgraphProperties(const Snapshot &snapshot, const Item &subgraph);

/// Of a module or a region of the F-Tree: size, operators, what is in it and around it, what it
/// reads and writes.
std::vector<PropertySection> moduleProperties(const Snapshot &snapshot, const Item &item);

/// Mapping type, operators, what it reads and writes, what was decided for fusion, and why it is
/// not larger: for each border the cause and the reason, with the neighbour as a link.
std::vector<PropertySection> blockProperties(const Snapshot &snapshot, const Item &block);

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"
#include "engine/profile/profile_database.h"

#include <span>

namespace graphloom {

/// The key of a set of nodes as one kernel, for a device and (so far) no schedule. Structure names
/// operators with the version of their form, attributes, what reads what, small constants by value
/// and others by type, and which values leave the kernel; ids, names and where the nodes are play
/// no part. Equal keys are of isomorphic sets. Isomorphic sets have equal keys, save for highly
/// symmetric ones with several results, which then have a few keys.
/// Fails (Usage) when an extent is symbolic: a latency is of definite extents.
Result<ProfileKey> kernelKeyOf(const Graph &graph, const Opsets &opsets,
                               std::span<const NodeId> nodes, std::string device = {});

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/device.h"
#include "engine/ir/graph.h"
#include "engine/ir/opsets.h"
#include "engine/profile/profile_database.h"

#include <span>
#include <string_view>

namespace graphloom {

/// Returns the device of a key: the fingerprint of a device that runs kernels with this number of
/// threads (0: one for each of its units). All that measure and all that look up use it.
std::string profiledDevice(const Device &device, unsigned threads);
/// Does the same for a fingerprint.
std::string profiledDevice(std::string_view fingerprint, unsigned threads);

/// Begins the schedule of a key if the kernel was timed as it is without tuning.
inline constexpr std::string_view defaultForm = "by default";

/// Returns the key of a set of nodes as one kernel, for a device and (so far) no schedule. The
/// structure consists of operators with the version of their form, attributes, what reads what,
/// small constants by value and others by type, and which values leave the kernel; ids, names and
/// the position of the nodes play no part. Equal keys imply isomorphic sets. Isomorphic sets have
/// equal keys, except for highly symmetric ones with several results, which then have a few keys.
/// Fails (Usage) if an extent is symbolic: a latency requires definite extents.
Result<ProfileKey> kernelKeyOf(const Graph &graph, const Opsets &opsets,
                               std::span<const NodeId> nodes, std::string device = {});

/// Returns a number that sets of nodes with equal keys have in common: a hash of their operators,
/// in any order. It takes much less time than the key, where it tells that nothing is known.
std::uint64_t operatorsHash(const Graph &graph, std::span<const NodeId> nodes);
/// Returns that number for the nodes that a key was made for.
std::uint64_t operatorsHash(const ProfileKey &key);

} // namespace graphloom

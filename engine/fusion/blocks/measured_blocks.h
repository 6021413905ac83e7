// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/blocks/block_cost.h"
#include "engine/profile/profile_database.h"

namespace graphloom {

/// Returns the median latencies of the blocks of a graph as measured for a device, given by name;
/// empty if the database has none of that device, or without a database. Of several provenances the
/// one nearest to the real device counts; modelled figures never do. Graph and opsets must outlive
/// the returned function. Fails as the database does.
Result<MeasuredBlocks> measuredBlocks(const ProfileDatabase *database, const std::string &device,
                                      const Graph &graph, const Opsets &opsets);

} // namespace graphloom

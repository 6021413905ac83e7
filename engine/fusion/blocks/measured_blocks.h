// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/blocks/block_cost.h"
#include "engine/profile/profile_database.h"

namespace graphloom {

/// Medians of the blocks of a graph as they were measured for a device, by its name; empty when
/// the database has none of that device, and without a database. Of several ways of measuring the
/// one nearest to the real device counts; modelled figures never do. Graph and opsets must outlive
/// the function. Fails as the database does.
Result<MeasuredBlocks> measuredBlocks(const ProfileDatabase *database, const std::string &device,
                                      const Graph &graph, const Opsets &opsets);

} // namespace graphloom

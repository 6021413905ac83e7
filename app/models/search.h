// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/models/place.h"
#include "app/models/query.h"
#include "app/models/snapshot.h"

#include <vector>

namespace graphloom {

/// Everything that a query asks for, from the model's inputs to its outputs: nodes, and inputs and
/// outputs by name, type and shape. What is in a nested graph follows the node that holds it.
/// Nothing for an empty query, and for one with a problem. `own` is of the model's own graph.
std::vector<Place> findPlaces(const Snapshot &own, const Query &query);
inline std::vector<Place> findPlaces(const Snapshot &own, const QString &text)
{
    return findPlaces(own, Query(text));
}

/// Which nodes of the graph that is shown match, by id.
std::vector<bool> nodesMatching(const Snapshot &snapshot, const Query &query);

} // namespace graphloom

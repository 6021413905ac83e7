// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash> // first: see query.h

#include "app/query/query.h"
#include "app/snapshot/place.h"
#include "app/snapshot/snapshot.h"

#include <functional>
#include <optional>
#include <vector>

namespace graphloom {

/// Says that somebody does not want to wait any longer; asked every few nodes.
using GivesUp = std::function<bool()>;
/// After so much of the calling thread's own time: other programs' does not count.
GivesUp afterMilliseconds(double milliseconds);
/// What a search may take of the thread of the window. What takes longer goes on elsewhere.
inline constexpr double searchPatience = 5;

/// Everything that a query asks for, from the model's inputs to its outputs: nodes, and inputs and
/// outputs by name, type and shape. What is in a nested graph follows the node that holds it.
/// Nothing for an empty query, and for one with a problem. `own` is of the model's own graph.
/// None when it was given up.
std::optional<std::vector<Place>> findPlaces(const Snapshot &own, const Query &query,
                                             const GivesUp &givesUp);
std::vector<Place> findPlaces(const Snapshot &own, const Query &query);
inline std::vector<Place> findPlaces(const Snapshot &own, const QString &text)
{
    return findPlaces(own, Query(text));
}

/// Which nodes of the graph that is shown match, by id. None when it was given up.
std::optional<std::vector<bool>> nodesMatching(const Snapshot &snapshot, const Query &query,
                                               const GivesUp &givesUp);
std::vector<bool> nodesMatching(const Snapshot &snapshot, const Query &query);

} // namespace graphloom

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

/// Tells whether to give up a search. It is called every few nodes.
using GivesUp = std::function<bool()>;
/// Returns a function that gives up after so many milliseconds of the calling thread's own CPU
/// time, so that other programs do not count.
GivesUp afterMilliseconds(double milliseconds);
/// Milliseconds that a search may take of the GUI thread. A longer search continues on a worker.
inline constexpr double searchPatience = 5;

/// Finds everything that matches a query, in topological order: nodes, and inputs and outputs by
/// name, type and shape. Matches in a nested graph follow the node that holds it. Finds nothing for
/// an empty query or one with a problem. `own` is the snapshot of the model's own graph. Returns
/// nothing when given up.
std::optional<std::vector<Place>> findPlaces(const Snapshot &own, const Query &query,
                                             const GivesUp &givesUp);
std::vector<Place> findPlaces(const Snapshot &own, const Query &query);
inline std::vector<Place> findPlaces(const Snapshot &own, const QString &text)
{
    return findPlaces(own, Query(text));
}

/// Returns, by node id, whether the nodes of the graph that is shown match, or nothing when given
/// up.
std::optional<std::vector<bool>> nodesMatching(const Snapshot &snapshot, const Query &query,
                                               const GivesUp &givesUp);
std::vector<bool> nodesMatching(const Snapshot &snapshot, const Query &query);

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/models/place.h"
#include "app/models/snapshot.h"

#include <vector>

namespace graphloom {

/// Everything that a text is found in, ignoring case, from the model's inputs to its outputs:
/// nodes by name, operator and the names of their tensors, inputs and outputs by name. What is in
/// a nested graph follows the node that holds it. Several words must all be found. Nothing for an
/// empty text. `own` is of the model's own graph.
std::vector<Place> findPlaces(const Snapshot &own, const QString &text);

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/models/item.h"
#include "app/models/snapshot.h"

#include <vector>

namespace graphloom {

/// Everything that a text is found in, ignoring case, from the model's inputs to its outputs:
/// nodes by name, operator and the names of their tensors, inputs and outputs by name. Several
/// words must all be found. Nothing for an empty text.
std::vector<Item> findItems(const Snapshot &snapshot, const QString &text);

} // namespace graphloom

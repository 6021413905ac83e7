// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <filesystem>
#include <string>

namespace graphloom {

/// The name of the file for the constants of a model that is written to `model`:
/// "model.onnx.0123456789abcdef.data", by what is in it. A model that is replaced has its data
/// under another name, unless they are the same, and is whole until it goes.
std::string externalDataName(const std::filesystem::path &model, const Graph &graph, bool flat);

/// Removes files beside a model that have a name of externalDataName() for it, but for the one that
/// is `kept` (a name, perhaps empty). What cannot be removed stays: it takes room and does no other
/// harm.
void removeOldData(const std::filesystem::path &model, const std::string &kept);

} // namespace graphloom

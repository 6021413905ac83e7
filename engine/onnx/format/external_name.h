// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <filesystem>
#include <string>

namespace graphloom {

/// Returns the name of the external data file for the constants of a model that is written to
/// `model`: "model.onnx.0123456789abcdef.data", which depends on its content. Data of a model that
/// is to be replaced has another name, unless it is the same, so the old model stays intact until
/// it is replaced.
std::string externalDataName(const std::filesystem::path &model, const Graph &graph, bool flat);

/// Removes files next to a model that externalDataName() may have named for it, except the one
/// called `kept` (may be empty). Files that cannot be removed stay: they take space and do no other
/// harm.
void removeOldData(const std::filesystem::path &model, const std::string &kept);

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/report.h"

#include <filesystem>
#include <vector>

namespace graphloom {

/// Reads an earlier report. Fails (Usage) when it is not one, or of another schema.
Result<nlohmann::ordered_json> readBaseline(const std::filesystem::path &path);

/// One gate for each figure of the earlier report that must not get worse: the partition's
/// number of subgraphs, of trivial ones and Jain's index, and that verification passed. A figure
/// that only the earlier report has fails. Times are not compared: they are noise between runs
/// and machines.
std::vector<Gate> compareWithBaseline(const nlohmann::ordered_json &baseline,
                                      const nlohmann::ordered_json &report);

/// What the two reports say differently of the model itself, in words; empty when nothing.
std::string modelDifferences(const nlohmann::ordered_json &baseline,
                             const nlohmann::ordered_json &report);

} // namespace graphloom

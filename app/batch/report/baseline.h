// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <stop_token>
#include <string>

namespace graphloom {

/// Reads an earlier report. Fails (Usage) if it is not one, or has another schema.
Result<nlohmann::ordered_json> readBaseline(const std::filesystem::path &path,
                                            std::stop_token stop = {});

/// Returns how the two reports differ about the model itself, in words, or an empty string if they
/// agree. Reports of earlier versions have no hash, which then is not compared.
std::string modelDifferences(const nlohmann::ordered_json &baseline,
                             const nlohmann::ordered_json &report);

} // namespace graphloom

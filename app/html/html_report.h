// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/html/picture.h"
#include "app/results/check.h"

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace graphloom {

/// Holds the content of an HTML report.
struct HtmlContent {
    const nlohmann::ordered_json &report; // as --report writes it
    std::string model, version;
    std::chrono::system_clock::time_point time;
    std::vector<Check> checks;
    std::vector<std::string> messages;
    std::vector<HtmlPicture> pictures;
    std::vector<std::string> withheld = {};
};

/// Returns the report as one self-contained page: no script, no other file, no network. The page
/// follows the reader's choice of dark or light.
std::string htmlOf(const HtmlContent &content);

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/html/html_report.h"

#include <string_view>

namespace graphloom {

// Return the parts of the page, each from its sections of the report; "" if it has none.

std::string checkSection(const HtmlContent &content);
std::string comparisonSection(const nlohmann::ordered_json &report);
std::string messageSection(const HtmlContent &content);
std::string modelSection(const HtmlContent &content);
/// Returns the pictures that belong to a section.
std::string picturesOf(const HtmlContent &content, std::string_view section);
std::string passSection(const nlohmann::ordered_json &report);
std::string differenceSection(const nlohmann::ordered_json &report);
std::string originSection(const nlohmann::ordered_json &report);
std::string rewriteSection(const nlohmann::ordered_json &report);
std::string fusionSection(const nlohmann::ordered_json &report);
std::string partitionSection(const nlohmann::ordered_json &report);
std::string memorySection(const nlohmann::ordered_json &report);
std::string paretoSection(const nlohmann::ordered_json &report);
std::string searchSection(const nlohmann::ordered_json &report);
std::string kernelSection(const nlohmann::ordered_json &report);
std::string verifySection(const nlohmann::ordered_json &report);
std::string environmentSection(const HtmlContent &content);

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace graphloom {

/// Holds a number or truth value of a report with its path, and its origin: the nearest
/// "provenance", "target", "device" and "threads" around it.
struct ReportFigure {
    std::string path; // "memory.plan.arena_bytes"
    nlohmann::ordered_json value;
    std::map<std::string, std::string> origin;
};

/// Returns the figures of a report in its order. Of its lists only those of test data are visited,
/// by their folders; the gates and comparisons of the report itself are skipped.
std::vector<ReportFigure> figuresOf(const nlohmann::ordered_json &report);

} // namespace graphloom

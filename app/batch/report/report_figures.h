// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace graphloom {

/// A number or truth of a report, by its path, and what it belongs to: the nearest "provenance",
/// "target", "device" and "threads" around it.
struct ReportFigure {
    std::string path; // "memory.plan.arena_bytes"
    nlohmann::ordered_json value;
    std::map<std::string, std::string> origin;
};

/// The figures of a report in its order. Of lists only those of test data are gone through, by
/// their folders; the gates and comparisons of the report itself are left out.
std::vector<ReportFigure> figuresOf(const nlohmann::ordered_json &report);

} // namespace graphloom

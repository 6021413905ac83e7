// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

namespace graphloom {

/// Tells which direction of a figure of the report is better.
enum class Better { Lower, Higher, True };
std::string_view nameOf(Better better);

/// Holds how to compare the figures whose path in the report matches a pattern (tolerance.h).
struct MetricRule {
    std::string_view path;
    std::optional<Better> better; // none: neither; it is not compared
    bool time = false;            // measured times vary with each run
};

/// Returns the first rule that matches, or null for an unknown figure. The table of rules is the
/// only place that defines which figures are compared with a baseline, and why others are not.
const MetricRule *metricRuleOf(std::string_view path);

/// Tells whether a pattern of --tolerance can match any figure that is compared.
bool matchesSomeMetric(std::string_view pattern);

} // namespace graphloom

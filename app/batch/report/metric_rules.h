// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

namespace graphloom {

/// Which way a figure of the report is better.
enum class Better { Lower, Higher, True };
std::string_view nameOf(Better better);

/// What is known of the figures whose path in the report matches a pattern (tolerance.h).
struct MetricRule {
    std::string_view path;
    std::optional<Better> better; // none: neither way; it is not compared
    bool time = false;            // measured ones are never the same twice
};

/// The first rule that matches; null for a figure that nobody has thought of. The table behind it
/// is the one place that says what is compared with a baseline, and what is not and why.
const MetricRule *metricRuleOf(std::string_view path);

/// Whether a pattern of --tolerance could match any figure that is compared.
bool matchesSomeMetric(std::string_view pattern);

} // namespace graphloom

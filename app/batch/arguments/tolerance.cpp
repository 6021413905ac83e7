// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/arguments/tolerance.h"

#include "app/batch/arguments/argument_values.h"

#include <cmath>
#include <cstdio>

namespace graphloom {

double Tolerance::slackAt(double before) const
{
    return relative ? amount * std::abs(before) : amount;
}

std::string Tolerance::text() const
{
    char text[40];
    std::snprintf(text, sizeof text, relative ? "%.4g %%" : "%.6g",
                  relative ? 100 * amount : amount);
    return text;
}

Result<Tolerance> toleranceOf(const std::string &text)
{
    const auto refuse = [&] {
        return fail(
            Error::Kind::Usage,
            "expected METRIC=5% or METRIC=3 with a number of at least 0, such as latency.*=5% "
            "or partition.subgraphs=2",
            "--tolerance " + text);
    };
    const auto equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0)
        return refuse();
    std::string_view value = std::string_view(text).substr(equals + 1);
    Tolerance tolerance;
    tolerance.pattern = text.substr(0, equals);
    tolerance.relative = value.ends_with('%');
    if (tolerance.relative)
        value.remove_suffix(1);
    const auto amount = numberOf<double>(value);
    if (!amount || !std::isfinite(*amount) || *amount < 0)
        return refuse();
    tolerance.amount = tolerance.relative ? *amount / 100 : *amount;
    return tolerance;
}

bool matchesPattern(std::string_view pattern, std::string_view text)
{
    // It is sufficient to backtrack to the last *.
    std::size_t p = 0, t = 0, star = std::string_view::npos, from = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            from = t;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++from;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*')
        ++p;
    return p == pattern.size();
}

} // namespace graphloom

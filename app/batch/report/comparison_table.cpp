// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/report/comparison.h"

#include "engine/system/json_text.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace graphloom {

namespace {

constexpr std::size_t tableColumns = 7;
using TableRow = std::array<std::string, tableColumns>;

std::string figureText(const nlohmann::ordered_json &value)
{
    if (value.is_null())
        return "-";
    if (!value.is_number_float())
        return jsonText(value);
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value.get<double>());
    return text;
}

std::string changeText(const FigureComparison &compared)
{
    const double change = compared.change();
    if (change == 0 || compared.outcome == FigureComparison::Outcome::Incomparable)
        return "";
    char text[32];
    std::snprintf(text, sizeof text, "%+.2f %%", 100 * change);
    return text;
}

TableRow rowOf(const FigureComparison &compared)
{
    const bool flag = compared.better == Better::True;
    std::string outcome(nameOf(compared.outcome));
    if (!compared.passed())
        outcome = "**" + outcome + "**";
    if (!compared.reason.empty())
        outcome += ": " + compared.reason;
    // Escape "|" in names.
    std::string metric = compared.metric;
    for (std::size_t at = 0; (at = metric.find('|', at)) != std::string::npos; at += 2)
        metric.insert(at, "\\");
    return {metric,
            std::string(nameOf(compared.better)),
            figureText(compared.before),
            figureText(compared.now),
            changeText(compared),
            flag ? "" : compared.tolerance.text(),
            outcome};
}

} // namespace

std::string tableOf(const std::vector<FigureComparison> &comparisons)
{
    std::vector<TableRow> rows = {
        {"metric", "better", "baseline", "now", "change", "tolerance", "outcome"}};
    for (const FigureComparison &compared : comparisons)
        rows.push_back(rowOf(compared));
    std::array<std::size_t, tableColumns> widths = {};
    for (const TableRow &row : rows)
        for (std::size_t c = 0; c < tableColumns; ++c)
            widths[c] = std::max(widths[c], row[c].size());
    const auto isNumber = [](std::size_t c) { return c >= 2 && c <= 5; };
    std::string text;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        text += '|';
        for (std::size_t c = 0; c < tableColumns; ++c) {
            const std::string space(widths[c] - rows[r][c].size(), ' ');
            text += ' ' + (isNumber(c) ? space + rows[r][c] : rows[r][c] + space) + " |";
        }
        text += '\n';
        if (r > 0)
            continue;
        text += '|';
        for (std::size_t c = 0; c < tableColumns; ++c)
            text += ' ' + std::string(widths[c] - 1, '-') + (isNumber(c) ? ":" : "-") + " |";
        text += '\n';
    }
    return text;
}

std::string countsOf(const std::vector<FigureComparison> &comparisons)
{
    using Outcome = FigureComparison::Outcome;
    std::string text =
        std::to_string(comparisons.size()) + (comparisons.size() == 1 ? " figure" : " figures");
    const char *separator = ": ";
    for (const Outcome outcome : {Outcome::Worse, Outcome::Missing, Outcome::Incomparable,
                                  Outcome::Within, Outcome::Better, Outcome::Same}) {
        const auto count = std::ranges::count(comparisons, outcome, &FigureComparison::outcome);
        if (count == 0)
            continue;
        text += separator + std::to_string(count) + " " + std::string(nameOf(outcome));
        separator = ", ";
    }
    return text;
}

} // namespace graphloom

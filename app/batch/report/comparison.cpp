// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/report/comparison.h"

#include "app/batch/report/report_figures.h"
#include "engine/cost/call_timer.h"
#include "engine/system/json_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace graphloom {

namespace {

using ComparedJson = nlohmann::ordered_json;
using Outcome = FigureComparison::Outcome;

std::string percentText(double share)
{
    char text[32];
    std::snprintf(text, sizeof text, "%+.2f %%", 100 * share);
    return text;
}

/// Returns whether times were measured in any way. Modelled times of this machine are sums over
/// measured calls.
bool wasMeasured(const ReportFigure &figure)
{
    const auto is = [&](const char *key, std::string_view value) {
        const auto found = figure.origin.find(key);
        return found != figure.origin.end() && found->second == value;
    };
    return figure.origin.contains("provenance") &&
           (!is("provenance", nameOf(Provenance::Modelled)) || is("device", thisMachine));
}

Tolerance toleranceFor(const ReportFigure &figure, const MetricRule &rule,
                       const std::vector<Tolerance> &tolerances)
{
    for (auto tolerance = tolerances.rbegin(); tolerance != tolerances.rend(); ++tolerance)
        if (matchesPattern(tolerance->pattern, figure.path))
            return *tolerance;
    if (rule.time && wasMeasured(figure))
        return {figure.path, measuredTolerance, true};
    return {figure.path, 0, false};
}

/// Returns why two figures cannot be compared; empty if they can.
std::string differentOrigin(const ReportFigure &now, const ReportFigure &before, bool time,
                            const ComparedJson &report, const ComparedJson &baseline)
{
    const auto difference = [](const std::string &what, const std::string &a,
                               const std::string &b) {
        return a == b ? std::string()
                      : what + " is " + (a.empty() ? "unknown" : "\"" + a + "\"") + ", was " +
                            (b.empty() ? "unknown" : "\"" + b + "\"");
    };
    const bool measured = time && (wasMeasured(now) || wasMeasured(before));
    for (const std::string key : {"provenance", "target", "device", "instruction_set", "threads"}) {
        if (!measured && (key == "threads" || key == "instruction_set"))
            continue;
        const auto a = now.origin.find(key), b = before.origin.find(key);
        if (key == "instruction_set" && (a == now.origin.end() || b == before.origin.end()))
            continue; // missing in reports of earlier versions
        const std::string text = difference(key, a == now.origin.end() ? "" : a->second,
                                            b == before.origin.end() ? "" : b->second);
        if (!text.empty())
            return text;
    }
    if (!measured)
        return {};
    const auto cpuOf = [](const ComparedJson &of) {
        const ComparedJson::json_pointer cpu("/environment/cpu");
        return of.contains(cpu) && of.at(cpu).is_string() ? of.at(cpu).get<std::string>() : "";
    };
    return difference("processor", cpuOf(report), cpuOf(baseline));
}

Outcome judged(const FigureComparison &compared)
{
    if (compared.better == Better::True) {
        if (!compared.now.is_boolean() || !compared.before.is_boolean())
            return Outcome::Missing;
        const bool now = compared.now.get<bool>(), before = compared.before.get<bool>();
        return now == before ? Outcome::Same : now ? Outcome::Better : Outcome::Worse;
    }
    if (!compared.now.is_number() || !compared.before.is_number())
        return Outcome::Missing;
    const double before = compared.before.get<double>();
    const double worse =
        (compared.now.get<double>() - before) * (compared.better == Better::Lower ? 1 : -1);
    // Summation in another order may change the last digits of a figure.
    const double rounding = 1e-9 * std::abs(before);
    if (std::abs(worse) <= rounding)
        return Outcome::Same;
    if (worse < 0)
        return Outcome::Better;
    return worse <= compared.tolerance.slackAt(before) + rounding ? Outcome::Within
                                                                  : Outcome::Worse;
}

} // namespace

std::string_view nameOf(Outcome outcome)
{
    switch (outcome) {
    case Outcome::Same:
        return "same";
    case Outcome::Better:
        return "better";
    case Outcome::Within:
        return "tolerated";
    case Outcome::Worse:
        return "worse";
    case Outcome::Missing:
        return "missing";
    case Outcome::Incomparable:
        break;
    }
    return "not comparable";
}

double FigureComparison::change() const
{
    if (!now.is_number() || !before.is_number() || before.get<double>() == 0)
        return 0;
    return (now.get<double>() - before.get<double>()) / std::abs(before.get<double>());
}

std::string FigureComparison::message() const
{
    std::string text =
        (now.is_null() ? "not in this report" : jsonText(now)) + ", was " + jsonText(before);
    if (outcome == Outcome::Incomparable)
        return text + ": not comparable, because " + reason;
    if (const double share = change(); share != 0)
        text += " (" + percentText(share) + ")";
    if (outcome == Outcome::Worse && better != graphloom::Better::True)
        text += "; tolerance " + tolerance.text();
    return text;
}

std::vector<FigureComparison> compareWithBaseline(const ComparedJson &baseline,
                                                  const ComparedJson &report,
                                                  const std::vector<Tolerance> &tolerances)
{
    std::map<std::string, ReportFigure> present;
    for (ReportFigure &figure : figuresOf(report))
        present.emplace(figure.path, std::move(figure));
    std::vector<FigureComparison> comparisons;
    for (const ReportFigure &before : figuresOf(baseline)) {
        const MetricRule *rule = metricRuleOf(before.path);
        if (!rule || !rule->better)
            continue;
        FigureComparison compared{before.path,
                                  *rule->better,
                                  before.value,
                                  nullptr,
                                  toleranceFor(before, *rule, tolerances),
                                  Outcome::Missing,
                                  {}};
        if (const auto now = present.find(before.path); now != present.end()) {
            compared.now = now->second.value;
            compared.reason = differentOrigin(now->second, before, rule->time, report, baseline);
            compared.outcome = compared.reason.empty() ? judged(compared) : Outcome::Incomparable;
        }
        comparisons.push_back(std::move(compared));
    }
    return comparisons;
}

std::vector<Gate> gatesOf(const std::vector<FigureComparison> &comparisons)
{
    std::vector<Gate> gates;
    for (const FigureComparison &compared : comparisons)
        gates.push_back({"baseline", compared.metric, compared.passed(), compared.message()});
    return gates;
}

ComparedJson reportOf(const std::vector<FigureComparison> &comparisons)
{
    ComparedJson section = ComparedJson::array();
    for (const FigureComparison &compared : comparisons) {
        section.push_back({{"metric", compared.metric},
                           {"better", nameOf(compared.better)},
                           {"before", compared.before},
                           {"now", compared.now},
                           {"change", compared.change()},
                           {"tolerance", compared.tolerance.amount},
                           {"tolerance_relative", compared.tolerance.relative},
                           {"outcome", nameOf(compared.outcome)}});
        if (!compared.reason.empty())
            section.back()["reason"] = compared.reason;
    }
    return section;
}

} // namespace graphloom

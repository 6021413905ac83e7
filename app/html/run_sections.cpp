// SPDX-License-Identifier: GPL-3.0-or-later
// Sections of the page on the run: checks, messages, model, pictures, environment.
#include "app/common/markup.h"
#include "app/common/utc_time.h"
#include "app/html/html_sections.h"
#include "app/html/html_text.h"

#include <nlohmann/json.hpp>

namespace graphloom {

namespace {

/// Returns a word and a sign, so that colour is not the only carrier of meaning.
const char *outcomeWord(Check::Outcome outcome)
{
    switch (outcome) {
    case Check::Outcome::Passed:
        return "\u2713 passed";
    case Check::Outcome::Failed:
        return "\u2717 FAILED";
    case Check::Outcome::Error:
        return "\u2717 ERROR";
    case Check::Outcome::Skipped:
        break;
    }
    return "\u2013 skipped";
}

} // namespace

std::string checkSection(const HtmlContent &content)
{
    HtmlTable table("Steps, checks and outputs",
                    {"name", "kind", "outcome", "details", "#seconds"});
    for (const Check &check : content.checks)
        if (check.group != "baseline") // has a table of its own
            table.addRow({check.name, check.group, outcomeWord(check.outcome), check.message,
                          check.seconds > 0 ? numberText(check.seconds) : ""});
    std::string text = table.empty() ? "" : table.html();
    if (!content.withheld.empty()) {
        HtmlTable withheld("Not written because a check failed", {"output"});
        for (const std::string &output : content.withheld)
            withheld.addRow({output});
        text += withheld.html();
    }
    return text;
}

std::string comparisonSection(const nlohmann::ordered_json &report)
{
    const auto &rows = valueAt(report, {"comparison"});
    if (!rows.is_array() || rows.empty())
        return {};
    HtmlTable table(
        "Figures compared with the baseline",
        {"figure", "better is", "#baseline", "#now", "#change", "#tolerance", "outcome"});
    for (const auto &row : rows) {
        const double tolerance = numberAt(row, {"tolerance"}), change = numberAt(row, {"change"});
        const bool relative = valueText(valueAt(row, {"tolerance_relative"})) == "yes";
        const std::string outcome = valueText(valueAt(row, {"outcome"}));
        const bool failed =
            outcome == "worse" || outcome == "missing" || outcome == "not comparable";
        const std::string reason = valueText(valueAt(row, {"reason"}));
        table.addRow(
            {valueText(valueAt(row, {"metric"})), valueText(valueAt(row, {"better"})),
             valueText(valueAt(row, {"before"})), valueText(valueAt(row, {"now"})),
             change == 0 ? "" : numberText(100 * change) + " %",
             relative ? numberText(100 * tolerance) + " %" : numberText(tolerance),
             (failed ? "\u2717 " : "\u2713 ") + outcome + (reason.empty() ? "" : ": " + reason)});
    }
    return table.html();
}

std::string messageSection(const HtmlContent &content)
{
    if (content.messages.empty())
        return {};
    HtmlTable table("Warnings and errors", {"message"});
    for (const std::string &message : content.messages)
        table.addRow({message});
    return table.folded();
}

std::string modelSection(const HtmlContent &content)
{
    const auto &model = valueAt(content.report, {"model"});
    std::string text = factsTable(
        "Original model", {{"file", content.model},
                           {"hash of graph and weights", valueText(valueAt(model, {"hash"}))},
                           {"nodes", valueText(valueAt(model, {"nodes"}))},
                           {"opaque nodes", valueText(valueAt(model, {"opaque_nodes"}))},
                           {"parameters", valueText(valueAt(model, {"parameters"}))},
                           {"multiply-accumulates", valueText(valueAt(model, {"macs"}))},
                           {"operator set", valueText(valueAt(model, {"opset"}))}});
    const auto &operators = valueAt(model, {"operators"});
    if (operators.is_object() && !operators.empty()) {
        HtmlTable table("Operators", {"operator", "#nodes"});
        for (const auto &[name, count] : operators.items())
            table.addRow({name, valueText(count)});
        text += table.folded();
    }
    const auto &training = valueAt(content.report, {"training"});
    if (training.is_object()) {
        std::vector<std::pair<std::string, std::string>> facts;
        for (const auto &[key, value] : training.items())
            if (value.is_primitive())
                facts.emplace_back(key, valueText(value));
        text += factsTable("Training step", facts);
    }
    return text;
}

std::string picturesOf(const HtmlContent &content, std::string_view section)
{
    std::string text;
    for (const HtmlPicture &picture : content.pictures) {
        if (picture.section != section)
            continue;
        const std::string title = escapedMarkup(picture.title);
        std::string svg = picture.svg;
        if (svg.starts_with("<svg")) // screen readers read its <title> and <desc>
            svg.insert(4, " role=\"img\"");
        text += "<figure><style>" + picture.style + "</style>";
        if (picture.large) {
            const std::string id = "full" + std::to_string(&picture - content.pictures.data());
            text += "<input type=\"checkbox\" id=\"" + id + "\"><label for=\"" + id +
                    "\">full size</label><div class=\"drawing\" tabindex=\"0\" "
                    "role=\"region\" aria-label=\"" +
                    title + "\">" + svg + "</div>";
        } else {
            text += "<div class=\"chart\">" + svg + "</div>";
        }
        text += "<figcaption><strong>" + title + "</strong>";
        for (const std::string &note : picture.notes)
            text += "<br>" + escapedMarkup(note);
        text += "</figcaption></figure>\n";
    }
    return text;
}

std::string environmentSection(const HtmlContent &content)
{
    const auto &environment = valueAt(content.report, {"environment"});
    return factsTable("Environment", {{"Graphloom", content.version},
                                      {"time (UTC)", utcTime(content.time)},
                                      {"processor", valueText(valueAt(environment, {"cpu"}))},
                                      {"threads", valueText(valueAt(environment, {"threads"}))},
                                      {"compiler", valueText(valueAt(environment, {"compiler"}))},
                                      {"device", valueText(valueAt(environment, {"device"}))}});
}

} // namespace graphloom

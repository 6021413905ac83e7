// SPDX-License-Identifier: GPL-3.0-or-later
// Sections of the page on the origin of nodes and on differences from another plan.
#include "app/html/html_sections.h"
#include "app/html/html_text.h"

#include <nlohmann/json.hpp>

namespace graphloom {

namespace {

using DifferenceJson = nlohmann::ordered_json;

std::string allOf(const DifferenceJson &list, const char *separator)
{
    std::string text;
    if (list.is_array())
        for (const auto &entry : list)
            text += (text.empty() ? "" : separator) + valueText(entry);
    return text;
}

/// Returns a word and a sign, so that colour is not the only carrier of meaning.
std::string signedWord(const std::string &difference)
{
    if (difference == "added")
        return "+ added";
    if (difference == "removed")
        return "\u2212 removed";
    return difference == "changed" ? "~ changed" : "renamed";
}

std::string figureText(const DifferenceJson &side, const std::string &unit)
{
    if (!side.is_object())
        return "none";
    const double value = numberAt(side, {"value"});
    const std::string of = valueText(valueAt(side, {"of"}));
    return (unit == "bytes" ? byteText(value)
            : unit == "ms"  ? timeText(value)
                            : valueText(valueAt(side, {"value"}))) +
           " (" + valueText(valueAt(side, {"provenance"})) + (of.empty() ? "" : ", " + of) + ")";
}

std::string metricTable(const DifferenceJson &metrics)
{
    HtmlTable table("Figures of both plans",
                    {"figure", "#before", "#now", "#difference", "#ratio"});
    for (const auto &metric : metrics) {
        const std::string unit = valueText(valueAt(metric, {"unit"}));
        const bool comparable = metric.contains("difference");
        const double difference = numberAt(metric, {"difference"});
        table.addRow({valueText(valueAt(metric, {"name"})),
                      figureText(valueAt(metric, {"before"}), unit),
                      figureText(valueAt(metric, {"now"}), unit),
                      !comparable       ? "not comparable"
                      : unit == "bytes" ? (difference < 0 ? "\u2212" : "") +
                                              byteText(difference < 0 ? -difference : difference)
                                        : numberText(difference),
                      comparable ? valueText(valueAt(metric, {"ratio"})) : ""});
    }
    return table.empty() ? "" : table.html();
}

} // namespace

std::string differenceSection(const DifferenceJson &report)
{
    const DifferenceJson &section = valueAt(report, {"differences"});
    if (!section.is_object())
        return {};
    const auto count = [&](const char *kind) {
        return valueText(valueAt(section, {(std::string("nodes_") + kind).c_str()}));
    };
    std::string text =
        paragraph("Compared with " + valueText(valueAt(section, {"with"})) + ": " + count("same") +
                  " nodes unchanged, " + count("changed") + " changed, " + count("added") +
                  " added, " + count("removed") + " removed.");
    text += metricTable(valueAt(section, {"metrics"}));
    HtmlTable nodes("Nodes that differ", {"node", "operator", "difference", "details"});
    for (const auto &node : valueAt(section, {"nodes"})) {
        const bool now = node.contains("node");
        std::string what = allOf(valueAt(node, {"changes"}), "; ");
        if (const std::string relation = valueText(valueAt(node, {"relation"})); !relation.empty())
            what += (what.empty() ? "" : "; ") + relation;
        const std::string difference = valueText(valueAt(node, {"difference"}));
        if (difference == "same")
            what = "was " + valueText(valueAt(node, {"node_before"}));
        nodes.addRow({valueText(valueAt(node, {now ? "node" : "node_before"})),
                      valueText(valueAt(node, {now ? "operator" : "operator_before"})),
                      signedWord(difference), what});
    }
    if (!nodes.empty())
        text += nodes.folded();
    HtmlTable tensors("Inputs, outputs and constants that differ",
                      {"tensor", "role", "difference", "details"});
    for (const auto &tensor : valueAt(section, {"tensors"}))
        tensors.addRow({valueText(valueAt(tensor, {"tensor"})),
                        valueText(valueAt(tensor, {"role"})),
                        signedWord(valueText(valueAt(tensor, {"difference"}))),
                        allOf(valueAt(tensor, {"changes"}), "; ")});
    return tensors.empty() ? text : text + tensors.folded();
}

std::string originSection(const DifferenceJson &report)
{
    const DifferenceJson &section = valueAt(report, {"provenance"});
    if (!section.is_object())
        return {};
    HtmlTable nodes("Nodes of the plan and the original nodes that they implement",
                    {"node", "original nodes"});
    std::size_t kept = 0;
    for (const auto &[name, originals] : valueAt(section, {"nodes"}).items()) {
        if (originals.size() == 1 && originals[0] == name)
            ++kept;
        else
            nodes.addRow({name, allOf(originals, ", ")});
    }
    HtmlTable gone("Original nodes without a successor", {"node", "result", "reason"});
    for (const auto &node : valueAt(section, {"without_successor"}))
        gone.addRow({valueText(valueAt(node, {"node"})), valueText(valueAt(node, {"fate"})),
                     valueText(valueAt(node, {"reason"}))});
    if (nodes.empty() && gone.empty())
        return {};
    std::string text = paragraph(std::to_string(kept) + " nodes are unchanged.");
    if (!nodes.empty())
        text += nodes.folded();
    return gone.empty() ? text : text + gone.folded();
}

} // namespace graphloom

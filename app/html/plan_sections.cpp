// SPDX-License-Identifier: GPL-3.0-or-later
// Sections of the page on the plan: passes, rewriting, fusion, partition.
#include "app/html/html_sections.h"
#include "app/html/html_text.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace graphloom {

namespace {

using PlanJson = nlohmann::ordered_json;

/// Returns a shortened list: "a, b, c and 4 more".
std::string listText(const PlanJson &list, std::size_t most = 6)
{
    std::string text;
    if (!list.is_array())
        return text;
    for (std::size_t i = 0; i < std::min(most, list.size()); ++i)
        text += (i ? ", " : "") + valueText(list[i]);
    if (list.size() > most)
        text += " and " + std::to_string(list.size() - most) + " more";
    return text;
}

std::vector<std::pair<std::string, std::string>> primitiveFacts(const PlanJson &section)
{
    std::vector<std::pair<std::string, std::string>> facts;
    if (section.is_object())
        for (const auto &[key, value] : section.items())
            if (value.is_primitive())
                facts.emplace_back(key, valueText(value));
    return facts;
}

std::string blockTable(const PlanJson &blocks)
{
    HtmlTable table("Fusion blocks", {"#block", "operators", "nodes", "mapping", "pattern",
                                      "#intermediate bytes removed", "why not larger"});
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const PlanJson &block = blocks[b];
        const PlanJson &borders = valueAt(block, {"borders"});
        const std::string why = borders.is_array() && !borders.empty()
                                    ? valueText(valueAt(borders[0], {"reason"}))
                                    : "";
        table.addRow({std::to_string(b), listText(valueAt(block, {"operators"})),
                      listText(valueAt(block, {"nodes"}), 3),
                      valueText(valueAt(block, {"mapping"})),
                      valueText(valueAt(block, {"pattern"})),
                      byteText(numberAt(block, {"removed_bytes"})), why});
    }
    return table.folded();
}

/// Bin i holds weights in [2^i, 2^(i+1)), bin 0 also those below 1, as in AGO's Fig. 14.
std::vector<std::size_t> weightBins(const PlanJson &partition)
{
    std::vector<std::size_t> bins;
    const PlanJson &weights = valueAt(partition, {"weights"});
    if (!weights.is_array())
        return bins;
    for (const PlanJson &weight : weights) {
        const double value = weight.is_number() ? weight.get<double>() : 0;
        const auto bin = std::size_t(value < 1 ? 0 : std::floor(std::log2(value)));
        bins.resize(std::max(bins.size(), bin + 1));
        ++bins[bin];
    }
    return bins;
}

std::string weightTable(const PlanJson &partition)
{
    const auto own = weightBins(partition), other = weightBins(valueAt(partition, {"baseline"}));
    std::vector<std::string> headings{"weight", "#" + valueText(valueAt(partition, {"method"}))};
    if (!other.empty())
        headings.push_back("#" + valueText(valueAt(partition, {"baseline", "method"})));
    HtmlTable table("Subgraphs by weight", headings);
    for (std::size_t bin = 0; bin < std::max(own.size(), other.size()); ++bin) {
        const auto count = [&](const std::vector<std::size_t> &bins) {
            return std::to_string(bin < bins.size() ? bins[bin] : 0);
        };
        std::vector<std::string> row{numberText(bin == 0 ? 0 : std::exp2(bin)) + " to " +
                                         numberText(std::exp2(bin + 1)),
                                     count(own)};
        if (!other.empty())
            row.push_back(count(other));
        table.addRow(row);
    }
    return table.empty() ? std::string() : table.folded(0);
}

} // namespace

std::string passSection(const PlanJson &report)
{
    const PlanJson &passes = valueAt(report, {"passes"});
    std::string text;
    if (!passes.is_array())
        return text;
    for (const PlanJson &pass : passes) {
        const std::string name = valueText(valueAt(pass, {"name"}));
        text += factsTable("Results of " + name, [&] {
            auto facts = primitiveFacts(valueAt(pass, {"summary"}));
            facts.emplace_back("seconds", valueText(valueAt(pass, {"seconds"})) + " (" +
                                              valueText(valueAt(pass, {"provenance"})) + ")");
            return facts;
        }());
        HtmlTable settings("Settings of " + name, {"setting", "#value"});
        for (const auto &[key, value] : primitiveFacts(valueAt(pass, {"settings"})))
            settings.addRow({key, value});
        if (!settings.empty())
            text += settings.folded(0);
    }
    return text;
}

std::string rewriteSection(const PlanJson &report)
{
    const PlanJson &rewrite = valueAt(report, {"rewrite"});
    if (!rewrite.is_object())
        return {};
    std::string text =
        paragraph("Strategy " + valueText(valueAt(rewrite, {"strategy"})) + ": " +
                  numberText(numberAt(rewrite, {"flops_before"})) + " FLOPs before, " +
                  numberText(numberAt(rewrite, {"flops_after"})) + " after (" +
                  valueText(valueAt(rewrite, {"provenance"})) + ").");
    HtmlTable rules("Applied rules", {"rule", "#applications", "#FLOPs saved"});
    if (valueAt(rewrite, {"applied"}).is_array())
        for (const PlanJson &rule : rewrite["applied"])
            rules.addRow({valueText(valueAt(rule, {"rule"})), valueText(valueAt(rule, {"count"})),
                          numberText(numberAt(rule, {"flops_saved"}))});
    if (!rules.empty())
        text += rules.html();
    HtmlTable steps("Rewrite steps", {"#step", "rule", "location", "#FLOPs saved"});
    if (valueAt(rewrite, {"steps"}).is_array())
        for (const PlanJson &step : rewrite["steps"])
            steps.addRow({std::to_string(steps.rows() + 1), valueText(valueAt(step, {"rule"})),
                          valueText(valueAt(step, {"where"})),
                          numberText(numberAt(step, {"flops_saved"}))});
    return steps.empty() ? text : text + steps.folded();
}

std::string fusionSection(const PlanJson &report)
{
    const PlanJson &fusion = valueAt(report, {"fusion"});
    if (!fusion.is_object())
        return {};
    HtmlTable figures("Layers and intermediate results",
                      {"method", "#layers before", "#layers after", "#rate", "#bytes before",
                       "#bytes after", "#latency", "provenance"});
    for (const PlanJson *plan : {&fusion, &valueAt(fusion, {"baseline"})})
        if (plan->is_object())
            figures.addRow({valueText(valueAt(*plan, {"method"})),
                            valueText(valueAt(*plan, {"layers_before"})),
                            valueText(valueAt(*plan, {"layers_after"})),
                            numberText(numberAt(*plan, {"fusion_rate"})),
                            byteText(numberAt(*plan, {"irs_bytes_before"})),
                            byteText(numberAt(*plan, {"irs_bytes_after"})),
                            timeText(numberAt(*plan, {"modelled_ms"})),
                            valueText(valueAt(*plan, {"provenance"})) + " for " +
                                valueText(valueAt(*plan, {"device"}))});
    std::string text = figures.html();
    if (const PlanJson &blocks = valueAt(fusion, {"blocks"}); blocks.is_array() && !blocks.empty())
        text += blockTable(blocks);
    return text;
}

std::string partitionSection(const PlanJson &report)
{
    const PlanJson &partition = valueAt(report, {"partition"});
    if (!partition.is_object())
        return {};
    HtmlTable figures("Subgraphs", {"method", "#subgraphs", "#trivial", "#mean weight",
                                    "#median weight", "#Jain's index", "acyclic"});
    for (const PlanJson *plan : {&partition, &valueAt(partition, {"baseline"})})
        if (plan->is_object())
            figures.addRow(
                {valueText(valueAt(*plan, {"method"})), valueText(valueAt(*plan, {"subgraphs"})),
                 valueText(valueAt(*plan, {"trivial"})), numberText(numberAt(*plan, {"mean"})),
                 numberText(numberAt(*plan, {"median"})), numberText(numberAt(*plan, {"jain"})),
                 valueText(valueAt(*plan, {"acyclic"}))});
    return figures.html() + weightTable(partition);
}

} // namespace graphloom

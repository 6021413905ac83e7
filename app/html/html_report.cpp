// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/html/html_report.h"

#include "app/common/markup.h"
#include "app/common/utc_time.h"
#include "app/html/html_sections.h"
#include "app/html/html_style.h"
#include "app/html/html_text.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace graphloom {

namespace {

struct HtmlSection {
    const char *id, *title;
    std::string content;
};

std::vector<HtmlSection> sectionsOf(const HtmlContent &content)
{
    const auto &report = content.report;
    std::vector<HtmlSection> sections = {
        {"checks", "Checks", checkSection(content)},
        {"baseline", "Baseline", comparisonSection(report)},
        {"differences", "Differences", differenceSection(report)},
        {"messages", "Messages", messageSection(content)},
        {"model", "Model", modelSection(content)},
        {"graph", "Graph", {}},
        {"passes", "Passes", passSection(report)},
        {"rewriting", "Rewriting", rewriteSection(report)},
        {"provenance", "Origin of nodes", originSection(report)},
        {"fusion", "Fusion", fusionSection(report)},
        {"partition", "Partition", partitionSection(report)},
        {"memory", "Memory", memorySection(report)},
        {"pareto", "Latency and memory", paretoSection(report)},
        {"search", "Search", searchSection(report)},
        {"kernels", "Kernels and latency", kernelSection(report)},
        {"verification", "Verification", verifySection(report)},
        {"environment", "Environment", environmentSection(content)},
    };
    for (HtmlSection &section : sections) // pictures come before the tables with the same figures
        section.content.insert(0, picturesOf(content, section.id));
    std::erase_if(sections, [](const HtmlSection &section) { return section.content.empty(); });
    return sections;
}

std::string statusLine(const HtmlContent &content)
{
    if (content.checks.empty())
        return {};
    using Outcome = Check::Outcome;
    const auto count = [&](Outcome outcome) {
        return std::size_t(std::ranges::count(content.checks, outcome, &Check::outcome));
    };
    const std::size_t passed = count(Outcome::Passed), skipped = count(Outcome::Skipped);
    const std::size_t failed = content.checks.size() - passed - skipped;
    const auto checks = [](std::size_t number) {
        return std::to_string(number) + (number == 1 ? " check" : " checks");
    };
    const std::string apart = skipped > 0 ? ", " + std::to_string(skipped) + " skipped" : "";
    if (failed > 0)
        return "<p class=\"status bad\">\u2717 " + std::to_string(failed) + " of " +
               checks(passed + failed) + " failed" + apart + "</p>\n";
    if (passed == 0)
        return "<p class=\"status\">\u2013 " + checks(skipped) + " skipped</p>\n";
    return "<p class=\"status good\">\u2713 " + std::string(passed == 1 ? "" : "All ") +
           checks(passed) + " passed" + apart + "</p>\n";
}

} // namespace

std::string htmlOf(const HtmlContent &content)
{
    const std::string name =
        escapedMarkup(content.model.substr(content.model.find_last_of('/') + 1));
    const std::vector<HtmlSection> sections = sectionsOf(content);
    std::string page = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                       "<meta name=\"generator\" content=\"Graphloom " +
                       escapedMarkup(content.version) + "\">\n<title>" + name +
                       " \u2013 Graphloom</title>\n<style>" + htmlStyle +
                       "</style></head>\n<body>\n<header><h1>" + name + "</h1>\n" +
                       statusLine(content) + "<nav aria-label=\"Contents\"><ul>\n";
    for (const HtmlSection &section : sections)
        page += std::string("<li><a href=\"#") + section.id + "\">" + section.title + "</a></li>\n";
    page += "</ul></nav></header>\n<main>\n";
    for (const HtmlSection &section : sections)
        page += std::string("<section id=\"") + section.id + "\" aria-labelledby=\"h-" +
                section.id + "\"><h2 id=\"h-" + section.id + "\">" + section.title + "</h2>\n" +
                section.content + "</section>\n";
    return page + "</main>\n<footer>Created by Graphloom " + escapedMarkup(content.version) + ", " +
           utcTime(content.time) +
           " UTC. The provenance of each figure is stated next to it.</footer>\n"
           "</body></html>\n";
}

} // namespace graphloom

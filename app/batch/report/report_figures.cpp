// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/report/report_figures.h"

#include "engine/system/json_text.h"

namespace graphloom {

namespace {

using FiguresJson = nlohmann::ordered_json;

void collectFigures(const FiguresJson &section, const std::string &path,
                    std::map<std::string, std::string> origin, std::vector<ReportFigure> &figures)
{
    for (const char *key : {"provenance", "target", "device", "instruction_set", "threads"})
        if (section.contains(key) && section[key].is_primitive() && !section[key].is_null() &&
            path != "environment.")
            origin[key] =
                section[key].is_string() ? section[key].get<std::string>() : jsonText(section[key]);
    for (const auto &[key, value] : section.items()) {
        if (path.empty() && (key == "gates" || key == "comparison"))
            continue;
        if (value.is_object())
            collectFigures(value, path + key + ".", origin, figures);
        else if (value.is_number() || value.is_boolean())
            figures.push_back({path + key, value, origin});
        else if (path.empty() && key == "test_data" && value.is_array())
            for (const FiguresJson &outcome : value)
                collectFigures(outcome, "test_data." + outcome.value("folder", "") + ".", origin,
                               figures);
    }
}

} // namespace

std::vector<ReportFigure> figuresOf(const FiguresJson &report)
{
    std::vector<ReportFigure> figures;
    if (report.is_object())
        collectFigures(report, {}, {}, figures);
    return figures;
}

} // namespace graphloom

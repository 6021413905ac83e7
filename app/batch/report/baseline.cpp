// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/report/baseline.h"

#include "engine/plan/report/report.h"
#include "engine/system/json_text.h"
#include "engine/system/read_file.h"

#include <nlohmann/json.hpp>

namespace graphloom {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uintmax_t mostBytes = std::uintmax_t{512} << 20;

const Json *find(const Json &report, const char *section, const char *key)
{
    if (!report.contains(section) || !report[section].is_object() || !report[section].contains(key))
        return nullptr;
    return &report[section][key];
}

} // namespace

Result<Json> readBaseline(const std::filesystem::path &path, std::stop_token stop)
{
    const auto text = readFileOrStream(path, std::move(stop), mostBytes);
    if (!text)
        return fail(Error::Kind::Usage, "cannot open the earlier report: " + text.error().message,
                    "--baseline " + path.string());
    if (nestsTooDeep(*text))
        return fail(Error::Kind::Usage,
                    "this is not a report of graphloom: its values are nested deeper than " +
                        std::to_string(deepestJson) + " levels",
                    "--baseline " + path.string());
    Json report = orderedJsonOf(*text);
    if (report.is_discarded() || !report.is_object() || !report.contains("schema"))
        return fail(Error::Kind::Usage, "this is not a report of graphloom",
                    "--baseline " + path.string());
    if (report["schema"] != reportSchema)
        return fail(Error::Kind::Usage,
                    "unsupported schema " + jsonText(report["schema"]) +
                        "; this version compares schema " + std::to_string(reportSchema),
                    "--baseline " + path.string());
    return report;
}

std::string modelDifferences(const Json &baseline, const Json &report)
{
    std::string differences;
    for (const char *key : {"nodes", "parameters", "macs", "opset", "hash"}) {
        const Json *before = find(baseline, "model", key), *now = find(report, "model", key);
        if (before && now && *before != *now)
            differences += (differences.empty() ? "" : ", ") + std::string(key) + " " +
                           now->dump() + ", was " + before->dump();
    }
    return differences;
}

} // namespace graphloom

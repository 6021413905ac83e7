// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/baseline.h"

#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

namespace graphloom {

namespace {

using Json = nlohmann::ordered_json;

struct Metric {
    const char *section, *key;
    enum class Better { Lower, Higher, True } better;
};

constexpr std::array metrics = {
    Metric{"partition", "subgraphs", Metric::Better::Lower},
    Metric{"partition", "trivial", Metric::Better::Lower},
    Metric{"partition", "jain", Metric::Better::Higher},
    Metric{"memory", "arena_bytes", Metric::Better::Lower},
    Metric{"verify", "passed", Metric::Better::True},
};

const Json *find(const Json &report, const char *section, const char *key)
{
    if (!report.contains(section) || !report[section].is_object() || !report[section].contains(key))
        return nullptr;
    return &report[section][key];
}

/// Sums in another order may differ in the last digits of a figure.
bool isWorse(double now, double before, Metric::Better better)
{
    const double slack = 1e-9 * std::abs(before);
    return better == Metric::Better::Lower ? now > before + slack : now < before - slack;
}

bool passes(const Metric &metric, const Json &now, const Json &before)
{
    if (metric.better == Metric::Better::True)
        return !(before.is_boolean() && before.get<bool>()) ||
               (now.is_boolean() && now.get<bool>());
    return now.is_number() && before.is_number() &&
           !isWorse(now.get<double>(), before.get<double>(), metric.better);
}

} // namespace

Result<Json> readBaseline(const std::filesystem::path &path)
{
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
        return fail(Error::Kind::Usage, "the earlier report cannot be opened",
                    "--baseline " + path.string());
    Json report = Json::parse(stream, nullptr, false);
    if (report.is_discarded() || !report.is_object() || !report.contains("schema"))
        return fail(Error::Kind::Usage, "this is no report of graphloom",
                    "--baseline " + path.string());
    if (report["schema"] != reportSchema)
        return fail(Error::Kind::Usage,
                    "its schema is " + report["schema"].dump() + ", this version compares " +
                        std::to_string(reportSchema),
                    "--baseline " + path.string());
    return report;
}

std::vector<Gate> compareWithBaseline(const Json &baseline, const Json &report)
{
    std::vector<Gate> gates;
    for (const Metric &metric : metrics) {
        const Json *before = find(baseline, metric.section, metric.key);
        const Json *now = find(report, metric.section, metric.key);
        if (!before)
            continue;
        Gate gate{"baseline", std::string(metric.section) + "." + metric.key, false, {}};
        gate.passed = now && passes(metric, *now, *before);
        gate.message = (now ? now->dump() : "not in this report") + ", was " + before->dump();
        gates.push_back(std::move(gate));
    }
    return gates;
}

std::string modelDifferences(const Json &baseline, const Json &report)
{
    std::string differences;
    for (const char *key : {"nodes", "parameters", "macs", "opset"}) {
        const Json *before = find(baseline, "model", key), *now = find(report, "model", key);
        if (before && now && *before != *now)
            differences += (differences.empty() ? "" : ", ") + std::string(key) + " " +
                           now->dump() + ", was " + before->dump();
    }
    return differences;
}

} // namespace graphloom

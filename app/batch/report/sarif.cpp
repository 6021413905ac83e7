// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/report/sarif.h"

#include "app/common/utc_time.h"
#include "engine/base/hash.h"
#include "engine/system/json_text.h"

#include <cctype>
#include <cstdio>

namespace graphloom {

namespace {

using SarifJson = nlohmann::ordered_json;

std::string_view levelName(DiagnosticLevel level)
{
    switch (level) {
    case DiagnosticLevel::Note:
        return "note";
    case DiagnosticLevel::Warning:
        return "warning";
    case DiagnosticLevel::Error:
        break;
    }
    return "error";
}

SarifJson textOf(std::string_view text)
{
    return {{"text", text}};
}

SarifJson ruleSection(const DiagnosticRule &rule)
{
    return {{"id", rule.id},
            {"name", rule.name},
            {"shortDescription", textOf(rule.summary)},
            {"fullDescription", textOf(std::string(rule.summary) + " " + std::string(rule.help))},
            {"help", textOf(rule.help)},
            {"defaultConfiguration", {{"level", levelName(rule.level)}}},
            {"properties", {{"tags", {"graph", "deep-learning"}}}}};
}

/// Returns the location in the file and in its graph.
SarifJson locationOf(const Diagnostic &diagnostic, const std::string &uri)
{
    SarifJson place = {{"artifactLocation", {{"uri", uri}, {"index", 0}}}};
    if (diagnostic.byte)
        place["region"] = {{"byteOffset", *diagnostic.byte}, {"byteLength", 0}};
    SarifJson location = {{"physicalLocation", std::move(place)}};
    for (const std::string &node : diagnostic.nodes)
        location["logicalLocations"].push_back(
            {{"name", node}, {"fullyQualifiedName", "graph/" + node}, {"kind", "node"}});
    return location;
}

/// Returns a fingerprint that is the same for this finding in later runs, whatever its figures.
std::string fingerprintOf(const Diagnostic &diagnostic)
{
    std::string identity(diagnostic.rule);
    for (const std::string &node : diagnostic.nodes)
        identity += '\n' + node;
    identity += '\n' + diagnostic.subject;
    if (diagnostic.nodes.empty() && diagnostic.subject.empty())
        identity += '\n' + diagnostic.message;
    char text[17];
    std::snprintf(text, sizeof text, "%016llx",
                  static_cast<unsigned long long>(hashText(identity)));
    return text;
}

SarifJson resultSection(const Diagnostic &diagnostic, const std::string &uri)
{
    const std::size_t index = ruleIndexOf(diagnostic.rule);
    return {{"ruleId", diagnostic.rule},
            {"ruleIndex", index},
            {"level", levelName(diagnosticRules()[index].level)},
            {"message", textOf(diagnostic.message)},
            {"locations", {locationOf(diagnostic, uri)}},
            {"partialFingerprints", {{"graphloom/v1", fingerprintOf(diagnostic)}}}};
}

SarifJson invocationSection(const SarifRun &run)
{
    SarifJson invocation = {{"executionSuccessful", run.exitCode <= 1},
                            {"exitCode", run.exitCode},
                            {"startTimeUtc", utcTime(run.start) + "Z"},
                            {"endTimeUtc", utcTime(std::chrono::system_clock::now()) + "Z"}};
    if (!run.problem.empty())
        invocation["toolExecutionNotifications"] = {
            {{"level", "error"}, {"message", textOf(run.problem)}}};
    return invocation;
}

} // namespace

std::string uriOf(const std::filesystem::path &path)
{
    std::string uri = path.is_absolute() ? "file://" : "";
    for (const char c : path.lexically_normal().generic_string()) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80 &&
            (std::isalnum(byte) || std::string_view("-._~/").find(c) != std::string_view::npos)) {
            uri += c;
            continue;
        }
        char escaped[4];
        std::snprintf(escaped, sizeof escaped, "%%%02X", byte);
        uri += escaped;
    }
    return uri;
}

std::string sarifOf(const SarifRun &run)
{
    const std::string uri = uriOf(run.model);
    SarifJson rules = SarifJson::array(), results = SarifJson::array();
    for (const DiagnosticRule &rule : diagnosticRules())
        rules.push_back(ruleSection(rule));
    for (const Diagnostic &diagnostic : run.diagnostics)
        results.push_back(resultSection(diagnostic, uri));
    SarifJson artifact = {{"location", {{"uri", uri}}}, {"roles", {"analysisTarget"}}};
    if (run.modelBytes)
        artifact["length"] = *run.modelBytes;
    const SarifJson log = {{"$schema",
                            "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                            "sarif-schema-2.1.0.json"},
                           {"version", "2.1.0"},
                           {"runs",
                            {{{"tool",
                               {{"driver",
                                 {{"name", "Graphloom"},
                                  {"version", GRAPHLOOM_VERSION},
                                  {"semanticVersion", GRAPHLOOM_VERSION},
                                  {"rules", std::move(rules)}}}}},
                              {"invocations", {invocationSection(run)}},
                              {"artifacts", {std::move(artifact)}},
                              {"columnKind", "utf16CodeUnits"},
                              {"results", std::move(results)},
                              {"properties", run.properties}}}}};
    // Names in models may contain any bytes.
    return jsonText(log, 1) + "\n";
}

} // namespace graphloom

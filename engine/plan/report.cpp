// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/report.h"

#include "engine/plan/model_facts.h"

#include <nlohmann/json.hpp>

namespace graphloom {

namespace {

using Json = nlohmann::ordered_json;

Json modelSection(const ModelFacts &facts)
{
    Json section;
    section["nodes"] = facts.nodes;
    section["operators"] = facts.operators;
    section["opaque_nodes"] = facts.opaque;
    section["parameters"] = facts.parameters;
    section["macs"] = facts.macs ? Json(*facts.macs) : Json(nullptr);
    section["opset"] = facts.opset;
    section["provenance"] = nameOf(Provenance::Modelled);
    return section;
}

Json passSection(const PassRecord &record)
{
    Json summary = Json::object();
    for (const SummaryEntry &entry : record.summary)
        std::visit([&](const auto &value) { summary[entry.key] = value; }, entry.value);
    Json settings = Json::object();
    for (const auto &[name, value] : record.settings)
        settings[name] = value;
    return {{"name", record.pass},
            {"seconds", record.seconds},
            {"provenance", nameOf(Provenance::Host)},
            {"settings", std::move(settings)},
            {"summary", std::move(summary)}};
}

Json partitionSection(const Graph &graph, const Partition &partition)
{
    const PartitionStatistics statistics = statisticsOf(graph, partition);
    Json weights = Json::array();
    for (const Subgraph &subgraph : partition.subgraphs)
        weights.push_back(subgraph.weight);
    return {{"method", partition.method},        {"threshold", partition.threshold},
            {"subgraphs", statistics.subgraphs}, {"acyclic", statistics.acyclic},
            {"weights", std::move(weights)},     {"mean", statistics.mean},
            {"median", statistics.median},       {"jain", statistics.jain},
            {"trivial", statistics.trivial},     {"provenance", nameOf(Provenance::Modelled)}};
}

Json verifySection(const Verification &verification)
{
    Json section;
    section["passed"] = verification.passed;
    // Infinite errors (NaN against a number) have no JSON number; they are written as null.
    section["max_abs_error"] = verification.maxAbsError;
    section["max_rel_error"] = verification.maxRelError;
    section["tolerance"] = verification.tolerance;
    section["inputs"] = verification.inputs;
    section["filled_weights"] = verification.filledWeights;
    if (!verification.message.empty())
        section["message"] = verification.message;
    if (!verification.warnings.empty())
        section["warnings"] = verification.warnings;
    return section;
}

} // namespace

Result<Json> reportOf(const Plan &plan, const ReportContent &content)
{
    const auto facts = factsOf(*plan.model);
    if (!facts)
        return tl::unexpected(facts.error());
    Json report;
    report["schema"] = reportSchema;
    report["model"] = modelSection(*facts);
    for (const PassRecord &record : plan.history)
        report["passes"].push_back(passSection(record));
    if (plan.partition) {
        report["partition"] = partitionSection(plan.graph, *plan.partition);
        if (plan.baselinePartition)
            report["partition"]["baseline"] = partitionSection(plan.graph, *plan.baselinePartition);
    }
    if (content.verification)
        report["verify"] = verifySection(*content.verification);
    for (const TestDataOutcome &outcome : content.testData) {
        Json section = {{"folder", outcome.folder}};
        section.update(verifySection(outcome.result));
        section.erase("filled_weights");
        report["test_data"].push_back(std::move(section));
    }
    report["environment"] = {{"cpu", content.environment.cpu},
                             {"threads", content.environment.threads},
                             {"compiler", content.environment.compiler},
                             {"device", content.environment.device}};
    return report;
}

Json reportOf(const std::vector<Gate> &gates)
{
    Json section = Json::array();
    for (const Gate &gate : gates) {
        section.push_back({{"kind", gate.kind}, {"text", gate.text}, {"passed", gate.passed}});
        if (!gate.message.empty())
            section.back()["message"] = gate.message;
    }
    return section;
}

} // namespace graphloom

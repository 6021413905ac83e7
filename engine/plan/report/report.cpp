// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/report/report.h"

#include "engine/cost/device.h"
#include "engine/plan/node_names.h"
#include "engine/plan/origin_map.h"
#include "engine/plan/report/memory_report.h"
#include "engine/plan/report/model_facts.h"
#include "engine/plan/training_record.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ranges>

namespace graphloom {

namespace {

using Json = nlohmann::ordered_json;

/// Formats the hash of a graph and its weights, which does not depend on names.
std::string hexOf(std::uint64_t hash)
{
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

Json modelSection(const ModelFacts &facts, const Graph &graph)
{
    Json section;
    section["hash"] = hexOf(graph.hash());
    section["nodes"] = facts.nodes;
    section["operators"] = facts.operators;
    section["opaque_nodes"] = facts.opaque;
    section["parameters"] = facts.parameters;
    section["macs"] = facts.macs ? Json(*facts.macs) : Json(nullptr);
    section["opset"] = facts.opset;
    section["provenance"] = nameOf(Provenance::Modelled);
    return section;
}

Json trainingSection(const TrainingRecord &training)
{
    return {{"loss", nameOf(training.options.loss)},
            {"optimizer", nameOf(training.options.optimizer)},
            {"batchnorm", nameOf(training.options.batchNorm)},
            {"learning_rate", training.options.learningRate},
            {"forward_nodes", training.forwardNodes},
            {"backward_nodes", training.backwardNodes},
            {"update_nodes", training.updateNodes},
            {"weights", training.weights},
            {"parameters", training.parameters},
            {"saved_bytes", training.savedBytes},
            {"unused_weights", training.unused},
            {"provenance", nameOf(Provenance::Modelled)}};
}

Json deviceSection(const Device &device)
{
    Json section = {{"name", device.name}, {"title", device.title}};
    if (!device.target.empty())
        section["target"] = device.target;
    section["provenance"] = nameOf(device.target.empty() ? Provenance::Modelled : Provenance::Host);
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

Json namesOf(const Graph &graph, const std::vector<NodeId> &nodes)
{
    Json names = Json::array();
    for (const NodeId id : nodes)
        names.push_back(graph.node(id).name);
    return names;
}

Json namesOf(const Graph &graph, const std::vector<TensorId> &tensors)
{
    Json names = Json::array();
    for (const TensorId id : tensors)
        names.push_back(graph.tensor(id).name);
    return names;
}

Json blockSection(const Graph &graph, const FusionPlan &plan, std::size_t number)
{
    const FusionBlock &block = plan.blocks[number];
    const std::vector<NodeId> &nodes = plan.partition.subgraphs[number].nodes;
    Json operators = Json::array();
    for (const NodeId id : nodes)
        operators.push_back(graph.node(id).qualifiedOp());
    const auto edge = [&](const auto &at) {
        return Json{{"producer", graph.node(at.producer).name},
                    {"consumer", graph.node(at.consumer).name}};
    };
    Json decisions = Json::array(), borders = Json::array();
    for (const BlockDecision &decision : block.decisions) {
        decisions.push_back(edge(decision));
        decisions.back()["reason"] = decision.reason;
    }
    for (const BlockBorder &border : block.borders) {
        borders.push_back(edge(border));
        borders.back()["cause"] = nameOf(border.cause);
        borders.back()["reason"] = border.reason;
    }
    return {{"nodes", namesOf(graph, nodes)},
            {"operators", std::move(operators)},
            {"mapping", nameOf(block.mapping)},
            {"pattern", block.pattern.empty() ? Json(nullptr) : Json(block.pattern)},
            {"inputs", namesOf(graph, block.inputs)},
            {"outputs", namesOf(graph, block.outputs)},
            {"removed_bytes", block.removedBytes},
            {"index_changes", namesOf(graph, block.indexChanges)},
            {"placed", namesOf(graph, block.placed)},
            {"locked", block.locked},
            {"decisions", std::move(decisions)},
            {"borders", std::move(borders)}};
}

/// Returns the figures of DNNFusion's Table 5 for one plan.
Json fusionFigures(const FusionPlan &plan)
{
    const auto &[before, after] = plan.statistics;
    return {{"method", plan.partition.method},
            {"layers_before", before.layers},
            {"layers_after", after.layers},
            {"fusion_rate", after.layers ? double(before.layers) / double(after.layers) : 1.0},
            {"compute_intensive", before.computeIntensive},
            {"memory_intensive", before.memoryIntensive()},
            {"compute_intensive_after", after.computeIntensive},
            {"memory_intensive_after", after.memoryIntensive()},
            {"irs_bytes_before", before.irsBytes},
            {"irs_bytes_after", after.irsBytes},
            {"unsized_irs_before", before.unsized},
            {"unsized_irs_after", after.unsized},
            {"modelled_ms", plan.costMs},
            {"modelled_ms_before", plan.unfusedMs},
            {"device", plan.device},
            {"provenance", nameOf(Provenance::Modelled)}};
}

Json layoutSection(const Graph &graph, const LayoutPlan &layouts)
{
    std::size_t channelsLast = 0;
    for (const auto &choice : layouts.blocks)
        channelsLast += choice.layout == Layout::ChannelsLast;
    Json transformations = Json::array();
    for (const auto &step : layouts.transformations)
        transformations.push_back({{"tensor", graph.tensor(step.tensor).name},
                                   {"from", nameOf(step.from)},
                                   {"to", nameOf(step.to)},
                                   {"ms", step.ms}});
    Json measured = Json::array();
    for (std::size_t b = 0; b < layouts.blocks.size(); ++b)
        if (const auto &choice = layouts.blocks[b]; !choice.measured.empty())
            measured.push_back(
                {{"block", b}, {"layout", nameOf(choice.layout)}, {"reason", choice.measured}});
    return {{"channels_last", channelsLast},
            {"transformations", std::move(transformations)},
            {"measured", std::move(measured)},
            {"ms", layouts.ms},
            {"heuristic_ms", layouts.heuristicMs},
            {"heuristic_transformations", layouts.heuristicTransformations},
            {"unchanged_ms", layouts.unchangedMs},
            {"provenance", nameOf(Provenance::Modelled)}};
}

/// Returns the modelled latency of the fused graph and, as "before", that with every operator in a
/// kernel of its own.
Json latencySection(const FusionPlan &plan)
{
    return {{"before_ms", plan.unfusedMs},
            {"after_ms", plan.costMs},
            {"ratio", plan.unfusedMs > 0 ? plan.costMs / plan.unfusedMs : 1.0},
            {"device", plan.device},
            {"provenance", nameOf(Provenance::Modelled)}};
}

/// Returns the chosen schedules and algorithms with their known latencies.
Json tuningSection(const KernelPlan &plan)
{
    std::int64_t trials = 0;
    Json kernels = Json::array();
    for (std::size_t block = 0; block < plan.blocks.size(); ++block)
        for (std::size_t nest = 0; nest < plan.blocks[block].size(); ++nest) {
            const NestKernel &kernel = plan.blocks[block][nest];
            trials += kernel.trials;
            kernels.push_back({{"block", block},
                               {"nest", nest},
                               {"schedule", kernel.schedule},
                               {"trials", kernel.trials}});
            if (kernel.before)
                kernels.back()["default_ms"] = kernel.before->value;
            if (kernel.time) {
                kernels.back()["ms"] = kernel.time->value;
                kernels.back()["provenance"] = nameOf(kernel.time->provenance);
            }
        }
    Json algorithms = Json::array();
    for (std::size_t block = 0; block < plan.algorithms.size(); ++block)
        if (!plan.algorithms[block].empty())
            algorithms.push_back({{"block", block}, {"algorithm", plan.algorithms[block]}});
    return {{"target", plan.target},         {"device", plan.device},
            {"threads", plan.threads},       {"trials", trials},
            {"kernels", std::move(kernels)}, {"algorithms", std::move(algorithms)}};
}

/// Adds states per second of the search, and per second and thread of the pass.
void addRates(const Plan &plan, unsigned threads, Json &section)
{
    const SearchRecord &search = *plan.search;
    const auto states = double(std::max(search.generated, search.simulated));
    const double ofOne = states / double(std::max(1u, threads));
    if (search.seconds > 0)
        section["states_per_second_per_thread_in_search"] = ofOne / search.seconds;
    // Passes that do more than search record how long the search took.
    for (const PassRecord &record : plan.history | std::views::reverse)
        if (std::ranges::count(record.summary, "seconds_searching", &SummaryEntry::key) > 0) {
            if (record.seconds > 0)
                section["states_per_second_per_thread"] = ofOne / record.seconds;
            break;
        }
}

Json searchSection(const SearchRecord &search)
{
    Json history = Json::array();
    for (const auto &best : search.history)
        history.push_back({{"seconds", best.seconds}, {"cost", best.cost}});
    Json refusals = Json::array();
    for (const auto &refusal : search.refusals)
        refusals.push_back(
            {{"reason", refusal.reason}, {"count", refusal.count}, {"example", refusal.example}});
    return {{"cost", search.cost},
            {"refused", std::move(refusals)},
            {"states_generated", search.generated},
            {"states_filtered", search.filtered},
            {"states_scheduled", search.simulated > 0 ? search.simulated : search.expanded},
            {"seconds", search.seconds},
            {"states_per_second",
             search.seconds > 0
                 ? double(std::max(search.generated, search.simulated)) / search.seconds
                 : 0.0},
            {"exhausted", search.exhausted},
            {"best_history", std::move(history)}};
}

Json fusionSection(const Plan &plan)
{
    Json section = fusionFigures(*plan.fusion);
    if (plan.baselineFusion)
        section["baseline"] = fusionFigures(*plan.baselineFusion);
    if (plan.layouts)
        section["layouts"] = layoutSection(plan.graph, *plan.layouts);
    section["blocks"] = Json::array();
    for (std::size_t b = 0; b < plan.fusion->blocks.size(); ++b)
        section["blocks"].push_back(blockSection(plan.graph, *plan.fusion, b));
    return section;
}

Json rewriteSection(const RewriteLog &log)
{
    struct Total {
        std::int64_t count = 0;
        double saved = 0;
    };
    std::map<std::string, Total> totals;
    Json steps = Json::array();
    for (const RewriteStep &step : log.steps) {
        Total &total = totals[step.rule];
        ++total.count;
        total.saved += step.flopsSaved;
        steps.push_back({{"rule", step.rule},
                         {"category", step.category},
                         {"where", step.where},
                         {"flops_saved", step.flopsSaved}});
    }
    Json applied = Json::array();
    for (const auto &[rule, total] : totals)
        applied.push_back({{"rule", rule}, {"count", total.count}, {"flops_saved", total.saved}});
    return {{"strategy", log.strategy},      {"flops_before", log.flopsBefore},
            {"flops_after", log.flopsAfter}, {"provenance", nameOf(Provenance::Modelled)},
            {"applied", std::move(applied)}, {"steps", std::move(steps)}};
}

/// Returns the origins of each node, and the originals without successor.
Json provenanceSection(const Plan &plan)
{
    const OriginMap map = originMapOf(plan);
    const auto names = distinctNodeNames(plan.graph), before = distinctNodeNames(plan.model->graph);
    Json::object_t nodes; // names are distinct, so no lookup is needed
    Json gone = Json::array();
    for (const NodeId id : plan.graph.order()) {
        Json originals = Json::array();
        for (const NodeId original : map.originals[id.index])
            originals.push_back(before[original.index]);
        nodes.emplace_back(names[id.index], std::move(originals));
    }
    for (const NodeId id : plan.model->graph.order())
        if (const auto &original = map.fates[id.index]; original.nodes.empty())
            gone.push_back({{"node", before[id.index]},
                            {"fate", nameOf(original.fate)},
                            {"reason", original.reason}});
    return {{"nodes", std::move(nodes)}, {"without_successor", std::move(gone)}};
}

Json verifySection(const Verification &verification)
{
    Json section;
    // Null if nothing could be compared.
    section["passed"] =
        verification.passed && !verification.comparable ? Json(nullptr) : Json(verification.passed);
    section["comparable"] = verification.comparable;
    // JSON has no infinite numbers (the error of NaN against a number); they are written as null.
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
    GL_TRY_CONST(facts, factsOf(*plan.model));
    Json report;
    report["schema"] = reportSchema;
    report["model"] = modelSection(*facts, plan.model->graph);
    if (plan.training)
        report["training"] = trainingSection(*plan.training);
    if (plan.device)
        report["device"] = deviceSection(*plan.device);
    for (const PassRecord &record : plan.history)
        report["passes"].push_back(passSection(record));
    if (plan.partition) {
        report["partition"] = partitionSection(plan.graph, *plan.partition);
        if (plan.baselinePartition)
            report["partition"]["baseline"] = partitionSection(plan.graph, *plan.baselinePartition);
    }
    if (plan.rewrite)
        report["rewrite"] = rewriteSection(*plan.rewrite);
    if (!plan.history.empty()) // otherwise every node is its own origin
        report["provenance"] = provenanceSection(plan);
    if (plan.fusion) {
        report["fusion"] = fusionSection(plan);
        report["latency"] = latencySection(*plan.fusion);
    }
    if (const KernelPlan *kernels = kernelsOf(plan))
        report["tuning"] = tuningSection(*kernels);
    if (plan.memory)
        addMemorySections(*plan.memory, peakBytesOf(plan), report);
    if (const MemorySchedule *schedule = scheduleOf(plan))
        addScheduleSection(*schedule, report);
    if (plan.search) {
        report["search"] = searchSection(*plan.search);
        addRates(plan, content.environment.threads, report["search"]);
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

// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/report/memory_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace graphloom {

namespace {

using Json = nlohmann::ordered_json;

double ratio(double after, double before)
{
    return before > 0 ? after / before : 1.0;
}

Json pointSection(const MemoryPoint &point, const MemoryPlan &plan)
{
    return {{"latency_ms", point.ms},
            {"peak_bytes", point.peakBytes},
            {"latency_ratio", ratio(point.ms, plan.before.ms)},
            {"latency_ratio_to_rewritten", ratio(point.ms, plan.rewritten.ms)},
            {"peak_ratio", ratio(double(point.peakBytes), double(plan.before.peakBytes))},
            {"provenance", nameOf(Provenance::Modelled)},
            {"plan", point.origin}};
}

Json stepsSection(const std::vector<MemoryPlan::Step> &steps)
{
    Json section = Json::array();
    for (const MemoryPlan::Step &step : steps) {
        section.push_back({{"node", step.node},
                           {"start_ms", step.startMs},
                           {"ms", step.ms},
                           {"bytes", step.bytes}});
        if (step.again)
            section.back()["again"] = true;
        if (step.workspace > 0)
            section.back()["workspace_bytes"] = step.workspace;
    }
    return section;
}

Json baselineSection(const MemoryPlan::Baseline &baseline, const MemoryPlan &plan)
{
    Json points = Json::array();
    for (const MemoryPoint &point : baseline.points)
        points.push_back(pointSection(point, plan));
    return {
        {"name", baseline.name},
        {"graph", baseline.rewritten ? "rewritten" : "original"},
        {"best", baseline.best.origin.empty() ? Json(nullptr) : pointSection(baseline.best, plan)},
        {"points", std::move(points)}};
}

Json timesSection(const MemoryPlan::Times &times)
{
    Json problems = Json::array();
    for (const MemoryPlan::Times::Problem &problem : times.problems)
        problems.push_back({{"node", problem.node}, {"reason", problem.reason}});
    return {{"measured", times.measured},
            {"modelled", times.modelled},
            {"parts_measured", times.partsMeasured},
            {"parts_scaled", times.partsScaled},
            {"parts_modelled", times.partsModelled},
            {"measured_share_before", times.shareBefore},
            {"measured_share_after", times.share},
            {"not_measured", std::move(problems)}};
}

Json memorySection(const MemoryPlan &plan, std::int64_t peak)
{
    Json section = {{"device", plan.device},
                    {"peak_bytes_before", plan.before.peakBytes},
                    {"peak_bytes_after", peak},
                    {"peak_bytes_searched", plan.after.peakBytes},
                    {"ratio", ratio(double(peak), double(plan.before.peakBytes))},
                    {"arena_bytes", plan.arenaBytes},
                    {"resident_bytes", plan.residentBytes},
                    {"latency_ms_before", plan.before.ms},
                    {"latency_ms_after", plan.after.ms},
                    {"latency_ratio", ratio(plan.after.ms, plan.before.ms)},
                    {"latency_ms_rewritten", plan.rewritten.ms},
                    {"latency_ratio_to_rewritten", ratio(plan.after.ms, plan.rewritten.ms)},
                    {"latency_ms_reference", plan.referenceMs},
                    {"workspace_bytes", plan.workspaceBytes},
                    {"limits_met", plan.limitsMet},
                    {"recomputed", plan.recomputed},
                    {"swapped", plan.swapped},
                    {"changed_nodes", plan.changes},
                    {"realized", plan.realized},
                    {"unrealized", plan.unrealized},
                    {"provenance", nameOf(Provenance::Modelled)}};
    section["times"] = timesSection(plan.times);
    section["rewritten"] = pointSection(plan.rewritten, plan);
    section["baselines"] = Json::array();
    for (const MemoryPlan::Baseline &baseline : plan.baselines)
        section["baselines"].push_back(baselineSection(baseline, plan));
    section["transfers"] = Json::array();
    for (const MemoryPlan::Transfer &transfer : plan.transfers)
        section["transfers"].push_back({{"tensor", transfer.tensor},
                                        {"direction", transfer.load ? "load" : "store"},
                                        {"start_ms", transfer.startMs},
                                        {"end_ms", transfer.endMs}});
    section["timeline_before"] = stepsSection(plan.stepsBefore);
    section["timeline"] = stepsSection(plan.steps);
    return section;
}

Json fissionSection(const MemoryPlan &plan)
{
    Json tree = Json::array();
    for (const MemoryPlan::Fission &fission : plan.fissions)
        tree.push_back({{"dimension", fission.dimension},
                        {"nodes", fission.nodes},
                        {"first", fission.first},
                        {"last", fission.last},
                        {"parent", fission.parent < 0 ? Json(nullptr) : Json(fission.parent)},
                        {"parts", fission.number},
                        {"most_parts", fission.most},
                        {"heat_bytes", fission.heat},
                        {"score_bytes", fission.score},
                        {"locked", fission.locked}});
    return {{"tree", std::move(tree)}};
}

} // namespace

void addScheduleSection(const MemorySchedule &schedule, Json &report)
{
    std::int64_t swapped = 0, workspace = 0;
    for (const MemorySchedule::Swap &swap : schedule.swaps)
        swapped += schedule.storages[swap.storage].bytes;
    for (const MemorySchedule::Workspace &of : schedule.workspaces)
        workspace = std::max(workspace, of.bytes);
    report["schedule"] = {
        {"peak_bytes", peakOf(schedule).bytes}, {"arena_bytes", schedule.arenaBytes},
        {"steps", schedule.order.size()},       {"storages", schedule.storages.size()},
        {"swaps", schedule.swaps.size()},       {"swapped_bytes", swapped},
        {"largest_workspace_bytes", workspace}, {"provenance", nameOf(Provenance::Modelled)}};
}

void addMemorySections(const MemoryPlan &plan, std::int64_t peak, Json &report)
{
    report["memory"] = memorySection(plan, peak);
    report["latency"] = {{"before_ms", plan.before.ms},
                         {"rewritten_ms", plan.rewritten.ms},
                         {"after_ms", plan.after.ms},
                         {"ratio", ratio(plan.after.ms, plan.before.ms)},
                         {"ratio_to_rewritten", ratio(plan.after.ms, plan.rewritten.ms)},
                         {"device", plan.device},
                         {"provenance", nameOf(Provenance::Modelled)}};
    report["fission"] = fissionSection(plan);
    report["pareto"] = Json::array();
    for (const MemoryPoint &point : plan.front)
        report["pareto"].push_back(pointSection(point, plan));
}

} // namespace graphloom

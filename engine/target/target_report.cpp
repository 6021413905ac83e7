// SPDX-License-Identifier: Apache-2.0
#include "engine/target/target_report.h"

#include "engine/system/json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace graphloom {

namespace {

using Json = nlohmann::ordered_json;

/// Adds the bounds of a bracket, and what the device told of its state.
void addCircumstances(const Measurement &measurement, Json &section)
{
    if (measurement.isBracket) {
        section["low_ms"] = measurement.whole.min;
        section["high_ms"] = measurement.whole.p95;
    }
    if (measurement.megahertz > 0)
        section["clock_mhz"] = measurement.megahertz;
    if (measurement.celsius > 0)
        section["temperature_c"] = measurement.celsius;
    if (measurement.joules > 0) {
        section["energy_j"] = measurement.joules;
        section["energy_of"] = measurement.energyOf;
    }
}

Json timesSection(const Measurement &measurement)
{
    const Times &times = measurement.whole;
    return {{"min_ms", times.min},
            {"median_ms", times.median},
            {"p95_ms", times.p95},
            {"noise", times.noise}};
}

double ratio(double after, double before)
{
    return before > 0 ? after / before : 1.0;
}

/// Names what a plan was measured beside.
const char *comparedWith(const TargetOutcome &outcome)
{
    return outcome.besideOriginal ? "original" : "before tuning";
}

Json textOrNull(const std::string &text)
{
    return text.empty() ? Json(nullptr) : Json(text);
}

Json buildSection(const TargetOutcome &outcome)
{
    std::size_t interpreted = 0;
    for (const PlanStep &step : outcome.steps)
        interpreted += !step.reason.empty();
    const auto failed = std::ranges::count_if(outcome.steps, &PlanStep::failed);
    return {{"target", outcome.target},
            {"device", outcome.device},
            {"instruction_set", textOrNull(outcome.instructionSet)},
            {"toolchain", outcome.toolchain},
            {"threads", outcome.threads},
            {"kernels", outcome.steps.size() - interpreted},
            {"interpreted", interpreted},
            {"failed_kernels", failed},
            {"seconds", outcome.buildSeconds},
            {"provenance", nameOf(Provenance::Host)}};
}

Json latencySection(const TargetOutcome &outcome)
{
    Json section = {{"before_ms", nullptr},
                    {"after_ms", outcome.after->whole.median},
                    {"ratio", nullptr},
                    {"runs", outcome.after->runs},
                    {"provenance", nameOf(outcome.after->provenance)},
                    {"target", outcome.target},
                    {"device", outcome.device},
                    {"instruction_set", textOrNull(outcome.instructionSet)},
                    {"threads", outcome.threads},
                    {"filled_weights", outcome.filledWeights}};
    if (outcome.before) {
        section["compared_with"] = comparedWith(outcome);
        section["before_ms"] = outcome.before->whole.median;
        section["ratio"] = ratio(outcome.after->whole.median, outcome.before->whole.median);
        section["before"] = timesSection(*outcome.before);
    }
    section["after"] = timesSection(*outcome.after);
    addCircumstances(*outcome.after, section);
    return section;
}

Json memorySection(const TargetOutcome &outcome)
{
    Json section;
    if (outcome.memoryBefore) {
        section["compared_with"] = comparedWith(outcome);
        section["peak_bytes_before"] = outcome.memoryBefore->peak;
        section["arena_bytes_before"] = outcome.memoryBefore->arena;
        section["ratio"] = ratio(double(outcome.memory.peak), double(outcome.memoryBefore->peak));
    }
    section["peak_bytes_after"] = outcome.memory.peak;
    section["arena_bytes"] = outcome.memory.arena;
    section["border_bytes"] = outcome.memory.border;
    section["constant_bytes"] = outcome.memory.constants;
    section["provenance"] = nameOf(outcome.provenance);
    return section;
}

Json stepSection(const PlanStep &step)
{
    return {{"name", step.text},
            {"block", step.block ? Json(*step.block) : Json(nullptr)},
            {"nest", step.nest},
            {"symbol", step.symbol},
            {"schedule", step.schedule},
            {"flops", step.flops},
            {"bytes", step.bytes},
            {"interpreted", step.reason.empty() ? Json(nullptr) : Json(step.reason)}};
}

Json kernelSection(const TargetOutcome &outcome, std::size_t number)
{
    Json section = stepSection(outcome.steps[number]);
    if (!outcome.after)
        return section;
    const Times &times = outcome.after->steps[number];
    if (number < outcome.after->counts.size()) {
        const StepCounts &counts = outcome.after->counts[number];
        section["instructions"] = counts.instructions;
        section["l1_misses"] = counts.firstMisses;
        section["l2_misses"] = counts.lastMisses;
        section["cycles"] = counts.cycles;
        section["spills"] = counts.spills;
        section["tile_cycles"] = counts.tileCycles;
        section["tile_flops"] = counts.tileFlops;
    }
    section["ms"] = times.median;
    section["min_ms"] = times.min;
    section["p95_ms"] = times.p95;
    if (times.median > 0 && outcome.steps[number].reason.empty()) {
        section["gflops"] = outcome.steps[number].flops / times.median / 1e6;
        section["gb_per_s"] = outcome.steps[number].bytes / times.median / 1e6;
    }
    section["provenance"] = nameOf(outcome.after->provenance);
    return section;
}

Json deviceSection(const TargetOutcome &outcome)
{
    Json section = {{"target", outcome.target},
                    {"device", outcome.device},
                    {"provenance", nameOf(outcome.after->provenance)},
                    {"instruction_set", textOrNull(outcome.instructionSet)},
                    {"toolchain", outcome.toolchain},
                    {"threads", outcome.threads},
                    {"runs", outcome.after->runs},
                    {"latency", timesSection(*outcome.after)},
                    {"peak_bytes", outcome.memory.peak},
                    {"arena_bytes", outcome.memory.arena},
                    {"interpreted", std::ranges::count_if(outcome.steps, [](const PlanStep &step) {
                         return !step.reason.empty();
                     })}};
    addCircumstances(*outcome.after, section);
    return section;
}

/// Returns a measured plan as a point of latency and memory.
Json measuredPoint(const TargetOutcome &outcome, const Measurement &measurement,
                   const PlanMemory &memory, std::string_view plan)
{
    Json point = {{"latency_ms", measurement.whole.median},
                  {"peak_bytes", memory.arena + memory.border},
                  {"provenance", nameOf(measurement.provenance)},
                  {"plan", plan},
                  {"device", nameOf(outcome)}};
    addCircumstances(measurement, point);
    return point;
}

/// Adds the events of a run, as those of a process.
void addRun(Json &events, const TracedRun &run, int process)
{
    const auto name = [&](const char *what, unsigned thread, const std::string &text) {
        events.push_back({{"name", what},
                          {"ph", "M"},
                          {"pid", process},
                          {"tid", thread},
                          {"args", {{"name", text}}}});
    };
    name("process_name", 0, run.title);
    std::set<unsigned> threads;
    for (const TraceSlice &slice : run.slices)
        threads.insert(slice.thread);
    for (const unsigned thread : threads)
        name("thread_name", thread, "thread " + std::to_string(thread));
    for (const TraceSlice &slice : run.slices) {
        const PlanStep &step = run.steps[slice.step];
        Json arguments = stepSection(step);
        arguments["step"] = slice.step;
        arguments["tasks"] = slice.tasks;
        events.push_back({{"name", step.text},
                          {"cat", step.reason.empty() ? "kernel" : "interpreted"},
                          {"ph", "X"},
                          {"pid", process},
                          {"tid", slice.thread},
                          {"ts", slice.start * 1e6},
                          {"dur", slice.seconds * 1e6},
                          {"args", std::move(arguments)}});
    }
}

} // namespace

std::string nameOf(const TargetOutcome &outcome)
{
    return outcome.target + (outcome.device.empty() ? "" : ":") + outcome.device;
}

void addTargetSections(Json &report, const TargetOutcome &outcome)
{
    report["build"] = buildSection(outcome);
    if (outcome.tuningSeconds && outcome.tuningSetupSeconds) {
        report["tuning"]["seconds"] = *outcome.tuningSeconds;
        report["tuning"]["setup_seconds"] = *outcome.tuningSetupSeconds;
    }
    if (outcome.after)
        report["latency"] = latencySection(outcome);
    // What a pass reports on the plan's memory, such as the parts of its latencies, describes the
    // same plan, but is modelled.
    Json memory = memorySection(outcome);
    if (report.contains("memory"))
        memory["plan"] = std::move(report["memory"]);
    report["memory"] = std::move(memory);
    report["kernels"] = Json::array();
    for (std::size_t i = 0; i < outcome.steps.size(); ++i)
        report["kernels"].push_back(kernelSection(outcome, i));
}

void addDevices(Json &report, const TargetOutcome &first, std::span<const TargetOutcome> others)
{
    Json rows = Json::array();
    if (first.after)
        rows.push_back(deviceSection(first));
    for (const TargetOutcome &other : others)
        if (other.after)
            rows.push_back(deviceSection(other));
    if (!rows.empty())
        report["devices"] = std::move(rows);
    if (others.empty() || !first.after)
        return;
    Json &points = report["pareto"];
    if (first.before && first.memoryBefore)
        points.push_back(measuredPoint(first, *first.before, *first.memoryBefore,
                                       first.besideOriginal ? "original" : "before tuning"));
    points.push_back(measuredPoint(first, *first.after, first.memory, "result"));
    for (const TargetOutcome &other : others)
        if (other.after)
            points.push_back(measuredPoint(other, *other.after, other.memory, "result"));
}

std::string traceJson(const std::vector<TracedRun> &runs)
{
    Json events = Json::array();
    for (std::size_t i = 0; i < runs.size(); ++i)
        addRun(events, runs[i], int(i) + 1);
    const Json trace = {{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}};
    // Names in models may hold any bytes.
    return jsonText(trace, 1) + "\n";
}

} // namespace graphloom

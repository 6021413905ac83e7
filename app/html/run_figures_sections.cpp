// SPDX-License-Identifier: GPL-3.0-or-later
// Sections of the page on how the plan runs: memory, Pareto front, search, kernels, verification.
#include "app/html/html_sections.h"
#include "app/html/html_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

namespace graphloom {

namespace {

using RunJson = nlohmann::ordered_json;

/// Returns the memory figures of a pass, which have a section of their own if the plan was built.
const RunJson &memoryOfPass(const RunJson &report)
{
    const RunJson &planned = valueAt(report, {"memory", "plan"});
    return planned.is_object() ? planned : valueAt(report, {"memory"});
}

void addMemoryRow(HtmlTable &table, const std::string &name, const RunJson &memory)
{
    if (!memory.is_object())
        return;
    const auto bytes = [&](const char *key) {
        const RunJson &value = valueAt(memory, {key});
        return value.is_number() ? byteText(value.get<double>()) : std::string();
    };
    const RunJson &ratio = valueAt(memory, {"ratio"}), &device = valueAt(memory, {"device"});
    table.addRow({name, bytes("peak_bytes_before"), bytes("peak_bytes_after"),
                  ratio.is_number() ? numberText(ratio.get<double>()) : "", bytes("arena_bytes"),
                  valueText(valueAt(memory, {"provenance"})) +
                      (device.is_string() ? " for " + valueText(device) : "")});
}

/// Lists the steps with the highest memory use; the table of a long graph would be too long.
std::string stepTable(const RunJson &memory)
{
    constexpr std::size_t most = 200;
    const RunJson &steps = valueAt(memory, {"timeline"});
    if (!steps.is_array() || steps.empty())
        return {};
    std::vector<std::size_t> order(steps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::size_t step) { return numberAt(steps[step], {"bytes"}); });
    order.resize(std::min(most, order.size()));
    HtmlTable table(order.size() < steps.size() ? "The " + std::to_string(most) +
                                                      " steps with the highest memory use, of " +
                                                      std::to_string(steps.size())
                                                : "Memory at each step",
                    {"#step", "node", "#start", "#duration", "#in memory"});
    for (const std::size_t step : order)
        table.addRow({std::to_string(step), valueText(valueAt(steps[step], {"node"})),
                      timeText(numberAt(steps[step], {"start_ms"})),
                      timeText(numberAt(steps[step], {"ms"})),
                      byteText(numberAt(steps[step], {"bytes"}))});
    return table.folded(0);
}

std::string historyTable(const RunJson &search)
{
    const RunJson &history = valueAt(search, {"best_history"});
    if (!history.is_array() || history.empty())
        return {};
    HtmlTable table("Best cost so far", {"#seconds", "#cost"});
    for (const RunJson &best : history)
        table.addRow(
            {numberText(numberAt(best, {"seconds"})), numberText(numberAt(best, {"cost"}))});
    return table.folded(0);
}

/// Tells whether figures of a plan stand beside those of the same plan before its kernels were
/// tuned.
bool isBeforeTuning(const RunJson &section)
{
    return valueAt(section, {"compared_with"}) == RunJson("before tuning");
}

std::string times(const RunJson &section)
{
    return section.is_object()
               ? timeText(numberAt(section, {"median_ms"})) + " (minimum " +
                     timeText(numberAt(section, {"min_ms"})) + ", 95th percentile " +
                     timeText(numberAt(section, {"p95_ms"})) + ", noise " +
                     numberText(100 * numberAt(section, {"noise"})) + " %)"
               : std::string();
}

} // namespace

std::string memorySection(const RunJson &report)
{
    const RunJson &memory = valueAt(report, {"memory"});
    if (!memory.is_object())
        return {};
    const RunJson &planned = memoryOfPass(report);
    HtmlTable table(isBeforeTuning(memory) ? "Peak memory, before and after tuning" : "Peak memory",
                    {"plan", "#before", "#after", "#ratio", "#arena", "provenance"});
    if (&planned != &memory)
        addMemoryRow(table, "as built", memory);
    addMemoryRow(table,
                 valueAt(planned, {"latency_ms_after"}).is_number() ? "as modelled" : "as built",
                 planned);
    std::string text = table.html() + stepTable(planned);
    if (valueAt(planned, {"latency_ms_after"}).is_number())
        text += factsTable(
            "Latency and memory of the plan",
            {{"latency before", timeText(numberAt(planned, {"latency_ms_before"}))},
             {"latency of the fastest rewritten graph",
              timeText(numberAt(planned, {"latency_ms_rewritten"}))},
             {"latency after", timeText(numberAt(planned, {"latency_ms_after"}))},
             {"relative to the original", valueText(valueAt(planned, {"latency_ratio"}))},
             {"relative to the rewritten graph",
              valueText(valueAt(planned, {"latency_ratio_to_rewritten"}))},
             {"largest workspace of kernels", byteText(numberAt(planned, {"workspace_bytes"}))},
             {"limits met", valueText(valueAt(planned, {"limits_met"}))},
             {"recomputed tensors", valueText(valueAt(planned, {"recomputed"}))},
             {"swapped tensors", valueText(valueAt(planned, {"swapped"}))},
             {"realized in the graph", valueText(valueAt(planned, {"realized"}))},
             {"reason if not", valueText(valueAt(planned, {"unrealized"}))}});
    const RunJson &tree = valueAt(report, {"fission", "tree"});
    if (tree.is_array() && !tree.empty()) {
        HtmlTable fissions("Fission", {"#region", "dimension", "#nodes", "first node", "last node",
                                       "#parts", "parent region"});
        for (const RunJson &fission : tree)
            fissions.addRow(
                {std::to_string(fissions.rows()), valueText(valueAt(fission, {"dimension"})),
                 valueText(valueAt(fission, {"nodes"})), valueText(valueAt(fission, {"first"})),
                 valueText(valueAt(fission, {"last"})), valueText(valueAt(fission, {"parts"})),
                 valueText(valueAt(fission, {"parent"}))});
        text += fissions.folded();
    }
    return text;
}

std::string paretoSection(const RunJson &report)
{
    const RunJson &pareto = valueAt(report, {"pareto"});
    if (!pareto.is_array() || pareto.empty())
        return {};
    HtmlTable table("Pareto-optimal plans in latency and memory",
                    {"plan", "#latency", "#vs. original", "#vs. rewritten graph", "#peak",
                     "#vs. original", "provenance"});
    const auto add = [](HtmlTable &to, const std::string &name, const RunJson &point) {
        to.addRow({name, timeText(numberAt(point, {"latency_ms"})),
                   numberText(numberAt(point, {"latency_ratio"})),
                   numberText(numberAt(point, {"latency_ratio_to_rewritten"})),
                   byteText(numberAt(point, {"peak_bytes"})),
                   numberText(numberAt(point, {"peak_ratio"})),
                   valueText(valueAt(point, {"provenance"}))});
    };
    for (const RunJson &point : pareto) {
        const RunJson &device = valueAt(point, {"device"}); // of what was measured
        add(table,
            valueText(valueAt(point, {"plan"})) +
                (device.is_string() ? " on " + valueText(device) : ""),
            point);
    }
    const RunJson &planned = memoryOfPass(report);
    HtmlTable simpler("Baselines within the limits",
                      {"baseline", "#latency", "#vs. original", "#vs. rewritten graph", "#peak",
                       "#vs. original", "provenance"});
    if (const RunJson &rewritten = valueAt(planned, {"rewritten"}); rewritten.is_object())
        add(simpler, "rewriting alone: " + valueText(valueAt(rewritten, {"plan"})), rewritten);
    if (const RunJson &baselines = valueAt(planned, {"baselines"}); baselines.is_array())
        for (const RunJson &baseline : baselines)
            if (const RunJson &best = valueAt(baseline, {"best"}); best.is_object())
                add(simpler,
                    valueText(valueAt(baseline, {"name"})) + " of the " +
                        valueText(valueAt(baseline, {"graph"})) +
                        " graph: " + valueText(valueAt(best, {"plan"})),
                    best);
    return table.folded() + (simpler.rows() > 0 ? simpler.folded() : std::string());
}

std::string searchSection(const RunJson &report)
{
    const RunJson &search = valueAt(report, {"search"});
    if (!search.is_object())
        return {};
    return factsTable("Search",
                      {{"states created", valueText(valueAt(search, {"states_generated"}))},
                       {"duplicates filtered", valueText(valueAt(search, {"states_filtered"}))},
                       {"scheduled", valueText(valueAt(search, {"states_scheduled"}))},
                       {"states per second", valueText(valueAt(search, {"states_per_second"}))},
                       {"seconds", valueText(valueAt(search, {"seconds"}))},
                       {"search space exhausted", valueText(valueAt(search, {"exhausted"}))}}) +
           historyTable(search);
}

std::string kernelSection(const RunJson &report)
{
    std::string text;
    const RunJson &latency = valueAt(report, {"latency"});
    if (latency.is_object() && !valueAt(latency, {"after"}).is_object())
        text += factsTable(
            "Latency",
            {{"before", timeText(numberAt(latency, {"before_ms"}))},
             {"fastest rewritten graph", valueAt(latency, {"rewritten_ms"}).is_number()
                                             ? timeText(numberAt(latency, {"rewritten_ms"}))
                                             : std::string()},
             {"result", timeText(numberAt(latency, {"after_ms"}))},
             {"ratio", valueText(valueAt(latency, {"ratio"}))},
             {"ratio to the rewritten graph", valueText(valueAt(latency, {"ratio_to_rewritten"}))},
             {"device", valueText(valueAt(latency, {"device"}))},
             {"provenance", valueText(valueAt(latency, {"provenance"}))}});
    else if (latency.is_object())
        text += factsTable(
            "Latency", {{isBeforeTuning(latency) ? "before tuning" : "original, without fusion",
                         times(valueAt(latency, {"before"}))},
                        {"result", times(valueAt(latency, {"after"}))},
                        {"ratio", valueText(valueAt(latency, {"ratio"}))},
                        {valueAt(latency, {"before"}).is_object() ? "runs, in alternation" : "runs",
                         valueText(valueAt(latency, {"runs"}))},
                        {"target", valueText(valueAt(latency, {"target"})) + ":" +
                                       valueText(valueAt(latency, {"device"})) + ", " +
                                       valueText(valueAt(latency, {"threads"})) + " threads"},
                        {"provenance", valueText(valueAt(latency, {"provenance"}))}});
    const RunJson &kernels = valueAt(report, {"kernels"});
    if (!kernels.is_array() || kernels.empty())
        return text;
    HtmlTable table("Kernels", {"kernel", "#block", "#FLOPs", "#bytes", "#median", "#GFLOP/s",
                                "#GB/s", "provenance", "why interpreted"});
    for (const RunJson &kernel : kernels) {
        const RunJson &ms = valueAt(kernel, {"ms"});
        table.addRow(
            {valueText(valueAt(kernel, {"name"})), valueText(valueAt(kernel, {"block"})),
             numberText(numberAt(kernel, {"flops"})), byteText(numberAt(kernel, {"bytes"})),
             ms.is_number() ? timeText(ms.get<double>()) : "",
             valueText(valueAt(kernel, {"gflops"})), valueText(valueAt(kernel, {"gb_per_s"})),
             valueText(valueAt(kernel, {"provenance"})),
             valueText(valueAt(kernel, {"interpreted"}))});
    }
    return text + table.folded();
}

std::string verifySection(const RunJson &report)
{
    HtmlTable table("Comparisons of outputs", {"compared with", "outcome", "#maximum error",
                                               "#relative to scale", "#tolerance", "message"});
    const auto add = [&](const std::string &what, const RunJson &verify) {
        const RunJson &passed = valueAt(verify, {"passed"});
        const bool comparable = valueAt(verify, {"comparable"}) != RunJson(false);
        if (!passed.is_boolean() && comparable)
            return;
        const auto error = [&](const char *key) {
            const RunJson &value = valueAt(verify, {key});
            return value.is_number() ? numberText(value.get<double>()) : "infinite";
        };
        table.addRow({what,
                      !comparable          ? "not comparable"
                      : passed.get<bool>() ? "\u2713 passed"
                                           : "\u2717 FAILED",
                      error("max_abs_error"), error("max_rel_error"),
                      numberText(numberAt(verify, {"tolerance"})),
                      valueText(valueAt(verify, {"message"}))});
    };
    const RunJson &given = valueAt(report, {"verify", "run_on"});
    add("the original model, on " + (given.is_string() ? valueText(given) : "random inputs"),
        valueAt(report, {"verify"}));
    if (const RunJson &data = valueAt(report, {"test_data"}); data.is_array())
        for (const RunJson &outcome : data)
            add(valueText(valueAt(outcome, {"folder"})), outcome);
    return table.empty() ? std::string() : table.html();
}

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/report/metric_rules.h"

#include "app/batch/arguments/tolerance.h"

#include <algorithm>
#include <array>

namespace graphloom {

namespace {

constexpr std::optional<Better> lessIsBetter = Better::Lower, moreIsBetter = Better::Higher,
                                mustBeTrue = Better::True, notCompared = std::nullopt;

constexpr std::array metricRules = {
    // Facts of the model, the options and the machine.
    MetricRule{"schema", notCompared},
    MetricRule{"model.*", notCompared},
    MetricRule{"training.*", notCompared},
    MetricRule{"environment.*", notCompared},
    MetricRule{"differences.*", notCompared}, // from another plan
    MetricRule{"*_before", notCompared},
    MetricRule{"latency.before_ms", notCompared},
    MetricRule{"latency.before.*", notCompared},
    // Baselines of passes, within the report itself.
    MetricRule{"partition.baseline.*", notCompared},
    MetricRule{"fusion.baseline.*", notCompared},
    // Progress of a search; only its result is compared.
    MetricRule{"search.*", notCompared},
    MetricRule{"tuning.*", notCompared},

    MetricRule{"partition.subgraphs", lessIsBetter},
    MetricRule{"partition.trivial", lessIsBetter},
    MetricRule{"partition.jain", moreIsBetter},
    MetricRule{"partition.acyclic", mustBeTrue},
    MetricRule{"partition.*", notCompared}, // threshold, mean and median of weights

    MetricRule{"rewrite.flops_after", lessIsBetter},

    MetricRule{"fusion.layers_after", lessIsBetter},
    MetricRule{"fusion.fusion_rate", moreIsBetter},
    MetricRule{"fusion.compute_intensive_after", lessIsBetter},
    MetricRule{"fusion.memory_intensive_after", lessIsBetter},
    MetricRule{"fusion.compute_intensive", notCompared}, // before fusion, like the next
    MetricRule{"fusion.memory_intensive", notCompared},
    MetricRule{"fusion.irs_bytes_after", lessIsBetter},
    MetricRule{"fusion.unsized_irs_after", lessIsBetter},
    MetricRule{"fusion.modelled_ms", lessIsBetter, true},
    MetricRule{"fusion.layouts.ms", lessIsBetter, true},
    MetricRule{"fusion.layouts.*", notCompared}, // alternatives for layouts, and counts of them

    MetricRule{"schedule.peak_bytes", lessIsBetter},
    MetricRule{"schedule.arena_bytes", lessIsBetter},
    MetricRule{"schedule.*", notCompared}, // how the schedule is run

    // As memory.* of the built plan and memory.plan.* of a pass.
    MetricRule{"memory*.peak_bytes_after", lessIsBetter},
    MetricRule{"memory*.arena_bytes", lessIsBetter},
    MetricRule{"memory*.resident_bytes", lessIsBetter},
    MetricRule{"memory*.peak_bytes_searched", notCompared}, // peak_bytes_after is the plan's
    MetricRule{"memory*.constant_bytes", lessIsBetter},
    MetricRule{"memory*.ratio", lessIsBetter},
    MetricRule{"memory*.latency_ms_after", lessIsBetter, true},
    MetricRule{"memory*.latency_ratio", lessIsBetter, true},
    MetricRule{"memory*.latency_ratio_to_rewritten", lessIsBetter, true},
    MetricRule{"memory*.latency_ms_rewritten", notCompared}, // reference, like the next
    MetricRule{"memory*.latency_ms_reference", notCompared},
    MetricRule{"memory*.rewritten.*", notCompared},
    MetricRule{"memory*.workspace_bytes", notCompared}, // part of the peak
    MetricRule{"memory*.limits_met", mustBeTrue},
    MetricRule{"memory*.realized", mustBeTrue},
    MetricRule{"memory*.border_bytes", notCompared}, // inputs and outputs
    MetricRule{"memory*.recomputed", notCompared},   // means to reach the result, like the next
    MetricRule{"memory*.swapped", notCompared},
    MetricRule{"memory*.times.*", notCompared}, // how many calls were measured

    MetricRule{"build.kernels", lessIsBetter},
    MetricRule{"build.interpreted", lessIsBetter},
    MetricRule{"build.failed_kernels", lessIsBetter},
    MetricRule{"build.*", notCompared}, // seconds depend on what was compiled before

    MetricRule{"latency.after_ms", lessIsBetter, true},
    MetricRule{"latency.ratio", lessIsBetter, true},
    MetricRule{"latency.ratio_to_rewritten", lessIsBetter, true},
    MetricRule{"latency.after.min_ms", lessIsBetter, true},
    MetricRule{"latency.after.median_ms", notCompared}, // after_ms
    MetricRule{"latency.after.p95_ms", notCompared},    // of few runs: noise
    MetricRule{"latency.after.noise", notCompared},
    MetricRule{"latency.*", notCompared}, // runs, threads

    MetricRule{"verify.passed", mustBeTrue},
    MetricRule{"verify.*", notCompared}, // errors within the tolerance do not matter
    MetricRule{"test_data.*.passed", mustBeTrue},
    MetricRule{"test_data.*", notCompared},
};

} // namespace

std::string_view nameOf(Better better)
{
    switch (better) {
    case Better::Lower:
        return "less";
    case Better::Higher:
        return "more";
    case Better::True:
        break;
    }
    return "true";
}

const MetricRule *metricRuleOf(std::string_view path)
{
    const auto found = std::ranges::find_if(
        metricRules, [&](const MetricRule &rule) { return matchesPattern(rule.path, path); });
    return found == metricRules.end() ? nullptr : &*found;
}

bool matchesSomeMetric(std::string_view pattern)
{
    return std::ranges::any_of(metricRules, [&](const MetricRule &rule) {
        if (!rule.better || rule.better == Better::True)
            return false;
        // The * of a rule stands for nothing or for ".plan".
        std::string plain(rule.path), planned(rule.path);
        if (const auto star = plain.find('*'); star != std::string::npos) {
            plain.replace(star, 1, "");
            planned.replace(star, 1, ".plan");
        }
        return matchesPattern(pattern, plain) || matchesPattern(pattern, planned);
    });
}

} // namespace graphloom

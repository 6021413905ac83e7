// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/metric_rules.h"

#include "app/batch/tolerance.h"

#include <algorithm>
#include <array>

namespace graphloom {

namespace {

constexpr std::optional<Better> lower = Better::Lower, higher = Better::Higher, yes = Better::True,
                                neither = std::nullopt;

constexpr std::array metricRules = {
    // Facts of the model, of what was asked for, and of the machine.
    MetricRule{"schema", neither},
    MetricRule{"model.*", neither},
    MetricRule{"training.*", neither},
    MetricRule{"environment.*", neither},
    MetricRule{"*_before", neither},
    MetricRule{"latency.before_ms", neither},
    MetricRule{"latency.before.*", neither},
    // What passes are compared with, in the report itself.
    MetricRule{"partition.baseline.*", neither},
    MetricRule{"fusion.baseline.*", neither},
    // How a search went; it is the result that counts.
    MetricRule{"search.*", neither},
    MetricRule{"tuning.*", neither},

    MetricRule{"partition.subgraphs", lower},
    MetricRule{"partition.trivial", lower},
    MetricRule{"partition.jain", higher},
    MetricRule{"partition.acyclic", yes},
    MetricRule{"partition.*", neither}, // threshold, mean and median of weights

    MetricRule{"rewrite.flops_after", lower},

    MetricRule{"fusion.layers_after", lower},
    MetricRule{"fusion.fusion_rate", higher},
    MetricRule{"fusion.compute_intensive_after", lower},
    MetricRule{"fusion.memory_intensive_after", lower},
    MetricRule{"fusion.compute_intensive", neither}, // before fusion, as the next
    MetricRule{"fusion.memory_intensive", neither},
    MetricRule{"fusion.irs_bytes_after", lower},
    MetricRule{"fusion.unsized_irs_after", lower},
    MetricRule{"fusion.modelled_ms", lower, true},
    MetricRule{"fusion.layouts.ms", lower, true},
    MetricRule{"fusion.layouts.*", neither}, // other ways to choose layouts, and counts of them

    // Of the built plan, and as memory.plan.* of a pass.
    MetricRule{"memory*.peak_bytes_after", lower},
    MetricRule{"memory*.arena_bytes", lower},
    MetricRule{"memory*.resident_bytes", lower},
    MetricRule{"memory*.constant_bytes", lower},
    MetricRule{"memory*.ratio", lower},
    MetricRule{"memory*.latency_ms_after", lower, true},
    MetricRule{"memory*.latency_ratio", lower, true},
    MetricRule{"memory*.limits_met", yes},
    MetricRule{"memory*.realized", yes},
    MetricRule{"memory*.border_bytes", neither}, // inputs and outputs
    MetricRule{"memory*.recomputed", neither},   // means to an end, as the next
    MetricRule{"memory*.swapped", neither},
    MetricRule{"memory*.times.*", neither}, // how many calls were measured

    MetricRule{"build.kernels", lower},
    MetricRule{"build.interpreted", lower},
    MetricRule{"build.*", neither}, // seconds depend on what was compiled before

    MetricRule{"latency.after_ms", lower, true},
    MetricRule{"latency.ratio", lower, true},
    MetricRule{"latency.after.min_ms", lower, true},
    MetricRule{"latency.after.median_ms", neither}, // after_ms
    MetricRule{"latency.after.p95_ms", neither},    // of few runs: noise
    MetricRule{"latency.after.noise", neither},
    MetricRule{"latency.*", neither}, // runs, threads

    MetricRule{"verify.passed", yes},
    MetricRule{"verify.*", neither}, // errors within the tolerance are as good as none
    MetricRule{"test_data.*.passed", yes},
    MetricRule{"test_data.*", neither},
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
        // The rules' own * stands for nothing or for the part ".plan".
        std::string plain(rule.path), planned(rule.path);
        if (const auto star = plain.find('*'); star != std::string::npos) {
            plain.replace(star, 1, "");
            planned.replace(star, 1, ".plan");
        }
        return matchesPattern(pattern, plain) || matchesPattern(pattern, planned);
    });
}

} // namespace graphloom

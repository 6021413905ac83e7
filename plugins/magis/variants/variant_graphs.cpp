// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/variants/variant_graphs.h"

#include "engine/base/steps.h"
#include "engine/plan/training_record.h"
#include "plugins/magis/realize/constant_parts.h"
#include "plugins/magis/variants/distribution.h"
#include "plugins/magis/variants/duplication.h"
#include "plugins/magis/variants/measuring.h"
#include "plugins/magis/variants/merged_variants.h"
#include "plugins/magis/variants/weight_scaling.h"

namespace graphloom::magis {

namespace {

/// Returns the graph with merged calls, if that is faster.
Result<std::optional<MergedGraph>> fastestMerged(const Plan &plan, const Settings &settings,
                                                 const Opsets &opsets, const VariantOptions &wanted)
{
    MergeOptions options;
    options.isLate = wanted.isLate;
    options.stop = wanted.stop;
    options.uses = [&](std::string_view rule) { return settings.usesRule(rule); };
    if (plan.training)
        options.variables = plan.training->variables;
    options.views = Views::Whole; // as in MemoryGraph
    GL_TRY_RESULT(merged, mergedVariants(plan.graph, opsets, *wanted.device, options));
    std::optional<MergedGraph> fastest;
    for (MergedGraph &variant : *merged)
        if (!variant.log.steps.empty() && variant.seconds < merged->front().seconds && !fastest)
            fastest = std::move(variant);
    return fastest;
}

constexpr std::string_view scaling = "with scales in weights", merging = "with merged calls",
                           distributing = "without concatenations", duplicating = "with duplicates";

/// Tells whether a variant of this name, or one derived from it, is wanted.
bool isWanted(const VariantOptions &options, std::string_view name)
{
    return !options.only || options.only->starts_with(name);
}

/// Returns the variant with tensors computed a second time, if there are any that cost little.
Result<std::optional<Variant>> withDuplicates(const Variant &base, const Opsets &opsets,
                                              const VariantOptions &options)
{
    constexpr double share = 0.7; // of the additional latency; the rest is for fissions
    const State &state = base.unoptimized;
    Trace trace;
    Simulator(*base.memory, base.space->evictions())
        .run(*state.arrangement, state.policies, &trace);
    GL_TRY_RESULT(
        twice, duplicated(*base.space, trace, share * options.moreLatency * state.outcome.seconds));
    if (twice->tensors.empty())
        return std::nullopt;
    GL_TRY_RESULT(variant,
                  variantOf((base.name.empty() ? "" : base.name + ", ") + std::string(duplicating),
                            twice->graph, opsets, options, &base));
    variant->changes = base.changes;
    variant->changes.insert(variant->changes.end(), twice->tensors.begin(), twice->tensors.end());
    return std::optional<Variant>(std::move(*variant));
}

/// Adds variants of other graphs than the plan's. If stopped, `variants` holds those found so far.
Result<void> addOthers(std::vector<Variant> &variants, const Plan &plan, const Settings &settings,
                       const Opsets &opsets, const VariantOptions &options)
{
    const auto stopped = [&] { return options.stop.stop_requested(); };
    if (stopped())
        return stoppedError();
    Result<std::optional<MergedGraph>> merged = std::nullopt;
    if (isWanted(options, merging))
        merged = fastestMerged(plan, settings, opsets, options);
    if (!merged)
        return tl::unexpected(merged.error());
    if (stopped())
        return stoppedError();
    if (*merged) {
        GL_TRY_RESULT(variant, variantOf(std::string(merging), (*merged)->graph, opsets, options));
        for (const RewriteStep &step : (*merged)->log.steps)
            variant->changes.push_back(step.rule);
        variants.push_back(std::move(*variant));
    }
    // Later variants build on this graph, too.
    Graph base = plan.graph;
    std::string prefix;
    if (plan.training && isWanted(options, scaling) && !options.isLate()) {
        GL_TRY_RESULT(scaled,
                      withScalesInWeights(base, opsets, plan.training->variables, options.stop));
        if (!scaled->normalizations.empty()) {
            base = std::move(scaled->graph);
            GL_TRY_RESULT(
                variant, variantOf(std::string(scaling), base, opsets, options, &variants.front()));
            variant->changes = std::move(scaled->normalizations);
            variants.push_back(std::move(*variant));
            prefix.append(scaling).append(", ");
        }
    }
    Result<Distributed> apart = Distributed();
    const std::string distributed = prefix + std::string(distributing);
    if (isWanted(options, distributed) && !options.isLate())
        apart = magis::distributed(base, opsets, options.stop);
    if (!apart)
        return tl::unexpected(apart.error());
    if (apart->calls > 0) {
        if (!plan.training) {
            GL_TRY_RESULT(folded, withConstantParts(apart->graph, opsets, options.stop));
            apart->graph = std::move(*folded);
        }
        GL_TRY_RESULT(variant,
                      variantOf(distributed, apart->graph, opsets, options, &variants.front()));
        variant->changes = std::move(apart->concatenations);
        variants.push_back(std::move(*variant));
    }
    if (stopped())
        return stoppedError();
    // A training step reads nearly all of its tensors late, so that no few of them stand out.
    if (!plan.training && !options.isLate() &&
        (!options.only || options.only->ends_with(duplicating))) {
        GL_TRY_RESULT(twice, withDuplicates(variants.back(), opsets, options));
        if (*twice)
            variants.push_back(std::move(**twice));
    }
    return {};
}

} // namespace

Result<std::vector<Variant>> variantsOf(const Plan &plan, const Settings &settings,
                                        const Opsets &opsets, const VariantOptions &options)
{
    std::vector<Variant> variants;
    GL_TRY_RESULT(own, variantOf("", plan.graph, opsets, options));
    variants.push_back(std::move(*own));
    const auto added = addOthers(variants, plan, settings, opsets, options);
    // A stopped run can use the variants found so far, unless one is requested by name.
    if (!added && (options.only || !isStopped(added.error())))
        return tl::unexpected(added.error());
    if (options.measuring)
        for (std::size_t v = 0; v < variants.size(); ++v)
            options.measuring->likelyParts(*variants[v].space, *variants[v].times,
                                           variants.size() - v);
    return variants;
}

} // namespace graphloom::magis

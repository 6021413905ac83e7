// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/dnnfusion_pass.h"

#include "engine/fusion/block_search.h"
#include "engine/fusion/fixed_patterns.h"
#include "engine/fusion/fusion_facts.h"
#include "engine/fusion/layouts.h"
#include "engine/ops/infer.h"
#include "plugins/dnnfusion/greedy_plan.h"

#include <algorithm>
#include <array>

namespace graphloom::dnnfusion {

namespace {

const std::vector<std::string_view> &deviceNames()
{
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> list;
        for (const Device &device : devices())
            list.push_back(device.name);
        return list;
    }();
    return names;
}

const std::vector<Parameter> &table()
{
    const BlockLimits limits;
    static const std::vector<Parameter> parameters = {
        {.name = "reductions",
         .help = "Go beyond Table 3 where it is safe: a reduction may join what computes its input "
                 "when it needs each element once, and a block may run row by row around "
                 "reductions whose rows fit into scratch memory (normalizations, attention). Off, "
                 "Many-to-Many behind One-to-Many or Many-to-Many is never fused, as in the paper.",
         .kind = Parameter::Kind::Toggle,
         .initial = 1,
         .most = 1},
        {.name = "device",
         .help = "The device whose modelled costs decide the yellow cells of Table 3 where the "
                 "profile database has no measurement.",
         .kind = Parameter::Kind::Choice,
         .choices = deviceNames()},
        {.name = "most-operators",
         .help = "Constraint: operators in a block, for the size of its code.",
         .kind = Parameter::Kind::Integer,
         .initial = double(limits.operators),
         .least = 1,
         .most = 4096},
        {.name = "most-inputs",
         .help = "Constraint: tensors that a block reads, constants left out.",
         .kind = Parameter::Kind::Integer,
         .initial = double(limits.inputs),
         .least = 1,
         .most = 4096},
        {.name = "most-outputs",
         .help = "Constraint: tensors that a block writes.",
         .kind = Parameter::Kind::Integer,
         .initial = double(limits.outputs),
         .least = 1,
         .most = 4096},
        {.name = "live-values",
         .help = "Constraint: intermediate values that wait for their readers at one time; they "
                 "stand for the registers of the fused loop nest.",
         .kind = Parameter::Kind::Integer,
         .initial = double(limits.liveValues),
         .least = 1,
         .most = 4096},
        {.name = "scratch-kib",
         .help = "Constraint: scratch memory for the row that a block keeps while a reduction "
                 "over it runs, in KiB.",
         .initial = limits.scratchBytes / 1024,
         .least = 0,
         .most = 1 << 20},
        {.name = "operand-kib",
         .help = "Constraint: an operand that is read again for every tile of rows must stay in a "
                 "cache of so many KiB.",
         .initial = limits.operandBytes / 1024,
         .least = 0,
         .most = 1 << 20},
        {.name = "least-rows",
         .help = "Constraint: rows that a block with a contraction must have to be shared among "
                 "cores.",
         .kind = Parameter::Kind::Integer,
         .initial = limits.leastRows,
         .least = 1,
         .most = 4096},
        {.name = "search",
         .help = "States that the search for cheaper blocks looks at, beginning with the greedy "
                 "plan; 0 keeps that plan.",
         .kind = Parameter::Kind::Integer,
         .initial = 16,
         .least = 0,
         .most = 1e9},
        {.name = "seconds",
         .help = "The search ends after so long; 0 sets no limit. Without one the result depends "
                 "on nothing but the model and the settings.",
         .initial = 0,
         .least = 0,
         .most = 1e6},
        {.name = "baseline",
         .help = "Also fuse by fixed patterns as TVM does (the paper's OurB+), for comparison.",
         .kind = Parameter::Kind::Toggle,
         .initial = 1,
         .most = 1},
    };
    return parameters;
}

BlockLimits limitsOf(const Settings &settings)
{
    BlockLimits limits;
    limits.reductions = settings.toggle("reductions");
    limits.operators = int(settings.integer("most-operators"));
    limits.inputs = int(settings.integer("most-inputs"));
    limits.outputs = int(settings.integer("most-outputs"));
    limits.liveValues = int(settings.integer("live-values"));
    limits.scratchBytes = settings.real("scratch-kib") * 1024;
    limits.operandBytes = settings.real("operand-kib") * 1024;
    limits.leastRows = settings.real("least-rows");
    return limits;
}

/// OurB+: TVM's patterns, whatever Table 3 says.
BlockGraph fixedPatternBlocks(const Ecg &ecg)
{
    const Graph &graph = ecg.graph();
    std::vector<OperatorClass> classes;
    for (const NodeId id : graph.order())
        classes.push_back(ecg.node(id).operatorClass);
    const auto groups = fixedPatternGroups(graph, classes, Movements::Injective);
    BlockGraph blocks(graph);
    for (std::uint32_t i = 0; i < groups.size(); ++i) {
        const auto whole = blocks.blockOf(graph.order()[groups[i]]);
        const auto own = blocks.blockOf(graph.order()[i]);
        if (whole != own)
            blocks.merge(whole, own);
    }
    return blocks;
}

} // namespace

std::string_view DnnFusionPass::help() const
{
    return "Fuses operators into blocks by their mapping types: section 4.3 of DNNFusion: "
           "Accelerating Deep Neural Networks Execution with Advanced Operator Fusion (PLDI 2021).";
}

std::span<const Parameter> DnnFusionPass::parameters() const
{
    return table();
}

Result<Plan> DnnFusionPass::run(Plan plan, const Context &context) const
{
    const Settings &settings = context.settings;
    const Opsets opsets = opsetsOf(*plan.model);
    context.progress(0, "classifying operators");
    const auto original = Ecg::of(plan.original, opsets);
    if (!original)
        return tl::unexpected(original.error());
    const auto facts = FusionFacts::of(plan.graph, opsets, limitsOf(settings),
                                       devices()[std::size_t(settings.integer("device"))]);
    if (!facts)
        return tl::unexpected(facts.error());
    const Ecg &ecg = (*facts)->ecg();
    const BlockMerger &merger = (*facts)->merger();

    BlockMarks marks;
    BlockGraph blocks =
        plan.fusion ? blocksOf(merger, ecg.graph(), *plan.fusion, marks) : BlockGraph(ecg.graph());
    growBlocks(merger, blocks, marks, context.stop,
               [&](double done) { context.progress(done, "fusing"); });
    if (settings.integer("search") > 0) {
        SearchOptions options;
        options.expanded = std::uint64_t(settings.integer("search"));
        options.seconds = settings.real("seconds");
        options.threads = context.threads;
        options.stop = context.stop;
        options.progress = context.progress;
        const BlockSearch problem(merger, marks);
        BestFirstSearch search(problem, options);
        blocks = *search.run(problem.start(blocks)).blocks;
        plan.search = std::make_shared<const SearchRecord>(search.record());
    }
    const FusionStatistics::Side before = layersOf(*original);
    const auto planned = [&](const BlockGraph &graph, const char *method, const BlockMarks &known) {
        FusionPlan fusion = planOf(merger, graph, method, known);
        fusion.statistics.before = before;
        return std::make_shared<const FusionPlan>(std::move(fusion));
    };
    plan.fusion = planned(blocks, "dnnfusion", marks);
    plan.layouts = std::make_shared<const LayoutPlan>(
        chooseLayouts(ecg, *plan.fusion, merger.cost().device()));
    plan.baselineFusion = settings.toggle("baseline")
                              ? planned(fixedPatternBlocks(ecg), "fixed patterns", {})
                              : nullptr;

    PassRecord &record = plan.history.emplace_back();
    const FusionStatistics &statistics = plan.fusion->statistics;
    record.summary = {{"layers_before", statistics.before.layers},
                      {"layers_after", statistics.after.layers},
                      {"irs_bytes_before", statistics.before.irsBytes},
                      {"irs_bytes_after", statistics.after.irsBytes}};
    if (plan.baselineFusion)
        record.summary.push_back({"baseline_layers", plan.baselineFusion->statistics.after.layers});
    return plan;
}

} // namespace graphloom::dnnfusion

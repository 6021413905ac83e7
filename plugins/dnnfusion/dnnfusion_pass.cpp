// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/dnnfusion_pass.h"

#include "engine/fusion/block_search.h"
#include "engine/fusion/fixed_patterns.h"
#include "engine/fusion/fusion_facts.h"
#include "engine/fusion/layouts.h"
#include "engine/fusion/measured_blocks.h"
#include "engine/ops/infer.h"
#include "engine/rewrite/check.h"
#include "engine/rewrite/rewrite.h"
#include "plugins/dnnfusion/greedy_plan.h"
#include "plugins/dnnfusion/recognition.h"
#include "plugins/dnnfusion/rules/all_rules.h"
#include "plugins/dnnfusion/rules/fired.h"
#include "plugins/dnnfusion/stand_ins.h"

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

constexpr std::array<std::string_view, 3> strategies = {"greedy", "equality-saturation", "off"};

const std::vector<Parameter> &table()
{
    const BlockLimits limits;
    static const std::vector<Parameter> parameters = {
        {.name = "rewrite",
         .help =
             "How rewrite rules are applied: \"greedy\", the one that saves most FLOPs first as "
             "the paper does; \"equality-saturation\", all at once in an e-graph, then the "
             "cheapest of what it holds, which is never worse; \"off\".",
         .kind = Parameter::Kind::Choice,
         .choices = strategies},
        {.name = "assume-domain",
         .help =
             "Apply rules that hold for some values only (\"x >= 0\") also where the graph does "
             "not prove that its values are such.",
         .kind = Parameter::Kind::Toggle,
         .initial = 0,
         .most = 1},
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
    return "Rewrites the graph by algebraic and clean-up rules and fuses operators into blocks by "
           "their mapping types: DNNFusion: Accelerating Deep Neural Networks Execution with "
           "Advanced Operator Fusion (PLDI 2021), sections 4.2 to 4.4.";
}

std::span<const Parameter> DnnFusionPass::parameters() const
{
    return table();
}

std::span<const RuleFacts> DnnFusionPass::rules() const
{
    static const std::vector<RuleFacts> facts = [] {
        auto list = factsOf(allRules());
        const auto &fired = firedCounts();
        for (RuleFacts &rule : list)
            if (const auto count = fired.find(rule.name); count != fired.end())
                rule.fired = count->second;
        return list;
    }();
    return facts;
}

namespace {

/// What the user has decided about is not to be rewritten either.
std::vector<NodeId> lockedNodes(const Plan &plan)
{
    std::vector<NodeId> nodes;
    for (std::size_t b = 0; plan.fusion && b < plan.fusion->blocks.size(); ++b)
        if (plan.fusion->blocks[b].locked) {
            const auto &members = plan.fusion->partition.subgraphs[b].nodes;
            nodes.insert(nodes.end(), members.begin(), members.end());
        }
    return nodes;
}

/// Step one: the graph rewritten, its steps behind those of earlier runs.
Result<void> rewritePlan(Plan &plan, const Context &context, const Opsets &opsets)
{
    const std::string_view strategy = strategies[std::size_t(context.settings.integer("rewrite"))];
    if (strategy == "off")
        return {};
    std::vector<Rule> used;
    std::ranges::copy_if(allRules(), std::back_inserter(used),
                         [&](const Rule &rule) { return context.settings.usesRule(rule.name); });
    RewriteOptions options;
    options.strategy = strategy == "greedy" ? RewriteOptions::Strategy::Greedy
                                            : RewriteOptions::Strategy::EqualitySaturation;
    options.assumeDomain = context.settings.toggle("assume-domain");
    options.stop = context.stop;
    options.progress = [&](double done) { context.progress(done / 2, "rewriting"); };
    const StandIns standIns(plan.graph, opsets, lockedNodes(plan));
    auto open = standIns.put(plan.graph);
    if (!open)
        return tl::unexpected(open.error());
    auto result = rewrite(*open, opsets, used, options);
    if (!result)
        return tl::unexpected(result.error());
    auto graph = standIns.removed(result->graph);
    if (!graph)
        return tl::unexpected(graph.error());
    auto cleared = standIns.removed(std::move(result->log));
    if (!cleared)
        return tl::unexpected(cleared.error());
    RewriteLog log = std::move(*cleared);
    if (plan.rewrite) {
        log.flopsBefore = plan.rewrite->flopsBefore;
        log.steps.insert(log.steps.begin(), plan.rewrite->steps.begin(), plan.rewrite->steps.end());
    }
    plan.rewrite = std::make_shared<const RewriteLog>(std::move(log));
    if (graph->hash() != plan.graph.hash())
        plan.partition = plan.baselinePartition = nullptr; // of a graph that is no more
    plan.graph = std::move(*graph);
    return {};
}

/// Begins with what is known under a name of its own, where nothing else was planned with it.
void mergeRecognised(const std::vector<RecognisedBlock> &recognised, const BlockMerger &merger,
                     BlockGraph &blocks, const BlockMarks &marks)
{
    for (const RecognisedBlock &known : recognised) {
        std::vector<BlockGraph::Block> members;
        for (const NodeId id : known.nodes)
            members.push_back(blocks.blockOf(id));
        const bool free = std::ranges::all_of(members, [&](BlockGraph::Block block) {
            return blocks.nodes(block).size() == 1 && !marks.contains(block);
        });
        if (!free || merger.rules().check(known.nodes).refusal || blocks.wouldCycle(members))
            continue;
        for (std::size_t i = 1; i < members.size(); ++i)
            blocks.merge(members[0], members[i]);
    }
}

/// Blocks take the name of what they hold all of; the largest comes first.
void nameBlocks(const std::vector<RecognisedBlock> &recognised, const BlockGraph &blocks,
                BlockMarks &marks)
{
    for (auto &[block, mark] : marks)
        mark.pattern.clear(); // of an earlier run
    for (const RecognisedBlock &known : recognised) {
        const auto block = blocks.blockOf(known.nodes.front());
        const bool whole = std::ranges::all_of(
            known.nodes, [&](NodeId id) { return blocks.blockOf(id) == block; });
        if (whole && marks[block].pattern.empty())
            marks[block].pattern = known.name;
    }
}

/// Step two: blocks, greedily and then by search.
BlockGraph planBlocks(const FusionFacts &facts, Plan &plan, const Opsets &opsets, BlockMarks &marks,
                      const Context &context)
{
    const Settings &settings = context.settings;
    const BlockMerger &merger = facts.merger();
    const Graph &graph = facts.ecg().graph();
    BlockGraph blocks =
        plan.fusion ? blocksOf(merger, graph, *plan.fusion, marks) : BlockGraph(graph);
    const std::vector<RecognisedBlock> recognised = recognise(graph, opsets);
    mergeRecognised(recognised, merger, blocks, marks);
    growBlocks(merger, blocks, marks, context.stop,
               [&](double done) { context.progress((1 + done) / 2, "fusing"); });
    if (settings.integer("search") == 0) {
        nameBlocks(recognised, blocks, marks);
        return blocks;
    }
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
    nameBlocks(recognised, blocks, marks);
    return blocks;
}

} // namespace

Result<Plan> DnnFusionPass::run(Plan plan, const Context &context) const
{
    const Settings &settings = context.settings;
    const Opsets opsets = opsetsOf(*plan.model);
    if (auto rewritten = rewritePlan(plan, context, opsets); !rewritten)
        return tl::unexpected(rewritten.error());

    const Device &device = devices()[std::size_t(settings.integer("device"))];
    MeasuredBlocks measured;
    if (context.profile) {
        auto found = measuredBlocks(*context.profile, device.name, plan.graph, opsets);
        if (!found)
            return tl::unexpected(found.error());
        measured = std::move(*found);
    }
    const BlockLimits limits = limitsOf(settings);
    const auto facts = FusionFacts::of(plan.graph, opsets, limits, device, measured);
    if (!facts)
        return tl::unexpected(facts.error());
    const auto original = FusionFacts::of(plan.original, opsets, limits, device);
    if (!original)
        return tl::unexpected(original.error());

    BlockMarks marks;
    const BlockGraph blocks = planBlocks(**facts, plan, opsets, marks, context);
    const auto planned = [&](const FusionFacts &of, const BlockGraph &graph, const char *method,
                             const BlockMarks &known) {
        FusionPlan fusion = planOf(of.merger(), graph, method, known);
        fusion.statistics.before = layersOf((*original)->ecg());
        return std::make_shared<const FusionPlan>(std::move(fusion));
    };
    plan.fusion = planned(**facts, blocks, "dnnfusion", marks);
    plan.layouts =
        std::make_shared<const LayoutPlan>(chooseLayouts((*facts)->ecg(), *plan.fusion, device));
    plan.baselineFusion =
        settings.toggle("baseline")
            ? planned(**original, fixedPatternBlocks((*original)->ecg()), "fixed patterns", {})
            : nullptr;

    PassRecord &record = plan.history.emplace_back();
    const FusionStatistics &statistics = plan.fusion->statistics;
    if (plan.rewrite)
        record.summary = {{"rewrites", std::int64_t(plan.rewrite->steps.size())},
                          {"flops_before", plan.rewrite->flopsBefore},
                          {"flops_after", plan.rewrite->flopsAfter}};
    record.summary.insert(record.summary.end(), {{"layers_before", statistics.before.layers},
                                                 {"layers_after", statistics.after.layers},
                                                 {"irs_bytes_before", statistics.before.irsBytes},
                                                 {"irs_bytes_after", statistics.after.irsBytes}});
    if (plan.baselineFusion)
        record.summary.push_back({"baseline_layers", plan.baselineFusion->statistics.after.layers});
    return plan;
}

} // namespace graphloom::dnnfusion

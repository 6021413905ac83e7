// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/planning.h"

#include "engine/fusion/blocks/block_growth.h"
#include "engine/fusion/blocks/block_search.h"
#include "engine/fusion/blocks/fixed_patterns.h"
#include "engine/fusion/blocks/measured_moves.h"
#include "engine/rewrite/composites/recognition.h"
#include "plugins/dnnfusion/parameters.h"

#include <algorithm>

namespace graphloom::dnnfusion {

namespace {

/// Merges recognised blocks first, unless their nodes were already planned with others.
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

/// Names blocks after the recognised pattern that they contain in full; the largest comes first.
void nameBlocks(const std::vector<RecognisedBlock> &recognised, const BlockGraph &blocks,
                BlockMarks &marks)
{
    for (auto &[block, mark] : marks)
        mark.pattern.clear(); // from an earlier run
    for (const RecognisedBlock &known : recognised) {
        const auto block = blocks.blockOf(known.nodes.front());
        const bool whole = std::ranges::all_of(
            known.nodes, [&](NodeId id) { return blocks.blockOf(id) == block; });
        if (whole && marks[block].pattern.empty())
            marks[block].pattern = known.name;
    }
}

/// Measures what was compared; tells whether that gave anything new.
bool measureCompared(DecisionTiming &timing, const Context &context)
{
    const double left = timing.until - context.clock();
    if (left <= 0 || context.stop.stop_requested())
        return false;
    const std::size_t measured = timing.measurements->measureCompared(
        *timing.timer,
        {.seconds = left, .stop = context.stop, .progress = [&](double, std::string_view what) {
             context.progress(0.5, what);
         }});
    timing.measured += measured;
    return measured > 0;
}

} // namespace

BlockGraph planBlocks(const FusionFacts &facts, Plan &plan, const Opsets &opsets, BlockMarks &marks,
                      const Context &context, const BlockSink &publish, DecisionTiming *timing)
{
    const Settings &settings = context.settings;
    const BlockMerger &merger = facts.merger();
    const Graph &graph = facts.ecg().graph();
    const BlockGraph locked = plan.fusion
                                  ? keptBlocksOf(graph, *plan.fusion, KeptBlocks::Locked, marks)
                                  : BlockGraph(graph);
    if (Fusion(settings.integer("fusion")) == Fusion::FixedPatterns)
        return fixedPatternBlocks(facts.ecg(), locked, marks);
    const std::vector<RecognisedBlock> recognised = recognise(graph, opsets, context.stop);
    const auto grown = [&](const std::function<void(double, const BlockGraph &)> &progress) {
        BlockGraph blocks = locked;
        mergeRecognised(recognised, merger, blocks, marks);
        Steps steps(context.stop);
        growBlocks(merger, blocks, marks, graph.order(), steps,
                   [&](double done) { progress(done, blocks); });
        return blocks;
    };
    if (timing)
        do {
            const BlockGraph blocks = grown([](double, const BlockGraph &) {});
            Steps steps(context.stop);
            (void)planOf(merger, blocks, "dnnfusion", marks, {}, &steps); // compares at borders
        } while (measureCompared(*timing, context)); // other decisions compare other blocks
    BlockGraph blocks = grown([&](double done, const BlockGraph &soFar) {
        context.progress(0.5 + done / 4, "fusing");
        publish(soFar, marks);
    });
    if (settings.integer("search") == 0) {
        nameBlocks(recognised, blocks, marks);
        return blocks;
    }
    SearchOptions options = searchOptionsOf(context);
    options.expanded = std::uint64_t(settings.integer("search"));
    options.seconds = settings.real("seconds");
    options.progress = [&](double done, std::string_view what) {
        context.progress(0.75 + done / 4, what);
    };
    const BlockSearch problem(merger, marks, context.stop);
    BestFirstSearch search(problem, options);
    const BlockGraph found =
        *search
             .run(problem.start(blocks),
                  [&](const BlockSearch::State &state) { publish(*state.blocks, marks); })
             .blocks;
    plan.search = std::make_shared<const SearchRecord>(search.record());
    if (timing) {
        compareMoves(merger, blocks, found);
        measureCompared(*timing, context);
    }
    blocks = provenMoves(merger, blocks, found);
    nameBlocks(recognised, blocks, marks);
    return blocks;
}

BlockGraph fixedPatternBlocks(const Ecg &ecg, BlockGraph blocks, const BlockMarks &marks)
{
    const Graph &graph = ecg.graph();
    const auto isLocked = [&](BlockGraph::Block block) {
        const auto mark = marks.find(block);
        return mark != marks.end() && mark->second.locked;
    };
    std::vector<OperatorClass> classes;
    for (const NodeId id : graph.order())
        classes.push_back(ecg.node(id).operatorClass);
    const auto groups = fixedPatternGroups(graph, classes, Movements::Injective);
    for (std::uint32_t i = 0; i < groups.size(); ++i) {
        const auto whole = blocks.blockOf(graph.order()[groups[i]]);
        const auto own = blocks.blockOf(graph.order()[i]);
        // Without locked blocks, patterns make no cycles.
        if (whole != own && !isLocked(whole) && !isLocked(own) &&
            (marks.empty() || !blocks.wouldCycle(whole, own)))
            blocks.merge(whole, own);
    }
    return blocks;
}

} // namespace graphloom::dnnfusion

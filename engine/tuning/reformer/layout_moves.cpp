// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/reformer/layout_moves.h"

#include "engine/base/stop_after.h"
#include "engine/fusion/blocks/layouts.h"

#include <algorithm>
#include <set>

namespace graphloom {

namespace {

/// The share of the rest for moves.
constexpr double moveShare = 0.15;
/// The kernels after a move must take less than this share of the time of those before.
constexpr double movedShare = 0.97;
/// A move that the model says to cost more than this share of the time of its blocks is left out.
constexpr double mostLoss = 0.5;
/// A move that changes more kernels than this is left out: compiling them would take the time of
/// tuning others.
constexpr std::size_t mostKernels = 12;
constexpr double mostSeconds = 1e6; // stands for no limit of time

/// Counts the blocks of the fusion plan.
using BlockNumbers = std::vector<std::uint32_t>;

class LayoutMover {
public:
    LayoutMover(const ReformContext &context, StateGenerator &generator, const FusionPlan &fusion,
                LayoutPlan &layouts, TuningState &state)
        : m_context(context), m_generator(generator), m_fusion(fusion), m_layouts(layouts),
          m_state(state), m_ecg(context.facts.ecg()),
          m_device(context.facts.merger().cost().device()),
          m_canChange(changeableBlocks(m_ecg, fusion)), m_neighbours(fusion.blocks.size())
    {
        for (std::size_t b = 0; b < m_canChange.size(); ++b)
            m_canChange[b] = m_canChange[b] && !layouts.blocks[b].locked;
        findNeighbours();
    }

    Result<int> run()
    {
        const PlanTunerOptions &options = m_context.options;
        if (options.seconds <= 0 && !m_context.timer.knowsAny())
            return 0;
        const double until = m_context.budget.secondsLeft() * (1 - moveShare);
        const auto untilTrials =
            std::int64_t(double(m_context.budget.trialsLeft()) * (1 - moveShare));
        const auto isOver = [&] {
            return options.stop.stop_requested() ||
                   (options.seconds > 0 &&
                    (m_context.budget.isOver() || m_context.budget.secondsLeft() < until ||
                     m_context.budget.trialsLeft() < untilTrials));
        };
        int moves = 0;
        for (bool changes = true; changes;) {
            changes = false;
            for (const Move &move : movesByLoss()) {
                if (isOver())
                    return moves;
                options.progress(m_context.budget.fractionSpent(), "choosing layouts");
                GL_TRY_RESULT(taken, attempt(move.blocks));
                if (!*taken)
                    continue;
                ++moves;
                changes = true;
                break; // others begin with the layouts that there are now
            }
        }
        return moves;
    }

private:
    struct Move {
        BlockNumbers blocks; // all with the same layout
        double loss = 0;     // seconds, as modelled
    };

    Layout layoutOf(std::uint32_t block) const { return m_layouts.blocks[block].layout; }

    /// Finds the blocks that exchange feature maps, and those that exchange some with the outside.
    void findNeighbours()
    {
        const Graph &graph = m_ecg.graph();
        m_isAtEnd.assign(m_neighbours.size(), 0);
        const auto connect = [this](std::uint32_t a, std::uint32_t b) {
            if (a == b || std::ranges::count(m_neighbours[a], b))
                return;
            m_neighbours[a].push_back(b);
            m_neighbours[b].push_back(a);
        };
        for (std::uint32_t b = 0; b < m_neighbours.size(); ++b) {
            for (const TensorId id : m_fusion.blocks[b].outputs) {
                if (m_layouts.tensors.contains(id))
                    for (const Use &use : graph.uses(id))
                        connect(b, m_fusion.blockOf(use.node));
                m_isAtEnd[b] = m_isAtEnd[b] || graph.isOutput(id);
            }
            for (const TensorId id : m_fusion.blocks[b].inputs)
                m_isAtEnd[b] = m_isAtEnd[b] || graph.isExternal(id);
        }
    }

    /// Tells whether the block has a neighbour, or exchanges tensors with the outside, in the other
    /// layout.
    bool isAtBorder(std::uint32_t block) const
    {
        return (m_isAtEnd[block] && layoutOf(block) != Layout::ChannelsFirst) ||
               std::ranges::any_of(m_neighbours[block], [&](std::uint32_t neighbour) {
                   return layoutOf(neighbour) != layoutOf(block);
               });
    }

    /// Returns the blocks of each region that may have another layout.
    std::vector<BlockNumbers> regions() const
    {
        std::vector<BlockNumbers> found;
        std::vector<char> visited(m_neighbours.size(), 0);
        for (std::uint32_t b = 0; b < m_neighbours.size(); ++b) {
            if (visited[b] || !m_canChange[b])
                continue;
            BlockNumbers region{b};
            visited[b] = 1;
            for (std::size_t i = 0; i < region.size(); ++i)
                for (const std::uint32_t next : m_neighbours[region[i]])
                    if (!visited[next] && m_canChange[next] && layoutOf(next) == layoutOf(b)) {
                        visited[next] = 1;
                        region.push_back(next);
                    }
            std::ranges::sort(region);
            found.push_back(std::move(region));
        }
        return found;
    }

    /// Returns the moves that the model does not exclude, the one that costs least first.
    std::vector<Move> movesByLoss() const
    {
        std::vector<BlockNumbers> candidates;
        for (BlockNumbers &region : regions()) {
            for (const std::uint32_t block : region)
                if (region.size() > 1 && isAtBorder(block))
                    candidates.push_back({block});
            if (region.size() <= mostKernels)
                candidates.push_back(std::move(region));
        }
        std::vector<Move> moves;
        for (BlockNumbers &blocks : candidates) {
            const double loss = (moved(blocks).ms - m_layouts.ms) * 1e-3;
            if (loss <= mostLoss * secondsOf(blocks))
                moves.push_back({std::move(blocks), loss});
        }
        std::ranges::stable_sort(moves, {}, &Move::loss);
        return moves;
    }

    double secondsOf(const BlockNumbers &blocks) const
    {
        const BlockMerger &merger = m_context.facts.merger();
        double seconds = 0;
        for (const std::uint32_t block : blocks) {
            const std::vector<NodeId> &nodes = m_fusion.partition.subgraphs[block].nodes;
            seconds += merger.cost().modelled(nodes, merger.rules().check(nodes)).seconds;
        }
        return seconds;
    }

    /// Returns the layouts after a move.
    LayoutPlan moved(const BlockNumbers &blocks) const
    {
        std::vector<Layout> layouts;
        FixedLayouts fixed;
        for (const LayoutPlan::Choice &choice : m_layouts.blocks) {
            layouts.push_back(choice.layout);
            fixed.push_back(choice.locked ? std::optional(choice.layout) : std::nullopt);
        }
        for (const std::uint32_t block : blocks)
            layouts[block] = otherThan(layouts[block]);
        LayoutPlan plan = layoutsOf(m_ecg, m_fusion, m_device, layouts, fixed);
        for (std::size_t b = 0; b < plan.blocks.size(); ++b)
            plan.blocks[b].measured = m_layouts.blocks[b].measured;
        return plan;
    }

    /// Times the kernels that the move changes, and makes it if they are faster then.
    Result<bool> attempt(const BlockNumbers &blocks)
    {
        LayoutPlan after = moved(blocks);
        StateGenerator generator = m_generator;
        generator.setLayouts(after.tensors);
        const PlanTunerOptions &options = m_context.options;
        const StopAfter cut(options.stop,
                            options.seconds > 0 ? m_context.budget.secondsLeft() : mostSeconds);
        auto made = generator.state(m_state.blocks, {}, {}, &m_state.kernels, cut.token());
        if (!made && cut.token().stop_requested())
            return false; // out of time
        if (!made)
            return tl::unexpected(made.error());
        const KernelSequence before = changedKernels(m_state, *made);
        const KernelSequence now = changedKernels(*made, m_state);
        const std::string key = symbolsOf(before) + " >" + symbolsOf(now);
        const auto areInterpreted = [](const TuningState &state) {
            return std::ranges::count_if(state.kernels.kernels,
                                         [](const auto &kernel) { return !kernel; });
        };
        if (before.empty() || now.empty() || now.size() > mostKernels ||
            areInterpreted(*made) != areInterpreted(m_state) ||
            (options.seconds <= 0 && !m_context.timer.mayKnow(before)) || m_failed.contains(key))
            return false;
        const NodeId first = m_fusion.partition.subgraphs[blocks.front()].nodes.front();
        const KernelPlace place{m_generator.plan().fusion->blockOf(first), std::nullopt};
        GL_TRY_CONST(times, m_context.timer.compare(now, before, place));
        const BlockSeconds compared[] = {times->first.least, times->second.least};
        if (compared[0].seconds <= 0 || compared[1].seconds <= 0 ||
            compared[0].seconds >= movedShare * compared[1].seconds) {
            m_failed.insert(key);
            return false;
        }
        const Layout layout = layoutOf(blocks.front());
        for (const std::uint32_t block : blocks)
            after.blocks[block].measured =
                "with its neighbours: " +
                comparisonOf(compared, m_device, nameOf(otherThan(layout)), nameOf(layout));
        m_layouts = std::move(after);
        m_generator = std::move(generator);
        m_state = *std::move(made);
        return true;
    }

    static std::string symbolsOf(const KernelSequence &kernels)
    {
        std::string symbols;
        for (const BlockKernel *kernel : kernels)
            symbols += graphloom::symbolsOf(*kernel);
        return symbols;
    }

    const ReformContext &m_context;
    StateGenerator &m_generator;
    const FusionPlan &m_fusion;
    LayoutPlan &m_layouts;
    TuningState &m_state;
    const Ecg &m_ecg;
    const Device &m_device;
    std::vector<char> m_canChange; // by block
    std::vector<BlockNumbers> m_neighbours;
    std::vector<char> m_isAtEnd;    // reads inputs or writes outputs of the graph
    std::set<std::string> m_failed; // kernels before and after moves that were not made
};

} // namespace

Result<int> moveLayouts(const ReformContext &context, StateGenerator &generator,
                        const FusionPlan &fusion, LayoutPlan &layouts, TuningState &state)
{
    return LayoutMover(context, generator, fusion, layouts, state).run();
}

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#include "plugins/ago/fusing.h"

#include "engine/fusion/blocks/block_growth.h"
#include "engine/fusion/blocks/block_search.h"
#include "engine/fusion/blocks/layouts.h"
#include "engine/fusion/blocks/measured_blocks.h"
#include "engine/pass/device_parameter.h"
#include "engine/profile/kernel_key.h"
#include "plugins/ago/intensive_joins.h"

namespace graphloom::ago {

namespace {

/// Limits the snapshots with unfinished blocks that a run publishes.
constexpr std::size_t fusingSnapshots = 4;

/// Names what has made the blocks.
constexpr std::string_view method = "ago";

using Contractions = BlockLimits::Contractions;

BlockLimits limitsWith(Contractions contractions)
{
    BlockLimits limits;
    limits.contractions = contractions;
    return limits;
}

class Fusing {
public:
    Fusing(Plan &plan, KeptBlocks kept, const Opsets &opsets, const Context &context,
           const Ecg &ecg, const Device &device, const MeasuredBlocks &measured,
           FusionStatistics::Side before)
        : m_plan(plan), m_opsets(opsets), m_context(context), m_cost(ecg, device, measured),
          m_conventional(ecg, limitsWith(Contractions::One), plan.partition),
          m_intensive(ecg,
                      limitsWith(context.settings.toggle("intensive") ? Contractions::Intensive
                                                                      : Contractions::One),
                      plan.partition),
          m_before(before),
          m_blocks(plan.fusion ? keptBlocksOf(plan.graph, *plan.fusion, kept, m_marks)
                               : BlockGraph(plan.graph))
    {
    }

    Result<void> run()
    {
        const auto layouts = std::exchange(m_plan.layouts, nullptr); // of the previous blocks
        const auto before = m_plan.fusion;
        grow();
        search();
        if (m_context.settings.toggle("intensive")) {
            m_context.progress(0.8, "intensive fusion");
            GL_TRY_RESULT(apart, joinIntensively({m_intensive, m_cost}, m_blocks, m_marks,
                                                 1024 * m_context.settings.real("cache-kib"),
                                                 m_opsets, m_steps));
            m_apart = std::move(*apart);
        }
        m_plan.fusion = planned();
        m_plan.layouts = std::make_shared<const LayoutPlan>(chooseLayouts(
            m_conventional.ecg(), *m_plan.fusion, m_cost.device(),
            before && layouts ? keptLayouts(*before, *layouts, *m_plan.fusion) : FixedLayouts(),
            &m_steps));
        return {};
    }

private:
    /// Grows blocks by conventional fusion, subgraph by subgraph.
    void grow()
    {
        const BlockMerger merger(m_conventional, m_cost);
        const auto &subgraphs = m_plan.partition->subgraphs;
        const std::size_t step = std::max<std::size_t>(1, subgraphs.size() / fusingSnapshots);
        for (std::size_t s = 0; s < subgraphs.size() && !m_context.stop.stop_requested(); ++s) {
            growBlocks(merger, m_blocks, m_marks, subgraphs[s].nodes, m_steps, [](double) {});
            m_context.progress(0.5 + 0.2 * double(s + 1) / double(subgraphs.size()), "fusing");
            if ((s + 1) % step == 0)
                publish();
        }
    }

    void search()
    {
        SearchOptions options = searchOptionsOf(m_context);
        options.progress = [this](double done, std::string_view what) {
            m_context.progress(0.7 + 0.1 * done, what);
        };
        options.expanded = std::uint64_t(m_context.settings.integer("search"));
        if (options.expanded == 0 || m_context.stop.stop_requested())
            return;
        const BlockMerger merger(m_conventional, m_cost);
        const BlockSearch problem(merger, m_marks, m_context.stop);
        BestFirstSearch search(problem, options);
        m_blocks = *search.run(problem.start(m_blocks)).blocks;
        m_plan.search = std::make_shared<const SearchRecord>(search.record());
        publish();
    }

    std::shared_ptr<const FusionPlan> planned() const
    {
        FusionPlan fusion = planOf({m_intensive, m_cost}, m_blocks, std::string(method), m_marks,
                                   m_apart, &m_steps);
        fusion.statistics.before = m_before;
        const Settings &settings = m_context.settings;
        fusion.tuning = {settings.toggle("reformer"), settings.real("stable-gain") / 100,
                         int(settings.integer("stable-trials"))};
        return std::make_shared<const FusionPlan>(std::move(fusion));
    }

    void publish() const
    {
        Plan snapshot = m_plan;
        snapshot.fusion = planned();
        m_context.publish(std::make_shared<const Plan>(std::move(snapshot)));
    }

    Plan &m_plan;
    const Opsets &m_opsets;
    const Context &m_context;
    BlockCost m_cost;
    BlockRules m_conventional, m_intensive;
    FusionStatistics::Side m_before;
    BlockMarks m_marks;
    BlockGraph m_blocks;
    KeptApart m_apart;
    mutable Steps m_steps{m_context.stop};
};

} // namespace

KeptBlocks keptBlocks(const Plan &plan, const Settings &settings)
{
    const bool isOther = plan.fusion && plan.fusion->partition.method != method;
    const bool isCut =
        plan.partition && std::ranges::any_of(plan.partition->subgraphs, &Subgraph::locked);
    return isOther && !isCut && settings.toggle("keep-blocks") ? KeptBlocks::All
                                                               : KeptBlocks::Locked;
}

Result<void> fuseSubgraphs(Plan &plan, KeptBlocks kept, const Opsets &opsets,
                           const Context &context, std::vector<SummaryEntry> &summary)
{
    GL_TRY_CONST(chosen, deviceFor(plan, context));
    const Device &device = **chosen;
    GL_TRY_CONST(ecg, Ecg::of(plan.graph, opsets, context.stop));
    GL_TRY_CONST(original, Ecg::of(plan.original, opsets, context.stop));
    GL_TRY_CONST(known, BlockMeasurements::of(context.profile.get(),
                                              profiledDevice(device, context.threads), plan.graph,
                                              opsets));
    Fusing fusing(plan, kept, opsets, context, *ecg, device, measuredBlocks(*known),
                  layersOf(*original));
    GL_TRY(fusing.run());
    (*known)->noteUse(context.profile.get(), "ago", *plan.model);

    std::int64_t stitched = 0, pairs = 0;
    for (const Subgraph &block : plan.fusion->partition.subgraphs)
        if (const auto complex = complexNodes(*ecg, block.nodes); complex.size() > 1) {
            stitched += std::int64_t(complex.size());
            pairs += std::int64_t(complex.size()) - 1; // one after another, never side by side
        }
    summary.push_back({"blocks", std::int64_t(plan.fusion->blocks.size())});
    summary.push_back({"stitched_complex", stitched});
    summary.push_back({"intensive_pairs", pairs});
    return {};
}

} // namespace graphloom::ago

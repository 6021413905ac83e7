// SPDX-License-Identifier: Apache-2.0
#include "plugins/ago/ago_pass.h"

#include "engine/base/steps.h"
#include "engine/fusion/blocks/plan_builder.h"
#include "engine/ops/derive/infer.h"
#include "engine/pass/plan_parts.h"
#include "plugins/ago/clustering.h"
#include "plugins/ago/fusing.h"
#include "plugins/ago/parameters.h"
#include "plugins/ago/partitions.h"

#include <algorithm>

namespace graphloom::ago {

namespace {

/// Groups the nodes that must stay together: those of a kept block or a locked subgraph.
struct Units {
    std::vector<std::uint32_t> names; // by position: that of one of the unit's nodes
    std::vector<bool> complete;       // by name: locked subgraphs, which cannot grow
};

/// Fails (Usage) if locks contradict each other.
Result<Units> unitsOf(const Plan &plan, bool fuses, KeptBlocks kept)
{
    BlockGraph units(plan.graph);
    BlockMarks marks;
    if (fuses && plan.fusion)
        units = keptBlocksOf(plan.graph, *plan.fusion, kept, marks);
    std::vector<NodeId> locked; // one node of each subgraph
    if (plan.partition)
        for (std::uint32_t s = 0; s < plan.partition->subgraphs.size(); ++s) {
            const Subgraph &subgraph = plan.partition->subgraphs[s];
            if (!subgraph.locked)
                continue;
            locked.push_back(subgraph.nodes.front());
            const auto whole = units.blockOf(locked.back());
            for (const NodeId id : subgraph.nodes) {
                const auto unit = units.blockOf(id);
                for (const NodeId other : units.nodes(unit))
                    if (plan.partition->subgraphOf[other.index] != s) {
                        auto refusal =
                            fail(Error::Kind::Usage,
                                 "the block is locked, and so is subgraph " + std::to_string(s) +
                                     ", which has only a part of it; unlock one of the two",
                                 "the block of " + plan.graph.node(id).label());
                        refusal.value().nodes = {id.index, other.index};
                        return refusal;
                    }
                if (unit != whole)
                    units.merge(whole, unit);
            }
        }
    Units result{{}, std::vector<bool>(plan.graph.nodeCount(), false)};
    // A block is named after the position of one of its nodes in the graph's order.
    const auto nameOf = [&](NodeId id) { return std::uint32_t(units.blockOf(id).number()); };
    for (const NodeId id : plan.graph.order())
        result.names.push_back(nameOf(id));
    for (const NodeId id : locked)
        result.complete[nameOf(id)] = true;
    return result;
}

/// Returns the effective Td, see "raise-threshold". Nodes that are locked together stay in one
/// subgraph whatever they weigh.
double thresholdOf(const Settings &settings, const WeightedDag &nodes, const WeightedDag &units)
{
    const double wanted = settings.real("threshold");
    double heaviest = 0;
    for (std::size_t i = 0; i < nodes.weights.size(); ++i)
        if (settings.toggle("raise-threshold") || units.weights[i] > nodes.weights[i])
            heaviest = std::max(heaviest, units.weights[i]);
    return heaviest < wanted ? wanted : 1.1 * heaviest;
}

/// Limits the snapshots of the work in progress that a run publishes.
constexpr std::size_t snapshots = 16;

std::vector<SummaryEntry> summaryOf(const PartitionStatistics &statistics,
                                    const std::string &prefix)
{
    return {{prefix + "subgraphs", std::int64_t(statistics.subgraphs)},
            {prefix + "mean", statistics.mean},
            {prefix + "median", statistics.median},
            {prefix + "jain", statistics.jain},
            {prefix + "trivial", std::int64_t(statistics.trivial)},
            {prefix + "acyclic", statistics.acyclic}};
}

} // namespace

std::string_view AgoPass::help() const
{
    return "Partitions the graph into subgraphs of any structure whose tuning complexity is "
           "bounded, without cycles among them: Algorithm 1, CLUSTER, of AGO: Boosting Mobile AI "
           "Inference Performance by Removing Constraints on Graph Optimization (INFOCOM 2023). An "
           "operator that is not in the operator table is a subgraph of its own. Inside the "
           "subgraphs, operators are fused into blocks; complex operators are fused with each "
           "other where nothing is computed twice (section III, intensive fusion).";
}

std::span<const Parameter> AgoPass::parameters() const
{
    return parameterTable();
}

std::vector<std::string_view> AgoPass::creates(const Settings &settings) const
{
    using namespace plan_parts;
    if (!settings.toggle("fuse"))
        return {partition};
    return {partition, fusion, layouts, kernels};
}

Result<Plan> AgoPass::run(Plan plan, const Context &context) const
{
    const Settings &settings = context.settings;
    context.progress(0, "weighing operators");
    GL_TRY_CONST(traits, traitsOf(plan.graph, opsetsOf(*plan.model),
                                  settings.real("symbolic-extent"), context.stop));
    const WeightedDag dag =
        weightedDagOf(plan.graph, *traits, settings.real("slope"), settings.real("bias"));
    const bool fuses = settings.toggle("fuse");
    const KeptBlocks kept = keptBlocks(plan, settings); // before the partition is replaced
    GL_TRY_CONST(units, unitsOf(plan, fuses, kept));
    const WeightedDag contracted = contractedDag(dag, units->names);
    const double threshold = thresholdOf(settings, dag, contracted);
    std::vector<SummaryEntry> baseline;
    plan.baselinePartition = nullptr;
    if (settings.toggle("baseline")) {
        const auto partition = std::make_shared<const Partition>(
            partitionOf(plan.graph, dag, relayBaseline(plan.graph, *traits), "relay-like", 0));
        baseline = summaryOf(statisticsOf(plan.graph, *partition), "baseline_");
        plan.baselinePartition = partition;
    }

    Clustering clustering(withBarriers(contracted, *traits, units->complete), threshold,
                          Affinity(settings.integer("affinity")));
    const auto current = [&] {
        const auto clusters = clustering.graph().clusters();
        std::vector<std::uint32_t> names;
        for (const std::uint32_t unit : units->names)
            names.push_back(clusters[unit]);
        Partition partition = partitionOf(plan.graph, dag, names, "ago", threshold);
        for (Subgraph &subgraph : partition.subgraphs)
            subgraph.locked =
                units->complete[units->names[plan.graph.position(subgraph.nodes.front())]];
        return std::make_shared<const Partition>(std::move(partition));
    };
    // Every cluster is a candidate at first; clusters that fit nowhere leave for good.
    const std::size_t steps = std::max<std::size_t>(1, dag.weights.size() / snapshots);
    std::size_t step = 0;
    bool complete = false;
    while (!context.stop.stop_requested() && !(complete = !clustering.step()))
        if (++step % steps == 0) {
            context.progress((1 - clustering.openShare()) * (fuses ? 0.5 : 1), "clustering");
            Plan snapshot = plan;
            snapshot.partition = current();
            context.publish(std::make_shared<const Plan>(std::move(snapshot)));
        }
    plan.partition = current();
    std::vector<SummaryEntry> fusion;
    if (fuses)
        if (auto fused = fuseSubgraphs(plan, kept, opsetsOf(*plan.model), context, fusion);
            !fused) {
            if (!isStopped(fused.error()))
                return tl::unexpected(fused.error());
            plan.fusion = nullptr; // belongs to another partition
            plan.layouts = nullptr;
            complete = false;
        }

    PassRecord &record = plan.history.emplace_back();
    record.summary = summaryOf(statisticsOf(plan.graph, *plan.partition), "");
    record.summary.push_back({"threshold", threshold});
    record.summary.push_back({"complete", complete});
    record.summary.insert(record.summary.end(), fusion.begin(), fusion.end());
    record.summary.insert(record.summary.end(), baseline.begin(), baseline.end());
    return plan;
}

} // namespace graphloom::ago

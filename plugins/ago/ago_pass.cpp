// SPDX-License-Identifier: Apache-2.0
#include "plugins/ago/ago_pass.h"

#include "engine/ops/infer.h"
#include "plugins/ago/clustering.h"
#include "plugins/ago/partitions.h"

#include <algorithm>
#include <array>

namespace graphloom::ago {

namespace {

constexpr std::array<std::string_view, 2> affinities = {"paper", "neighbours"};

// The paper gives no values for c, b and Td. These were fitted on MobileViT, so that our Relay-like
// partition and the clustering have weights distributed as the paper reports them, and no operator
// of that model reaches Td (ours: 245 subgraphs, mean 80, median 43, Jain 0.46, 66 trivial, and
// 61, 320, 373, 0.87; paper: Relay 259, 138, 23, 0.19, 105, and AGO 82, 437, 350, 0.55):
// tests/bench/partition_fit_bench.cpp.
const std::array<Parameter, 7> table = {{
    {.name = "slope",
     .help = "c in the weight of an operator, c * prod(log2(loop extent)) + b (AGO eq. 1). The "
             "default was fitted to the distribution that the paper reports for MobileViT.",
     .initial = 0.136,
     .least = 0,
     .most = 1000},
    {.name = "bias",
     .help = "b in the weight of an operator: what any operator adds, whatever its loops; all "
             "that an opaque one weighs. Fitted as the slope.",
     .initial = 0.5,
     .least = 0,
     .most = 10000},
    {.name = "threshold",
     .help = "Td: every subgraph weighs less than this. Higher values give fewer and larger ones. "
             "Fitted to the number and fairness that the paper reports.",
     .initial = 440,
     .least = 0,
     .most = 1e9},
    {.name = "raise-threshold",
     .help = "Where an operator alone weighs Td or more, raise Td to a tenth above the heaviest: "
             "every subgraph stays below it, and heavy operators still take in the light ones "
             "beside them. Off, such an operator is a subgraph of its own, above Td.",
     .kind = Parameter::Kind::Toggle,
     .initial = 1,
     .most = 1},
    {.name = "symbolic-extent",
     .help = "What a loop extent counts as that the model leaves symbolic.",
     .kind = Parameter::Kind::Integer,
     .initial = 64,
     .least = 1,
     .most = 1e9},
    {.name = "affinity",
     .help = "Which cluster one topological stage away is taken in: \"paper\", the lightest of all "
             "that are connected somehow; \"neighbours\", the lightest that exchanges tensors, as "
             "long as one fits.",
     .kind = Parameter::Kind::Choice,
     .initial = 0,
     .choices = affinities},
    {.name = "baseline",
     .help = "Also partition as Relay does, at most one complex operator per subgraph, for "
             "comparison.",
     .kind = Parameter::Kind::Toggle,
     .initial = 1,
     .most = 1},
}};

/// Td as it is used: see "raise-threshold" above.
double thresholdOf(const Settings &settings, const WeightedDag &dag)
{
    const double wanted = settings.real("threshold");
    if (!settings.toggle("raise-threshold") || dag.weights.empty())
        return wanted;
    const double heaviest = *std::ranges::max_element(dag.weights);
    return heaviest < wanted ? wanted : 1.1 * heaviest;
}

/// Snapshots of the work in progress that a run publishes, at most.
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
           "operator that is not in the operator table is a subgraph of its own.";
}

std::span<const Parameter> AgoPass::parameters() const
{
    return table;
}

Result<Plan> AgoPass::run(Plan plan, const Context &context) const
{
    const Settings &settings = context.settings;
    context.progress(0, "weighing operators");
    const auto traits =
        traitsOf(plan.graph, opsetsOf(*plan.model), settings.real("symbolic-extent"));
    if (!traits)
        return tl::unexpected(traits.error());
    const WeightedDag dag =
        weightedDagOf(plan.graph, *traits, settings.real("slope"), settings.real("bias"));
    const double threshold = thresholdOf(settings, dag);
    std::vector<SummaryEntry> baseline;
    plan.baselinePartition = nullptr;
    if (settings.toggle("baseline")) {
        const auto partition = std::make_shared<const Partition>(
            partitionOf(plan.graph, dag, relayBaseline(plan.graph, *traits), "relay-like", 0));
        baseline = summaryOf(statisticsOf(plan.graph, *partition), "baseline_");
        plan.baselinePartition = partition;
    }

    Clustering clustering(withBarriers(dag, *traits), threshold,
                          Affinity(settings.integer("affinity")));
    const auto current = [&] {
        return std::make_shared<const Partition>(
            partitionOf(plan.graph, dag, clustering.graph().clusters(), "ago", threshold));
    };
    // Every cluster is a candidate at first; those that fit nowhere leave for good.
    const std::size_t steps = std::max<std::size_t>(1, dag.weights.size() / snapshots);
    std::size_t step = 0;
    bool complete = false;
    while (!context.stop.stop_requested() && !(complete = !clustering.step()))
        if (++step % steps == 0) {
            context.progress(1 - clustering.openShare(), "clustering");
            Plan snapshot = plan;
            snapshot.partition = current();
            context.publish(std::make_shared<const Plan>(std::move(snapshot)));
        }
    plan.partition = current();

    PassRecord &record = plan.history.emplace_back();
    record.summary = summaryOf(statisticsOf(plan.graph, *plan.partition), "");
    record.summary.push_back({"threshold", threshold});
    record.summary.push_back({"complete", complete});
    record.summary.insert(record.summary.end(), baseline.begin(), baseline.end());
    return plan;
}

} // namespace graphloom::ago

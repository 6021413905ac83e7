// SPDX-License-Identifier: Apache-2.0
#include "plugins/ago/parameters.h"

#include "engine/pass/device_parameter.h"

#include <array>

namespace graphloom::ago {

namespace {

constexpr std::array<std::string_view, 2> affinities = {"paper", "neighbours"};

} // namespace

std::span<const Parameter> parameterTable()
{
    // The paper gives no values for c, b and Td. These were fitted on MobileViT, so that our
    // Relay-like partition and the clustering have weights distributed as the paper reports them,
    // and no operator of that model reaches Td (ours: 245 subgraphs, mean 80, median 43, Jain 0.46,
    // 66 trivial, and 61, 320, 373, 0.87; paper: Relay 259, 138, 23, 0.19, 105, and AGO 82, 437,
    // 350, 0.55): tests/bench/partition_fit_bench.cpp.
    static const std::array<Parameter, 16> table = {{
        deviceParameter("Device whose costs decide fusions that the rules leave open: modelled "
                        "ones if the profile database has no measurement. \"plan\" stands for "
                        "the device that was chosen for the plan."),
        {.name = "slope",
         .help = "c in the weight of an operator, c * prod(log2(loop extent)) + b (AGO eq. 1). The "
                 "default was fitted to the distribution that the paper reports for MobileViT.",
         .initial = 0.136,
         .least = 0,
         .most = 1000,
         .label = "Weight of a loop, c",
         .group = "Operator weights"},
        {.name = "bias",
         .help = "b in the weight of an operator: a constant for each operator, and the whole "
                 "weight of an opaque one. Fitted like the slope.",
         .initial = 0.5,
         .least = 0,
         .most = 10000,
         .label = "Weight of an operator, b",
         .group = "Operator weights"},
        {.name = "threshold",
         .help = "Td: upper bound of the weight of a subgraph. Higher values give fewer and larger "
                 "subgraphs. Fitted to the number and fairness that the paper reports.",
         .initial = 440,
         .least = 0,
         .most = 1e9,
         .label = "Largest weight, Td",
         .group = "Subgraphs"},
        {.name = "raise-threshold",
         .help = "If a single operator weighs Td or more, raise Td to 10 % above the heaviest one: "
                 "every subgraph stays below Td, and heavy operators still absorb adjacent light "
                 "ones. If off, such an operator is a subgraph of its own, above Td.",
         .kind = Parameter::Kind::Toggle,
         .initial = 1,
         .most = 1,
         .label = "Raise Td for heavy operators",
         .group = "Subgraphs"},
        {.name = "symbolic-extent",
         .help = "Value assumed for symbolic loop extents.",
         .kind = Parameter::Kind::Integer,
         .initial = 64,
         .least = 1,
         .most = 1e9,
         .label = "Symbolic extents",
         .group = "Operator weights"},
        {.name = "affinity",
         .help = "Which cluster of the next topological stage is merged: \"paper\", the lightest "
                 "of all connected ones; \"neighbours\", the lightest one that exchanges tensors, "
                 "as long as one fits.",
         .kind = Parameter::Kind::Choice,
         .initial = 0,
         .choices = affinities,
         .label = "Merge",
         .group = "Subgraphs"},
        {.name = "baseline",
         .help = "Also create a partition like Relay's, with at most one complex operator per "
                 "subgraph, for comparison.",
         .kind = Parameter::Kind::Toggle,
         .initial = 1,
         .most = 1,
         .label = "Compare with Relay",
         .group = "Comparison"},
        {.name = "fuse",
         .help = "Also fuse operators into blocks inside each subgraph: a complex operator with "
                 "adjacent simple ones, and simple ones with each other. If off, only the "
                 "partition is created, and blocks of an earlier pass stay.",
         .kind = Parameter::Kind::Toggle,
         .initial = 1,
         .most = 1,
         .label = "Fuse operators"},
        {.name = "intensive",
         .help = "Intensive fusion (AGO III-B): complex operators of a subgraph become one block "
                 "where one that reads another's result uses each element again along some axes "
                 "only (a pointwise or depthwise convolution, a matrix product), so that tiles "
                 "along the others compute nothing twice, and where the code generator runs them "
                 "tile by tile. If off, a block has at most one complex operator.",
         .kind = Parameter::Kind::Toggle,
         .initial = 1,
         .most = 1,
         .label = "Intensive fusion"},
        {.name = "keep-blocks",
         .help =
             "Blocks of another pass, such as dnnfusion, stay whole: the partition does not cut "
             "them, and fusion goes on from them. If off, only locked blocks stay.",
         .kind = Parameter::Kind::Toggle,
         .initial = 1,
         .most = 1,
         .label = "Keep blocks",
         .group = "Fusion"},
        {.name = "reformer",
         .help = "When the plan is tuned on a target, take its blocks apart into blocks with at "
                 "most one complex operator, tune these until they are stable, and join "
                 "neighbours where the joined kernel, which begins with their schedules, is "
                 "measured to be faster (AGO section V). If off, the blocks are tuned as they are.",
         .kind = Parameter::Kind::Toggle,
         .initial = 1,
         .most = 1,
         .label = "Parts first",
         .group = "Tuning"},
        {.name = "stable-gain",
         .help = "A kernel is not tuned further when its time has fallen by less than this share "
                 "over the last trials; blocks are joined when all are.",
         .initial = 2,
         .least = 0,
         .most = 100,
         .label = "Stable below",
         .unit = "%",
         .group = "Tuning"},
        {.name = "stable-trials",
         .help = "The number of these last trials.",
         .kind = Parameter::Kind::Integer,
         .initial = 24,
         .least = 1,
         .most = 100000,
         .label = "Over trials",
         .group = "Tuning"},
        {.name = "cache-kib",
         .help =
             "Constraint of intensive fusion: the data between two complex operators must exceed "
             "this cache size in KiB. Smaller data stays in the cache without tiles or rings of "
             "rows, which have their own cost: on one core, inverted residuals broke even at 200 "
             "to 300 KiB.",
         .initial = 256,
         .least = 0,
         .most = 1 << 20,
         .label = "Cache",
         .unit = "KiB",
         .group = "Fusion"},
        {.name = "search",
         .help = "Number of states that the search for cheaper blocks evaluates, starting with the "
                 "greedy plan; 0 keeps the greedy plan.",
         .kind = Parameter::Kind::Integer,
         .initial = 16,
         .least = 0,
         .most = 1e9,
         .label = "States",
         .zero = "greedy plan",
         .group = "Search"},
    }};
    return table;
}

} // namespace graphloom::ago

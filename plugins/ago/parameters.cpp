// SPDX-License-Identifier: Apache-2.0
#include "plugins/ago/parameters.h"

#include "engine/cost/device.h"

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
    static const std::array<Parameter, 12> table = {{
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
         .help =
             "Td: every subgraph weighs less than this. Higher values give fewer and larger ones. "
             "Fitted to the number and fairness that the paper reports.",
         .initial = 440,
         .least = 0,
         .most = 1e9},
        {.name = "raise-threshold",
         .help =
             "Where an operator alone weighs Td or more, raise Td to a tenth above the heaviest: "
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
         .help =
             "Which cluster one topological stage away is taken in: \"paper\", the lightest of all "
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
        {.name = "fuse",
         .help =
             "Also fuse operators into blocks, each inside of one subgraph: a complex operator "
             "with "
             "the simple ones around it, and simple ones with each other. Off, the partition is "
             "all, and blocks of an earlier pass stay.",
         .kind = Parameter::Kind::Toggle,
         .initial = 1,
         .most = 1},
        {.name = "intensive",
         .help =
             "Intensive fusion (AGO III-B): complex operators of a subgraph become one block where "
             "one that reads another's result uses each element again along some axes only (a "
             "pointwise or depthwise convolution, a matrix product), so that tiles along the "
             "others compute nothing twice, and where the code generator runs them tile by tile. "
             "Off, a block has one complex operator at most.",
         .kind = Parameter::Kind::Toggle,
         .initial = 1,
         .most = 1},
        {.name = "cache-kib",
         .help =
             "Constraint of intensive fusion: what is between two complex operators must be "
             "larger than a cache of so many KiB. What fits stays there without tiles, which cost "
             "time of their own: on one core, pairs of convolutions broke even at 4 to 6 MiB.",
         .initial = 4096,
         .least = 0,
         .most = 1 << 20},
        {.name = "device",
         .help =
             "The device whose modelled costs decide what the rules of fusion leave open and the "
             "profile database has no measurement of.",
         .kind = Parameter::Kind::Choice,
         .choices = deviceNames()},
        {.name = "search",
         .help =
             "States that the search for cheaper blocks looks at, beginning with the greedy ones; "
             "0 keeps these.",
         .kind = Parameter::Kind::Integer,
         .initial = 16,
         .least = 0,
         .most = 1e9},
    }};
    return table;
}

} // namespace graphloom::ago

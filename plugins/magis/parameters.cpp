// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/parameters.h"

#include "engine/cost/device.h"

#include <algorithm>
#include <array>

namespace graphloom::magis {

namespace {

constexpr std::array<std::string_view, 3> weightModes = {"automatic", "counted", "left-out"};

double defaultDevice()
{
    return double(std::ranges::find(deviceNames(), "rtx-3090") - deviceNames().begin());
}

} // namespace

std::span<const Parameter> parameterTable()
{
    static const std::array<Parameter, 6> table = {{
        {.name = "device",
         .help = "The device whose modelled costs are the latency: operations, bytes, launches, "
                 "waves of tiles, and the link to the host's memory that swapping needs.",
         .kind = Parameter::Kind::Choice,
         .initial = defaultDevice(),
         .choices = deviceNames()},
        {.name = "seconds",
         .help = "How long the search may take; 0: until it is stopped or has seen its states.",
         .initial = 30,
         .least = 0,
         .most = 1e6},
        {.name = "states",
         .help = "States whose moves the search looks at; 0: as many as the time allows. With a "
                 "number and no time, the result depends on the seed alone.",
         .kind = Parameter::Kind::Integer,
         .initial = 0,
         .least = 0,
         .most = 1e12},
        {.name = "levels",
         .help = "L: intervals of scores from which Algorithm 1 takes candidates for fission, and "
                 "so the height of the F-Tree.",
         .kind = Parameter::Kind::Integer,
         .initial = 4,
         .least = 1,
         .most = 64},
        {.name = "weights",
         .help = "Whether weights count as memory. Automatic: in a step of training, which changes "
                 "them; for inference they can stay in the mapped file.",
         .kind = Parameter::Kind::Choice,
         .initial = 0,
         .choices = weightModes},
        {.name = "largest-graph",
         .help = "Nodes that the resulting graph may have, since every part of a fission is nodes "
                 "of its own; a plan that needs more is described, but the graph keeps its nodes.",
         .kind = Parameter::Kind::Integer,
         .initial = 50000,
         .least = 0,
         .most = 1e7},
    }};
    return table;
}

} // namespace graphloom::magis

// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/parameters.h"

#include "engine/cost/call_timer.h"
#include "engine/cost/device.h"

#include <algorithm>
#include <array>
#include <vector>

namespace graphloom::magis {

namespace {

constexpr std::array<std::string_view, 3> weightModes = {"automatic", "counted", "left-out"};
constexpr std::array<std::string_view, 2> references = {"fastest", "original"};

double defaultDevice()
{
    return double(std::ranges::find(deviceNames(), "rtx-3090") - deviceNames().begin());
}

std::span<const std::string_view> deviceChoices()
{
    static const std::vector<std::string_view> choices = [] {
        std::vector<std::string_view> names(deviceNames().begin(), deviceNames().end());
        names.push_back(thisMachine);
        return names;
    }();
    return choices;
}

} // namespace

std::span<const Parameter> parameterTable()
{
    static const std::array<Parameter, 8> table = {{
        {.name = "device",
         .help = "Device whose costs make up the latency. For a described device, costs are "
                 "modelled: operations, bytes, launches, waves of tiles, and the link to the "
                 "host's memory for swapping. For \"host\", this machine, each distinct call and "
                 "each part of a call is compiled, run and timed; calls that cannot be timed are "
                 "modelled, and counted in the report.",
         .kind = Parameter::Kind::Choice,
         .initial = defaultDevice(),
         .choices = deviceChoices(),
         .label = "Device"},
        {.name = "measure-seconds",
         .help = "Time for measuring calls on \"host\". Measurements of earlier runs are in the "
                 "profile database; 0: use only those.",
         .initial = 60,
         .least = 0,
         .most = 1e6,
         .label = "Time to measure calls",
         .unit = "s",
         .zero = "only known calls",
         .group = "Measured costs"},
        {.name = "seconds",
         .help = "Time for the pass, most of it for the search; 0: until it is stopped or has "
                 "evaluated its states.",
         .initial = 30,
         .least = 0,
         .most = 1e6,
         .label = "Time",
         .unit = "s",
         .zero = "until stopped"},
        {.name = "states",
         .help = "Number of states whose moves the search evaluates; 0: as many as the time "
                 "allows. With a number and no time limit, the result depends only on the seed.",
         .kind = Parameter::Kind::Integer,
         .initial = 0,
         .least = 0,
         .most = 1e12,
         .label = "States",
         .zero = "no limit",
         .group = "Search"},
        {.name = "levels",
         .help = "L: number of score intervals from which Algorithm 1 takes candidates for "
                 "fission, and so the height of the F-Tree.",
         .kind = Parameter::Kind::Integer,
         .initial = 4,
         .least = 1,
         .most = 64,
         .label = "Levels of the F-Tree",
         .group = "Search"},
        {.name = "weights",
         .help = "Whether weights count as memory. Automatic: yes in a training step, which "
                 "changes them; no for inference, where they can stay in the mapped file.",
         .kind = Parameter::Kind::Choice,
         .initial = 0,
         .choices = weightModes,
         .label = "Weights in memory",
         .group = "Goal details"},
        {.name = "limit-of",
         .help = "Reference of --latency-limit: the latency of the fastest graph that rewriting "
                 "alone finds, without any decision about memory, or of the original graph. Both "
                 "ratios are in the report.",
         .kind = Parameter::Kind::Choice,
         .initial = 0,
         .choices = references,
         .label = "Latency relative to",
         .group = "Goal details"},
        {.name = "largest-graph",
         .help = "Maximum number of nodes of the resulting graph, in which every part of a fission "
                 "has its own nodes; a plan that needs more is described, but the graph keeps its "
                 "nodes. Default: as many as an ONNX file may have to be opened again.",
         .kind = Parameter::Kind::Integer,
         .initial = 1e6,
         .least = 0,
         .most = 1e7,
         .label = "Largest graph",
         .unit = "nodes",
         .group = "Result"},
    }};
    return table;
}

const Device *describedDevice(const Settings &settings)
{
    const auto choice = std::size_t(settings.integer("device"));
    return choice < devices().size() ? &devices()[choice] : nullptr;
}

} // namespace graphloom::magis

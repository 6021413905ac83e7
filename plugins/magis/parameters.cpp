// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/parameters.h"

#include "engine/pass/device_parameter.h"

#include <array>

namespace graphloom::magis {

namespace {

constexpr std::array<std::string_view, 3> weightModes = {"automatic", "counted", "left-out"};
constexpr std::array<std::string_view, 2> references = {"fastest", "original"};
constexpr std::array<std::string_view, 2> regionChoices = {"tree", "random"};
constexpr std::array<std::string_view, 2> evictionChoices = {"peaks", "anywhere"};

} // namespace

std::span<const Parameter> parameterTable()
{
    static const std::array<Parameter, 10> table = {{
        deviceParameter("Device whose costs make up the latency. They are modelled: operations, "
                        "bytes, launches, waves of tiles, and the link to the host's memory for "
                        "swapping. On a device that can be measured, such as \"host\", this "
                        "machine, each distinct call and each part of a call is compiled, run and "
                        "timed within its time limit; calls that are not timed are modelled, and "
                        "counted in the report. \"plan\" stands for the device that was chosen "
                        "for the plan."),
        {.name = "measure-seconds",
         .help = "Time for measuring calls on a device that can be measured. Measurements of "
                 "earlier runs are in the profile database; 0: use only those.",
         .initial = 0,
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
        {.name = "regions",
         .help = "Regions that fission is tried on: those of the F-Tree and around peaks, or any, "
                 "chosen at random, as in the paper's ablation (section 7.2.5, naive-fission).",
         .kind = Parameter::Kind::Choice,
         .initial = 0,
         .choices = regionChoices,
         .label = "Regions for fission",
         .group = "Search"},
        {.name = "evictions",
         .help = "Tensors that are recomputed or swapped: where memory peaks, or any, chosen at "
                 "random, as in the paper's ablation (section 7.2.5, naive-sch-rules).",
         .kind = Parameter::Kind::Choice,
         .initial = 0,
         .choices = evictionChoices,
         .label = "Tensors to evict",
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
        // ONNX Runtime 1.30 takes 51 s to open and optimize a plan of GPT-Neo within this limit
        // (25,041 nodes with slices and joins; AMD EPYC with AVX2, 2 cores).
        {.name = "largest-graph",
         .help = "Maximum number of calls of the resulting graph, in which every part of a fission "
                 "has its own; slices and joins of parts come on top. The search leaves out "
                 "fissions that need more; a graph that is larger already may keep its size. A "
                 "plan that has more all the same, because of locked fissions or an earlier "
                 "search, is described, but the graph keeps its nodes. 0: plans are only "
                 "described, whatever their size.",
         .kind = Parameter::Kind::Integer,
         .initial = 20'000,
         .least = 0,
         .most = 1e7,
         .label = "Largest graph",
         .unit = "calls",
         .zero = "only described",
         .group = "Result"},
    }};
    return table;
}

} // namespace graphloom::magis

// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/parameters.h"

#include "engine/cost/device.h"

#include <vector>

namespace graphloom::dnnfusion {

std::span<const Parameter> parameterTable()
{
    const BlockLimits limits;
    static const std::vector<Parameter> parameters = {
        {.name = "rewrite",
         .help =
             "How rewrite rules are applied: \"greedy\", the one that saves most FLOPs first as "
             "the paper does; \"equality-saturation\", all at once in an e-graph, then the "
             "cheapest of what it holds, which is never worse; \"off\".",
         .kind = Parameter::Kind::Choice,
         .choices = strategies},
        {.name = "assume-domain",
         .help =
             "Apply rules that hold for some values only (\"x >= 0\") also where the graph does "
             "not prove that its values are such.",
         .kind = Parameter::Kind::Toggle,
         .initial = 0,
         .most = 1},
        {.name = "reductions",
         .help = "Go beyond Table 3 where it is safe: a reduction may join what computes its input "
                 "when it needs each element once, and a block may run row by row around "
                 "reductions whose rows fit into scratch memory (normalizations, attention). Off, "
                 "Many-to-Many behind One-to-Many or Many-to-Many is never fused, as in the paper.",
         .kind = Parameter::Kind::Toggle,
         .initial = 1,
         .most = 1},
        {.name = "device",
         .help = "The device whose modelled costs decide the yellow cells of Table 3 where the "
                 "profile database has no measurement.",
         .kind = Parameter::Kind::Choice,
         .choices = deviceNames()},
        {.name = "most-operators",
         .help = "Constraint: operators in a block, for the size of its code.",
         .kind = Parameter::Kind::Integer,
         .initial = double(limits.operators),
         .least = 1,
         .most = 4096},
        {.name = "most-inputs",
         .help = "Constraint: tensors that a block reads, constants left out.",
         .kind = Parameter::Kind::Integer,
         .initial = double(limits.inputs),
         .least = 1,
         .most = 4096},
        {.name = "most-outputs",
         .help = "Constraint: tensors that a block writes.",
         .kind = Parameter::Kind::Integer,
         .initial = double(limits.outputs),
         .least = 1,
         .most = 4096},
        {.name = "live-values",
         .help = "Constraint: intermediate values that wait for their readers at one time; they "
                 "stand for the registers of the fused loop nest.",
         .kind = Parameter::Kind::Integer,
         .initial = double(limits.liveValues),
         .least = 1,
         .most = 4096},
        {.name = "scratch-kib",
         .help = "Constraint: scratch memory for the row that a block keeps while a reduction "
                 "over it runs, in KiB.",
         .initial = limits.scratchBytes / 1024,
         .least = 0,
         .most = 1 << 20},
        {.name = "operand-kib",
         .help = "Constraint: an operand that is read again for every tile of rows must stay in a "
                 "cache of so many KiB.",
         .initial = limits.operandBytes / 1024,
         .least = 0,
         .most = 1 << 20},
        {.name = "least-rows",
         .help = "Constraint: rows that a block with a contraction must have to be shared among "
                 "cores.",
         .kind = Parameter::Kind::Integer,
         .initial = limits.leastRows,
         .least = 1,
         .most = 4096},
        {.name = "search",
         .help = "States that the search for cheaper blocks looks at, beginning with the greedy "
                 "plan; 0 keeps that plan.",
         .kind = Parameter::Kind::Integer,
         .initial = 16,
         .least = 0,
         .most = 1e9},
        {.name = "seconds",
         .help = "The search ends after so long; 0 sets no limit. Without one the result depends "
                 "on nothing but the model and the settings.",
         .initial = 0,
         .least = 0,
         .most = 1e6},
        {.name = "baseline",
         .help = "Also fuse by fixed patterns as TVM does (the paper's OurB+), for comparison.",
         .kind = Parameter::Kind::Toggle,
         .initial = 1,
         .most = 1},
    };
    return parameters;
}

BlockLimits limitsOf(const Settings &settings)
{
    BlockLimits limits;
    limits.reductions = settings.toggle("reductions");
    limits.operators = int(settings.integer("most-operators"));
    limits.inputs = int(settings.integer("most-inputs"));
    limits.outputs = int(settings.integer("most-outputs"));
    limits.liveValues = int(settings.integer("live-values"));
    limits.scratchBytes = settings.real("scratch-kib") * 1024;
    limits.operandBytes = settings.real("operand-kib") * 1024;
    limits.leastRows = settings.real("least-rows");
    return limits;
}

} // namespace graphloom::dnnfusion

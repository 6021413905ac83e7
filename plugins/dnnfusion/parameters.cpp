// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/parameters.h"

#include "engine/pass/device_parameter.h"

#include <vector>

namespace graphloom::dnnfusion {

std::span<const Parameter> parameterTable()
{
    const BlockLimits limits;
    static const std::vector<Parameter> parameters = {
        deviceParameter("Device whose costs decide the yellow cells of Table 3: modelled ones if "
                        "the profile database has no measurement. \"plan\" stands for the device "
                        "that was chosen for the plan."),
        {.name = "seconds",
         .help = "Time limit of the search in seconds; 0 sets no limit. Without a limit, the "
                 "result depends only on the model and the settings.",
         .initial = 0,
         .least = 0,
         .most = 1e6,
         .label = "Time",
         .unit = "s",
         .zero = "no limit"},
        {.name = "measure",
         .help = "Time for measuring blocks on a device that can be measured: yellow cells and "
                 "what the search has changed are decided by measured times, which the profile "
                 "database keeps for later runs. 0 measures nothing.",
         .initial = 0,
         .least = 0,
         .most = 1e6,
         .label = "Measuring",
         .unit = "s",
         .zero = "off"},
        {.name = "rewrite",
         .help =
             "How to apply rewrite rules: \"greedy\" applies the rule that saves most FLOPs first, "
             "as in the paper; \"equality-saturation\" applies all rules in an e-graph and "
             "extracts "
             "the cheapest graph, which is never worse; \"off\" applies none.",
         .kind = Parameter::Kind::Choice,
         .choices = strategies,
         .label = "Rewriting"},
        {.name = "assume-domain",
         .help =
             "Apply rules that only hold for some values (\"x >= 0\") even if the graph does not "
             "prove that its values are in that range.",
         .kind = Parameter::Kind::Toggle,
         .initial = 0,
         .most = 1,
         .label = "Assume domains of rules",
         .group = "Rewriting details"},
        {.name = "reductions",
         .help = "Go beyond Table 3 where it is safe: a reduction may join the producer of its "
                 "input if it needs each element once, and a block may run row by row around "
                 "reductions whose rows fit into scratch memory (normalizations, attention). If "
                 "off, Many-to-Many after One-to-Many or Many-to-Many is never fused, as in the "
                 "paper.",
         .kind = Parameter::Kind::Toggle,
         .initial = 1,
         .most = 1,
         .label = "Fuse around reductions"},
        {.name = "most-operators",
         .help =
             "Constraint: maximum number of operators in a block, to limit the size of its code.",
         .kind = Parameter::Kind::Integer,
         .initial = double(limits.operators),
         .least = 1,
         .most = 4096,
         .label = "Max operators",
         .group = "Block limits"},
        {.name = "most-inputs",
         .help = "Constraint: maximum number of tensors that a block reads, without constants.",
         .kind = Parameter::Kind::Integer,
         .initial = double(limits.inputs),
         .least = 1,
         .most = 4096,
         .label = "Max inputs",
         .group = "Block limits"},
        {.name = "most-outputs",
         .help = "Constraint: maximum number of tensors that a block writes.",
         .kind = Parameter::Kind::Integer,
         .initial = double(limits.outputs),
         .least = 1,
         .most = 4096,
         .label = "Max outputs",
         .group = "Block limits"},
        {.name = "live-values",
         .help = "Constraint: maximum number of simultaneously live intermediate values, which "
                 "approximates the registers of the fused loop nest.",
         .kind = Parameter::Kind::Integer,
         .initial = double(limits.liveValues),
         .least = 1,
         .most = 4096,
         .label = "Max live values",
         .group = "Block limits"},
        {.name = "scratch-kib",
         .help = "Constraint: maximum scratch memory in KiB for the row that a block keeps during "
                 "a reduction over it.",
         .initial = limits.scratchBytes / 1024,
         .least = 0,
         .most = 1 << 20,
         .label = "Max scratch memory",
         .unit = "KiB",
         .group = "Block limits"},
        {.name = "operand-kib",
         .help = "Constraint: size of the cache in KiB that must hold an operand that is read "
                 "again for every tile of rows.",
         .initial = limits.operandBytes / 1024,
         .least = 0,
         .most = 1 << 20,
         .label = "Operand cache",
         .unit = "KiB",
         .group = "Block limits"},
        {.name = "least-rows",
         .help = "Constraint: minimum number of rows of a block with a contraction, to be shared "
                 "among cores.",
         .kind = Parameter::Kind::Integer,
         .initial = limits.leastRows,
         .least = 1,
         .most = 4096,
         .label = "Min rows",
         .group = "Block limits"},
        {.name = "fusion",
         .help = "Which operators become a block: by \"mapping-types\" (Table 3), or by "
                 "\"fixed-patterns\" like TVM, which the paper compares with (OurB+).",
         .kind = Parameter::Kind::Choice,
         .choices = fusions,
         .label = "Fusion",
         .group = "Comparison"},
        {.name = "layouts",
         .help = "Choose the layouts of all blocks together (section 4.4.2). If off, all feature "
                 "maps stay in ONNX's order, channels first, except in blocks whose layout is "
                 "locked.",
         .kind = Parameter::Kind::Toggle,
         .initial = 1,
         .most = 1,
         .label = "Choose layouts",
         .group = "Comparison"},
        {.name = "search",
         .help = "Number of states that the search for cheaper blocks evaluates, starting from the "
                 "greedy plan; 0 keeps that plan.",
         .kind = Parameter::Kind::Integer,
         .initial = 16,
         .least = 0,
         .most = 1e9,
         .label = "States",
         .zero = "greedy plan",
         .group = "Search"},
        {.name = "baseline",
         .help = "Also fuse by fixed patterns like TVM (the paper's OurB+), for comparison.",
         .kind = Parameter::Kind::Toggle,
         .initial = 1,
         .most = 1,
         .label = "Compare with fixed patterns",
         .group = "Comparison"},
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

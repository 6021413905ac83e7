// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/host_machine.h"

namespace graphloom {

namespace {

MachineFigure measured(double value, std::string source)
{
    return {value, Evidence::Measured, std::move(source)};
}

MachineFigure reported(double value)
{
    return {value, Evidence::Measured, "reported by the system"};
}

std::optional<MachineFigure> latencyOf(double seconds)
{
    if (seconds <= 0)
        return std::nullopt;
    return measured(seconds, "reads of which each tells where the next one is");
}

/// Adds a level whose capacity and bandwidth are known.
void add(std::vector<MemoryLevel> &levels, const char *name, const MachineFigure &bytes,
         double bandwidth, const char *source, double latency, const MachineFigure &line)
{
    if (bytes.value > 0 && bandwidth > 0)
        levels.push_back({name, bytes, measured(bandwidth, source), latencyOf(latency), line, {}});
}

/// Returns the bytes of the third level that are of use here.
MachineFigure sharedBytes(const HostFacts &facts, const HostPeaks &peaks)
{
    if (peaks.l3Bytes >= double(facts.l3Bytes))
        return reported(double(facts.l3Bytes));
    return measured(peaks.l3Bytes, "more is read about as slowly as memory; the system reports " +
                                       std::to_string(facts.l3Bytes >> 20) + " MiB");
}

} // namespace

Machine hostMachine(const HostFacts &facts, const InstructionSet &set, const HostPeaks &peaks)
{
    const MachineFigure line =
        facts.lineBytes > 0
            ? reported(double(facts.lineBytes))
            : MachineFigure{64, Evidence::Assumed, "usual line; the system reports none"};
    Machine machine;
    machine.name = "host";
    machine.title = facts.cpu + ", " + std::string(set.title);
    UnitKind &core = machine.units.emplace_back();
    core.name = facts.cpu;
    core.count = measured(facts.cores, "cores that this program may use, reported by the system");
    core.flops = measured(peaks.flopsOfAll / facts.cores,
                          "fused multiply-adds on all cores at once, divided by the cores");
    core.lanes = {double(set.lanes), Evidence::Published,
                  "single-precision elements of a vector of " + std::string(set.title)};
    core.registers = {double(set.registers), Evidence::Published,
                      "vector registers of " + std::string(set.title)};
    core.instructionSet = set.name;
    add(core.memory, "L1", reported(double(facts.l1Bytes)), peaks.l1,
        "reads of one thread that fit in the level", peaks.l1Latency, line);
    add(core.memory, "L2", reported(double(facts.l2Bytes)), peaks.l2,
        "reads of one thread that fit in the level", peaks.l2Latency, line);
    add(machine.memory, "L3", sharedBytes(facts, peaks), peaks.l3OfAll,
        "reads of all cores at once that fit in the level", peaks.l3Latency, line);
    machine.memory.push_back({"memory",
                              {},
                              measured(peaks.memoryOfAll, "reads of all cores at once"),
                              latencyOf(peaks.memoryLatency),
                              line,
                              {}});
    machine.scratch = core.memory.empty() ? machine.memory.back().name : core.memory.back().name;
    machine.launch = measured(peaks.loop, "what a parallel loop of all cores adds to its work");
    return machine;
}

} // namespace graphloom

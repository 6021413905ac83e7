// SPDX-License-Identifier: Apache-2.0
#include "targets/arm64/bracket.h"

#include <algorithm>
#include <cmath>

namespace graphloom::arm64 {

namespace {

/// Returns the instructions of a block; fewer if the listing ends before.
std::vector<std::string> instructionsOf(const MachineCode &code, const KernelCounts::Block &block)
{
    constexpr std::uint64_t bytes = 4; // of an instruction
    std::vector<std::string> list;
    for (std::uint64_t i = 0; i < block.instructions; ++i) {
        const auto found = code.find(block.address + i * bytes);
        if (found == code.end())
            break;
        list.push_back(found->second.text);
    }
    return list;
}

/// Returns the cycles that the multiply-adds of whole vectors take at the peak of a unit.
double cyclesOfMultiplyAdds(const std::vector<std::string> &instructions,
                            const Architecture &architecture, const UnitKind &unit)
{
    if (!unit.clock)
        return 0;
    const double perCycle = unit.flops.value / unit.clock->value / (2 * unit.lanes.value);
    const auto isWhole = [&](const std::string &instruction) {
        return architecture.isMultiplyAdd(instruction) &&
               (instruction.find(".4s,") != std::string::npos ||
                instruction.find(".8h,") != std::string::npos);
    };
    return double(std::ranges::count_if(instructions, isWhole)) / perCycle;
}

/// Returns how many times as fast as the fastest unit alone the units are that get pieces.
double speedUp(const Machine &machine, std::int64_t tasks)
{
    std::vector<double> flops;
    for (const UnitKind &kind : machine.units)
        flops.insert(flops.end(), std::size_t(kind.count.value), kind.flops.value);
    std::ranges::sort(flops, std::greater());
    double sum = 0;
    for (std::size_t i = 0; i < flops.size() && std::int64_t(i) < std::max<std::int64_t>(tasks, 1);
         ++i)
        sum += flops[i];
    return flops.empty() ? 1 : sum / flops.front();
}

} // namespace

Result<std::map<std::string, KernelEstimate>>
estimates(const LlvmTools &tools, const UnitKind &unit, const MachineCode &code,
          const CountsByKernel &counts, std::stop_token stop)
{
    std::vector<std::vector<std::string>> sequences;
    std::map<std::vector<std::string>, std::size_t> known; // equal blocks are analyzed once
    std::map<std::string, std::vector<std::size_t>> ofKernel;
    for (const auto &[name, kernel] : counts)
        for (const KernelCounts::Block &block : kernel.blocks) {
            std::vector<std::string> instructions = instructionsOf(code, block);
            const auto [at, isNew] = known.try_emplace(instructions, sequences.size());
            if (isNew)
                sequences.push_back(std::move(instructions));
            ofKernel[name].push_back(at->second);
        }
    const Architecture &architecture = *findArchitecture("aarch64");
    GL_TRY_CONST(uses,
                 pipelineUse(tools, architecture, unit.processor, sequences, std::move(stop)));
    constexpr double cyclesPerUnknown = 0.5, loopTurns = 8;
    std::map<std::string, KernelEstimate> result;
    for (const auto &[name, kernel] : counts) {
        KernelEstimate &of = result[name];
        const double calls = std::max(1.0, double(kernel.calls));
        for (std::size_t i = 0; i < kernel.blocks.size(); ++i) {
            const KernelCounts::Block &block = kernel.blocks[i];
            const std::size_t sequence = ofKernel[name][i];
            const double each = (*uses)[sequence].cycles > 0
                                    ? (*uses)[sequence].cycles
                                    : cyclesPerUnknown * double(block.instructions);
            const double least = cyclesOfMultiplyAdds(sequences[sequence], architecture, unit);
            of.cycles += std::max(each, least) * double(block.count) / calls;
            of.instructions += double(block.instructions * block.count) / calls;
            if (double(block.count) >= loopTurns * calls)
                of.spills += int(std::ranges::count_if(sequences[sequence], architecture.isSpill));
        }
        of.firstMisses = double(kernel.firstMisses) / calls;
        of.lastMisses = double(kernel.lastMisses) / calls;
        of.foreseen = double(kernel.foreseenMisses) / calls;
    }
    return result;
}

KernelEstimate KernelEstimate::times(double factor) const
{
    KernelEstimate scaled = *this;
    for (double KernelEstimate::*figure :
         {&KernelEstimate::instructions, &KernelEstimate::firstMisses, &KernelEstimate::lastMisses,
          &KernelEstimate::cycles, &KernelEstimate::foreseen})
        scaled.*figure *= factor;
    return scaled;
}

Bracket bracketOf(const KernelEstimate &estimate, const Machine &machine, std::int64_t tasks)
{
    // What the descriptions that come with the program leave out.
    constexpr double secondLevelCycles = 10;
    const UnitKind &unit = fastestSingleUnits(machine);
    const double clock = unit.clock ? unit.clock->value : 1e9;
    const double units = speedUp(machine, tasks);
    const MemoryLevel &next = machine.memory.front(), &memory = machine.memory.back();
    const double bytes = estimate.lastMisses * (memory.line ? memory.line->value : 64);
    const double compute = estimate.cycles / clock / units;
    const double secondLevel = unit.memory.size() > 1 && unit.memory[1].latency
                                   ? unit.memory[1].latency->value
                                   : secondLevelCycles / clock;
    const double latency = memory.latency ? memory.latency->value : 0;
    Bracket bracket;
    bracket.low = std::max(compute, bytes / next.bandwidth.value);
    bracket.high =
        compute + estimate.firstMisses * secondLevel / units + bytes / memory.bandwidth.value +
        (estimate.lastMisses - estimate.foreseen) * latency / units + machine.launch.value;
    return bracket;
}

} // namespace graphloom::arm64

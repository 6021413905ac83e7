// SPDX-License-Identifier: Apache-2.0
#include "targets/arm64/bracket.h"

#include <algorithm>
#include <cmath>
#include <set>

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

/// Holds the multiply-adds of whole vectors among some instructions.
struct MultiplyAdds {
    double flops = 0;
    double cycles = 0; // at the peak of a unit; 0 if its clock is unknown
};

MultiplyAdds multiplyAddsOf(const std::vector<std::string> &instructions,
                            const Architecture &architecture, const UnitKind &unit)
{
    MultiplyAdds sum;
    double count = 0;
    for (const std::string &instruction : instructions) {
        const bool isSingle = instruction.find(".4s,") != std::string::npos;
        if (!architecture.isMultiplyAdd(instruction) ||
            !(isSingle || instruction.find(".8h,") != std::string::npos))
            continue;
        ++count;
        sum.flops += 2 * (isSingle ? 4 : 8);
    }
    if (unit.clock)
        sum.cycles = count * 2 * unit.lanes.value * unit.clock->value / unit.flops.value;
    return sum;
}

/// Returns the blocks with those as one that the emulator has parted in the middle of code without
/// jumps, because it translates so many instructions at a time at most, or at the end of a page: as
/// loops of their own they would depend on themselves. Only blocks that were executed equally often
/// are joined, and of which no other one leads to the same place.
std::vector<KernelCounts::Block> joinedBlocks(const std::vector<KernelCounts::Block> &blocks,
                                              const MachineCode &code,
                                              const Architecture &architecture)
{
    constexpr std::uint64_t bytes = 4; // of an instruction
    const auto endOf = [](const KernelCounts::Block &block) {
        return block.address + block.instructions * bytes;
    };
    const auto jumps = [&](const KernelCounts::Block &block) {
        const auto last = code.find(endOf(block) - bytes);
        return last == code.end() || architecture.jumps(mnemonicOf(last->second.text));
    };
    std::map<std::pair<std::uint64_t, std::uint64_t>, int> leading; // by end and count
    std::multimap<std::uint64_t, const KernelCounts::Block *> byAddress;
    for (const KernelCounts::Block &block : blocks) {
        ++leading[{endOf(block), block.count}];
        byAddress.emplace(block.address, &block);
    }
    // Returns the block that continues another one, null if there is none.
    const auto nextOf = [&](const KernelCounts::Block &block) -> const KernelCounts::Block * {
        if (jumps(block) || leading[{endOf(block), block.count}] != 1 ||
            byAddress.count(endOf(block)) != 1)
            return nullptr;
        const KernelCounts::Block *next = byAddress.find(endOf(block))->second;
        return next->count == block.count ? next : nullptr;
    };
    std::set<const KernelCounts::Block *> parts;
    for (const KernelCounts::Block &block : blocks)
        if (const KernelCounts::Block *next = nextOf(block))
            parts.insert(next);
    std::vector<KernelCounts::Block> joined;
    for (const KernelCounts::Block &block : blocks) {
        if (parts.contains(&block))
            continue;
        KernelCounts::Block whole = block;
        for (const KernelCounts::Block *part = nextOf(block); part; part = nextOf(*part))
            whole.instructions += part->instructions;
        joined.push_back(whole);
    }
    return joined;
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
    const Architecture &architecture = *findArchitecture("aarch64");
    std::map<std::string, std::vector<KernelCounts::Block>> blocks;
    for (const auto &[name, kernel] : counts)
        for (const KernelCounts::Block &block :
             blocks[name] = joinedBlocks(kernel.blocks, code, architecture)) {
            std::vector<std::string> instructions = instructionsOf(code, block);
            const auto [at, isNew] = known.try_emplace(instructions, sequences.size());
            if (isNew)
                sequences.push_back(std::move(instructions));
            ofKernel[name].push_back(at->second);
        }
    GL_TRY_CONST(uses,
                 pipelineUse(tools, architecture, unit.processor, sequences, std::move(stop)));
    constexpr double cyclesPerUnknown = 0.5, loopTurns = 8;
    std::map<std::string, KernelEstimate> result;
    for (const auto &[name, kernel] : counts) {
        KernelEstimate &of = result[name];
        const double calls = std::max(1.0, double(kernel.calls));
        for (std::size_t i = 0; i < blocks[name].size(); ++i) {
            const KernelCounts::Block &block = blocks[name][i];
            const std::size_t sequence = ofKernel[name][i];
            const double each = (*uses)[sequence].cycles > 0
                                    ? (*uses)[sequence].cycles
                                    : cyclesPerUnknown * double(block.instructions);
            const MultiplyAdds sums = multiplyAddsOf(sequences[sequence], architecture, unit);
            const double executions = double(block.count) / calls;
            const double cycles = std::max(each, sums.cycles) * executions;
            of.cycles += cycles;
            of.instructions += double(block.instructions * block.count) / calls;
            if (executions < loopTurns)
                continue;
            of.spills += int(std::ranges::count_if(sequences[sequence], architecture.isSpill));
            if (sums.flops * executions > of.tileFlops) {
                of.tileCycles = cycles;
                of.tileFlops = sums.flops * executions;
            }
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
          &KernelEstimate::cycles, &KernelEstimate::foreseen, &KernelEstimate::tileCycles,
          &KernelEstimate::tileFlops})
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/device.h"
#include "engine/machine_code/llvm_tools.h"
#include "targets/arm64/kernel_counts.h"

namespace graphloom::arm64 {

/// Holds what is known of one call of a kernel without a device: counted under the emulator, and
/// estimated by llvm-mca.
struct KernelEstimate {
    double instructions = 0, firstMisses = 0, lastMisses = 0;
    double cycles = 0;   // of the pipelines of one core of the fastest kind, if no access misses
    double foreseen = 0; // of lastMisses: in streams
    int spills = 0;      // instructions in loops that move vectors to or from the stack
    /// Of the cycles, those of the loop that multiplies and adds most whole vectors, and the
    /// operations of its multiply-adds.
    double tileCycles = 0, tileFlops = 0;

    /// Returns the estimate of a call that does so much more, or less, of the same.
    KernelEstimate times(double factor) const;
};

/// Estimates the kernels that were counted, on a unit of this kind. Blocks of which llvm-mca knows
/// an instruction not count one cycle for each two instructions. No block takes less than its
/// multiply-adds at the peak of the unit: LLVM's description of the Cortex-A55 has twice its pipes.
Result<std::map<std::string, KernelEstimate>>
estimates(const LlvmTools &tools, const UnitKind &unit, const MachineCode &code,
          const CountsByKernel &counts, std::stop_token stop);

/// Holds seconds between which a call lies.
struct Bracket {
    double low = 0, high = 0;
};
/// Returns the bracket of a call on the units of a machine that has them all work on it (`tasks`
/// pieces, each by one unit). Low: pipelines, or the bytes that miss the units' own caches at the
/// bandwidth of the next level, whichever takes longer. High: one after the other, with the latency
/// of the second level for each miss of the first, memory's bandwidth and, where a prefetcher does
/// not foresee a line, its latency, and the launch.
Bracket bracketOf(const KernelEstimate &estimate, const Machine &machine, std::int64_t tasks);

} // namespace graphloom::arm64

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace graphloom {

/// Holds what a compiler made of the function of a kernel, for people to read, and how long its
/// innermost loops take in a model of the processor.
struct KernelCode {
    struct Instruction {
        std::uint64_t address = 0; // in the object file
        std::string text;          // "fmla\tv0.4s, v1.4s, v2.s[0]"
        std::uint32_t line = 0;    // of the source, from 1; 0: of another file
    };
    /// A loop without another one in it: the instruction `last` jumps back to `first`.
    struct Loop {
        std::size_t first = 0, last = 0;
        int spills = 0;       // instructions that move vectors to or from the stack
        int multiplyAdds = 0; // of vectors
        double cycles = 0;    // of one turn, if no access misses a cache; 0: not estimated
        /// The share of the processor's peak that its multiply-adds reach; 0: it has none.
        double peakShare = 0;
        std::string limit; // what bounds it: "the pipes FP0 and FP1"
    };
    std::string file; // that defines the function, of those that were compiled
    std::vector<Instruction> instructions;
    std::vector<Loop> loops; // in the order of their first instructions
    std::string compiler;    // with its version
    std::string model;       // what estimated the cycles: "llvm-mca 19.1.7, znver4"
    std::string problem;     // why no cycles are estimated
};

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace graphloom::arm64 {

/// Holds the instructions of a program by their addresses, as LLVM writes them: "fmla v0.4s, v1.4s,
/// v2.s[0]".
using MachineCode = std::map<std::uint64_t, std::string>;

/// Describes LLVM's tools, whose versions must fit each other.
struct LlvmTools {
    std::string disassembler, analyzer; // llvm-objdump, llvm-mca
    std::string version;
};
/// Returns the newest tools. Fails (Missing) with what to install.
Result<LlvmTools> llvmTools(std::stop_token stop);

/// Disassembles the functions of a program whose names begin with a prefix. Fails (Missing) if the
/// tool is gone, (Fault) with what it reports.
Result<MachineCode> disassembled(const LlvmTools &tools, const std::filesystem::path &program,
                                 const std::string &prefix, std::stop_token stop);

/// Returns the cycles of one execution of each sequence of instructions by llvm-mca, which
/// simulates it again and again in the pipelines of a processor ("cortex-a76"); nothing misses a
/// cache. 0 where a sequence has an instruction that it does not know.
Result<std::vector<double>> cyclesOf(const LlvmTools &tools, const std::string &processor,
                                     const std::vector<std::vector<std::string>> &sequences,
                                     std::stop_token stop);

/// Tells whether an instruction moves a whole vector register to or from the stack: a spill.
bool isSpill(const std::string &instruction);

} // namespace graphloom::arm64

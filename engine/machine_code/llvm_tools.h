// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/machine_code/architecture.h"
#include "engine/target/kernel_code.h"

#include <filesystem>
#include <map>
#include <stop_token>

namespace graphloom {

/// Describes LLVM's tools, whose versions must fit each other.
struct LlvmTools {
    std::string disassembler, analyzer; // llvm-objdump, llvm-mca
    std::string version;                // "19.1.7"
    std::string thisProcessor;          // this machine's, as they call it: "znver4"
};
/// Returns the newest tools. Fails (Missing) with what to install.
Result<LlvmTools> llvmTools(std::stop_token stop);

/// Holds the instructions of a program by their addresses.
using MachineCode = std::map<std::uint64_t, KernelCode::Instruction>;

/// Disassembles the functions of a program or object file whose names begin with a prefix. Lines
/// are those of the file `source`, where the code was compiled with line numbers. Fails (Missing)
/// if the tool is gone, (Fault) with what it reports.
Result<MachineCode> disassembled(const LlvmTools &tools, const Architecture &architecture,
                                 const std::filesystem::path &program, const std::string &prefix,
                                 std::stop_token stop, const std::filesystem::path &source = {});

/// Tells how a sequence of instructions that is executed again and again uses the pipelines of a
/// processor; nothing misses a cache.
struct PipelineUse {
    double cycles = 0; // of one execution; 0: an instruction is unknown
    /// What bounds it: the pipes that are busy almost always, the instructions that are begun in a
    /// cycle, or else results that the next instructions wait for.
    std::string limit;
};
/// Analyzes sequences by llvm-mca for a processor ("cortex-a76"; "native": this machine's).
Result<std::vector<PipelineUse>>
pipelineUse(const LlvmTools &tools, const Architecture &architecture, const std::string &processor,
            const std::vector<std::vector<std::string>> &sequences, std::stop_token stop);

/// Returns the name of the processor whose model llvm-mca uses for one.
std::string modelledProcessor(const LlvmTools &tools, const std::string &processor);

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/build/c_compiler.h"
#include "engine/machine_code/architecture.h"
#include "engine/target/target.h"

namespace graphloom {

/// Says which function of some files is compiled and what executes it.
struct CodeRequest {
    std::span<const SourceFile> files; // as Target::generate() returns them
    std::string symbol;
    CCompiler compiler;
    std::vector<std::string> flags;
    std::string processor; // for llvm-mca: "cortex-a76"; "native": this machine's
    std::stop_token stop;
};

/// Compiles the file that defines the function, and returns its machine code with estimates of its
/// innermost loops. Without llvm-mca's estimates, the result says why. Fails (Missing) if there is
/// no disassembler, (Usage) if no file defines the function, and as compileObject() does.
Result<KernelCode> compiledCode(const CodeRequest &request);

/// Returns the innermost loops of instructions that follow each other in a function.
std::vector<KernelCode::Loop> innermostLoops(const Architecture &architecture,
                                             std::span<const KernelCode::Instruction> instructions);

} // namespace graphloom

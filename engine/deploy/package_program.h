// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/build/kernel_cache.h"
#include "engine/cost/instruction_set.h"

namespace graphloom {

struct ProgramOptions {
    const CCompiler *compiler = nullptr;
    KernelCache *cache = nullptr; // keeps the object files
    const InstructionSet *instructions = nullptr;
    std::vector<std::string> processorFlags; // as in PackageContent
    unsigned compilers = 1;                  // that run at once
    double seconds = 600;                    // in all
    std::stop_token stop;
};

/// Compiles the sources of a package (engine/package/package.h) to the program that runs it,
/// "runner" in the folder of the package, which needs no library of the machine that runs it.
/// `model` is its name there. Fails (Fault) with the compiler's errors, (Missing) if the compiler
/// is gone, and (Stopped).
Result<std::filesystem::path> buildRunner(const std::filesystem::path &package,
                                          const std::string &model, const ProgramOptions &options);

} // namespace graphloom

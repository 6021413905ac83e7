// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/build/kernel_cache.h"
#include "engine/codegen/emit/plan_kernels.h"

namespace graphloom {

struct CompileOptions {
    int lanes = 8;
    const CCompiler *compiler = nullptr;
    KernelCache *cache = nullptr;
    unsigned threads = 1; // compilers at once
    double seconds = 120; // for all; as long again to find blocks that do not compile
    std::stop_token stop;
    std::vector<std::string> flags = {}; // behind kernelFlags()
};

/// The libraries that hold the kernels of a plan, and blocks (by number) whose kernels do not
/// compile. Where there are such, nothing is loaded: the plan has to do without them first.
struct CompiledKernels {
    std::vector<KernelLibrary> libraries;
    RefusedBlocks failed;

    /// Fails (Fault) when no library has it.
    Result<KernelFunction> function(const std::string &symbol) const;
};

/// Compiles as many units as threads, about equally long. Fails when the compiler is gone or does
/// not compile anything in time, or the cache's folder cannot be written (Missing), or when stopped
/// (Fault).
Result<CompiledKernels> compileKernels(const std::vector<std::optional<BlockKernel>> &kernels,
                                       const CompileOptions &options);

} // namespace graphloom

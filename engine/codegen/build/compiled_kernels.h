// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/build/kernel_cache.h"
#include "engine/codegen/emit/plan_kernels.h"

namespace graphloom {

struct CompileOptions {
    int lanes = 8;
    const CCompiler *compiler = nullptr;
    KernelCache *cache = nullptr;
    unsigned threads = 1; // compilers that run at once
    double seconds = 120; // in all, and as long again to find blocks that do not compile
    std::stop_token stop;
    std::vector<std::string> flags = {}; // after kernelFlags()
};

/// Holds the libraries with the kernels of a plan, and the blocks whose kernels do not compile. If
/// there are such blocks, nothing is loaded: the plan must first do without them.
struct CompiledKernels {
    std::vector<KernelLibrary> libraries;
    RefusedBlocks failed;

    /// Returns the function of this name. Fails (Fault) if no library has it.
    Result<KernelFunction> function(const std::string &symbol) const;
};

/// Distributes phases over `most` translation units of about equal length.
std::vector<KernelSource> translationUnits(std::vector<const BlockKernel::Phase *> phases,
                                           int lanes, unsigned most);

/// Compiles the kernels that no library of the cache has, in as many translation units as threads,
/// which take about equally long.
/// Fails (Missing) if the compiler is gone or compiles nothing in time, or if the cache's folder
/// cannot be written, and (Fault) if stopped.
Result<CompiledKernels> compileKernels(const BlockKernels &kernels, const CompileOptions &options);

/// Tells whether compileKernels() finds all libraries in the cache.
bool areCached(const BlockKernels &kernels, const CompileOptions &options);

/// Notes where these kernels are (KernelCache::note()), as far as the cache was asked for libraries
/// with them, so that compileKernels() finds them there.
void noteKernels(const BlockKernels &kernels, const CompileOptions &options);

} // namespace graphloom

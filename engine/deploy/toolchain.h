// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/build/kernel_cache.h"
#include "engine/target/target.h"

namespace graphloom {

/// Returns the folder for compiled kernels: the named one, or the user's (defaultKernelFolder()).
Result<std::filesystem::path> kernelFolder(const std::filesystem::path &named);

/// Holds what kernels are compiled with. Without a folder of the user's they are kept for as long
/// as this is there.
struct Toolchain {
    Toolchain(CCompiler found, const std::filesystem::path &namedFolder,
              const std::function<void(const TargetMessage &)> &tell);

    CCompiler compiler;
    KernelCache cache;
};

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/package/kernel_files.h"
#include "engine/runtime/execution_plan.h"
#include "engine/target/target.h"

#include <filesystem>
#include <optional>

namespace graphloom {

/// The alignment of buffers of a package with kernels in OpenCL C, in bytes: no less than that of
/// any device.
inline constexpr std::int64_t openclAlignment = 512;

/// Holds what a package is written from in addition to the plan.
struct PackageContent {
    std::string model;                            // its name: that of its file without suffix
    std::string device;                           // that its kernels are for, for its description
    const InstructionSet *instructions = nullptr; // of kernels in C
    /// How kernels in OpenCL C are written; not given for those in C. The plan then has
    /// openclAlignment.
    std::optional<KernelFileForm> opencl = std::nullopt;
    /// What compilers are told of the processor, "-mcpu=cortex-a76"; empty: they know no more than
    /// the instruction set.
    std::vector<std::string> processorFlags;
    /// Values for the test of the package, in the order of the graph's inputs and outputs.
    std::vector<TensorData> inputs, expected;
    /// Writes the package even if blocks are interpreted. A program that uses it has to define
    /// functions for these, which its header declares. Only for a plan with places for all tensors
    /// (ExecutionPlanOptions::placesAll).
    bool partial = false;
};

/// The file that tells a folder with a package from others, and what it says its format is.
inline constexpr const char *packageDescription = "package.json";
inline constexpr const char *packageFormat = "graphloom-package";

/// Checks whether there can be a package of the plan. Fails (Model) if it has blocks that are
/// interpreted (unless `partial`), or inputs and outputs that a package cannot hold, naming all of
/// them.
Result<void> checkPackage(const ExecutionPlan &plan, bool partial);

/// Writes a plan as a package that runs without this program to a folder, which is empty: C
/// sources, weights as the kernels read them, a runtime that needs libc and pthreads, a runner, a
/// test and a CMake project. README.md in the package describes the files. Fails as checkPackage()
/// does, and (Missing) if the folder cannot be written.
Result<PackageFacts> writePackage(const ExecutionPlan &plan, const PackageContent &content,
                                  const std::filesystem::path &folder);

} // namespace graphloom

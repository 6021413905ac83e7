// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/cost/machine.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace graphloom::arm64 {

/// Holds what a kernel did in one run of a program, counted under the emulator. Kernels of several
/// steps with the same code are one.
struct KernelCounts {
    struct Block {
        std::uint64_t address = 0;      // of its first instruction
        std::uint64_t instructions = 0; // one after the other, without a jump between them
        std::uint64_t count = 0;        // of executions
    };
    std::vector<Block> blocks;
    std::uint64_t firstMisses = 0, lastMisses = 0; // of the simulated caches, first and last level
    std::uint64_t foreseenMisses = 0;              // of the last level, in streams
    std::uint64_t calls = 0;

    std::uint64_t instructions() const;
};
/// Holds them by the names of the functions.
using CountsByKernel = std::map<std::string, KernelCounts>;

/// Returns the words for QEMU that make it count (counter/counter.c), with caches of a kind of
/// unit, and write what it counts to a file. Fails (Missing) if the plugin is not there, or if the
/// unit has no first and second level of known size.
Result<std::vector<std::string>> counterWords(const std::string &emulatorVersion,
                                              const UnitKind &unit, const std::string &kernelPrefix,
                                              const std::filesystem::path &output);

/// Reads what it wrote. Fails (Fault) if the file is not complete.
Result<CountsByKernel> readCounts(const std::filesystem::path &file);

} // namespace graphloom::arm64

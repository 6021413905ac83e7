// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/host.h"

#include <span>
#include <string>
#include <string_view>

namespace graphloom {

/// Vector instructions that kernels for this machine can be generated with.
struct InstructionSet {
    std::string_view name;              // as a device of the target host has it: "avx2"
    std::string_view title;             // "AVX2"
    int lanes = 4;                      // single-precision elements of one vector
    int registers = 16;                 // that hold one each
    std::span<const char *const> flags; // with which gcc and clang use them, and no others
};

/// Those of the architecture, the widest first. Each has vectors of another width.
std::span<const InstructionSet> instructionSets();
/// Null when there is none of this name, or with so many lanes.
const InstructionSet *findInstructionSet(std::string_view name);
const InstructionSet *findInstructionSet(int lanes);

/// Whether a processor can execute it.
bool isExecutable(const InstructionSet &set, const HostFacts &host);
/// The widest that a processor can execute.
const InstructionSet &hostInstructionSet(const HostFacts &host = hostFacts());
/// Titles of those that a processor can execute: "AVX2, SSE2".
std::string executableInstructionSets(const HostFacts &host = hostFacts());

} // namespace graphloom

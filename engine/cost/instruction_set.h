// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/host.h"

#include <span>
#include <string>
#include <string_view>

namespace graphloom {

/// Describes vector instructions for which kernels can be generated.
struct InstructionSet {
    std::string_view name;              // name as a device of the target host: "avx2"
    std::string_view title;             // "AVX2"
    std::string_view architecture;      // as compilers begin their triples: "x86_64"
    int lanes = 4;                      // single-precision elements of one vector
    int registers = 16;                 // number of vector registers
    std::span<const char *const> flags; // that make gcc and clang use these and no others
    /// Tells whether a multiply-add can take one element of a vector for all lanes.
    bool byElement = false;
};

/// Returns the instruction sets of an architecture, the widest first; none for an unknown one.
/// Their vector widths all differ.
std::span<const InstructionSet> instructionSetsOf(std::string_view architecture);
/// Returns those of this machine's architecture.
std::span<const InstructionSet> instructionSets();
/// Returns the one of these with this name, or with this many lanes; null if there is none.
const InstructionSet *findInstructionSet(std::string_view name);
const InstructionSet *findInstructionSet(int lanes);

/// Returns the instruction set of this name of any architecture; null if there is none.
const InstructionSet *findAnyInstructionSet(std::string_view name);

/// Tells whether a processor can execute the instruction set.
bool isExecutable(const InstructionSet &set, const HostFacts &host);
/// Returns the widest instruction set that a processor can execute.
const InstructionSet &hostInstructionSet(const HostFacts &host = hostFacts());
/// Returns the titles of the instruction sets that a processor can execute: "AVX2, SSE2".
std::string executableInstructionSets(const HostFacts &host = hostFacts());

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#include "engine/cost/instruction_set.h"

#include <algorithm>

namespace graphloom {

namespace {

// The compiler shall also use 512-bit vectors in loops that it vectorizes by itself.
constexpr const char *avx512[] = {
    "-mavx512f", "-mavx512vl", "-mavx512bw", "-mavx512dq",
    "-mavx2",    "-mfma",      "-mf16c",     "-mprefer-vector-width=512"};
constexpr const char *avx2[] = {"-mavx2", "-mfma", "-mf16c"};
constexpr const char *sse2[] = {"-msse2"};
constexpr InstructionSet x86Sets[] = {{"avx512", "AVX-512", "x86_64", 16, 32, avx512},
                                      {"avx2", "AVX2", "x86_64", 8, 16, avx2},
                                      {"sse2", "SSE2", "x86_64", 4, 16, sse2}};
constexpr InstructionSet armSets[] = {{"neon", "NEON", "aarch64", 4, 32, {}, true}};
// There is no code for vectors of one element; compilers split vectors of four if necessary.
constexpr InstructionSet otherSets[] = {
    {"generic", "unknown vector instructions", "generic", 4, 16, {}}};

constexpr std::span<const InstructionSet> all[] = {x86Sets, armSets, otherSets};

#if defined(__x86_64__)
constexpr std::span<const InstructionSet> sets = x86Sets;
#elif defined(__aarch64__)
constexpr std::span<const InstructionSet> sets = armSets;
#else
constexpr std::span<const InstructionSet> sets = otherSets;
#endif

} // namespace

std::span<const InstructionSet> instructionSetsOf(std::string_view architecture)
{
    for (const std::span<const InstructionSet> of : all)
        if (of.front().architecture == architecture)
            return of;
    return {};
}

const InstructionSet *findAnyInstructionSet(std::string_view name)
{
    for (const std::span<const InstructionSet> of : all)
        for (const InstructionSet &set : of)
            if (set.name == name)
                return &set;
    return nullptr;
}

std::span<const InstructionSet> instructionSets()
{
    return sets;
}

const InstructionSet *findInstructionSet(std::string_view name)
{
    const auto found = std::ranges::find(sets, name, &InstructionSet::name);
    return found != sets.end() ? &*found : nullptr;
}

const InstructionSet *findInstructionSet(int lanes)
{
    const auto found = std::ranges::find(sets, lanes, &InstructionSet::lanes);
    return found != sets.end() ? &*found : nullptr;
}

bool isExecutable(const InstructionSet &set, const HostFacts &host)
{
    // Kernels of a set are compiled with these extensions; the architecture includes the narrowest.
    const bool hasAvx2 = host.avx2 && host.fma && host.f16c;
    if (set.name == "avx512")
        return hasAvx2 && host.avx512;
    return set.name == "avx2" ? hasAvx2 : true;
}

const InstructionSet &hostInstructionSet(const HostFacts &host)
{
    return *std::ranges::find_if(
        sets, [&](const InstructionSet &set) { return isExecutable(set, host); });
}

std::string executableInstructionSets(const HostFacts &host)
{
    std::string titles;
    for (const InstructionSet &set : sets)
        if (isExecutable(set, host))
            titles += (titles.empty() ? "" : ", ") + std::string(set.title);
    return titles;
}

} // namespace graphloom

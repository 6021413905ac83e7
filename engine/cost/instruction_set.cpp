// SPDX-License-Identifier: Apache-2.0
#include "engine/cost/instruction_set.h"

#include <algorithm>

namespace graphloom {

namespace {

#if defined(__x86_64__)
// Vectors of 512 bits are to be used where the compiler vectorizes by itself, too.
constexpr const char *avx512[] = {
    "-mavx512f", "-mavx512vl", "-mavx512bw", "-mavx512dq",
    "-mavx2",    "-mfma",      "-mf16c",     "-mprefer-vector-width=512"};
constexpr const char *avx2[] = {"-mavx2", "-mfma", "-mf16c"};
constexpr const char *sse2[] = {"-msse2"};
constexpr InstructionSet sets[] = {{"avx512", "AVX-512", 16, 32, avx512},
                                   {"avx2", "AVX2", 8, 16, avx2},
                                   {"sse2", "SSE2", 4, 16, sse2}};
#elif defined(__aarch64__)
constexpr InstructionSet sets[] = {{"neon", "NEON", 4, 32, {}}};
#else
// Vectors of one element have no code; compilers split those of four where there are none.
constexpr InstructionSet sets[] = {{"generic", "no known vectors", 4, 16, {}}};
#endif

} // namespace

std::span<const InstructionSet> instructionSets()
{
    return sets;
}

const InstructionSet *findInstructionSet(std::string_view name)
{
    const auto found = std::ranges::find(sets, name, &InstructionSet::name);
    return found != std::end(sets) ? found : nullptr;
}

const InstructionSet *findInstructionSet(int lanes)
{
    const auto found = std::ranges::find(sets, lanes, &InstructionSet::lanes);
    return found != std::end(sets) ? found : nullptr;
}

bool isExecutable(const InstructionSet &set, const HostFacts &host)
{
    // What kernels of a set are compiled with; the narrowest is part of the architecture.
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

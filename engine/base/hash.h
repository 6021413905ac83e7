// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace graphloom {

/// Scrambles 64 bits bijectively (the finalizer of MurmurHash3 / SplitMix64).
constexpr std::uint64_t scramble(std::uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebULL;
    x ^= x >> 31;
    return x;
}

/// Combines a running hash with one more word; the order of the words counts.
constexpr std::uint64_t combine(std::uint64_t seed, std::uint64_t word)
{
    __extension__ using Wide = unsigned __int128;
    const Wide wide = Wide{seed ^ 0x9e3779b97f4a7c15ULL} * (word ^ 0xe7037ed1a0b428dbULL);
    return static_cast<std::uint64_t>(wide) ^ static_cast<std::uint64_t>(wide >> 64) ^ word;
}

/// Returns the XXH3 hash of the bytes.
std::uint64_t hashBytes(std::span<const std::byte> bytes, std::uint64_t seed = 0);
std::uint64_t hashText(std::string_view text, std::uint64_t seed = 0);

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace graphloom {

/// A share of the original's peak, above 0, or a number of bytes.
using MemoryLimit = std::variant<double, std::uint64_t>;

/// Describes what a searching pass minimizes, and its limits on other figures.
struct Objective {
    enum class Mode {
        Latency, // the fastest plan within the limits
        Memory,  // the plan with the lowest peak within the limits
        Pareto,  // every plan that no other one beats in both
    };

    Mode mode = Mode::Memory;
    /// Limits the peak memory.
    std::optional<MemoryLimit> memoryLimit;
    /// Limits the latency, as a multiple of the original's, above 0.
    std::optional<double> latencyLimit;
    /// The limit of latency where neither is limited, unless the fastest plan is wanted (MAGIS,
    /// Figure 9).
    static constexpr double usualLatency = 1.10;
    bool hasUsualLimit() const { return mode != Mode::Latency && !memoryLimit && !latencyLimit; }

    bool operator==(const Objective &) const = default;
};

constexpr std::string_view nameOf(Objective::Mode mode)
{
    switch (mode) {
    case Objective::Mode::Latency:
        return "latency";
    case Objective::Mode::Memory:
        return "memory";
    case Objective::Mode::Pareto:
        break;
    }
    return "pareto";
}

/// Returns the bytes that a limit stands for if the original's peak is `originalBytes`.
constexpr std::uint64_t bytesOf(const MemoryLimit &limit, std::uint64_t originalBytes)
{
    const double *ratio = std::get_if<double>(&limit);
    return ratio ? std::uint64_t(*ratio * double(originalBytes)) : std::get<std::uint64_t>(limit);
}

} // namespace graphloom

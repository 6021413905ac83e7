// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/variants/choice.h"

#include <algorithm>
#include <limits>

namespace graphloom::magis {

Limits limitsOf(const Objective &objective, const Outcome &before, double reference)
{
    Limits limits;
    if (objective.memoryLimit)
        limits.bytes =
            std::int64_t(graphloom::bytesOf(*objective.memoryLimit, std::uint64_t(before.peak)));
    if (objective.latencyLimit)
        limits.seconds = *objective.latencyLimit * reference;
    if (objective.hasUsualLimit())
        limits.seconds = Objective::usualLatency * reference;
    return limits;
}

std::vector<Limits> interestsOf(const Objective &objective, const Limits &limits,
                                const Outcome &before, double reference)
{
    // If latency is minimized, only a limit of memory matters.
    if (objective.mode == Objective::Mode::Latency)
        return {{0, limits.bytes > 0 ? limits.bytes : std::numeric_limits<std::int64_t>::max()}};
    if (objective.mode != Objective::Mode::Pareto)
        return {limits};
    std::vector<Limits> interests;
    for (const double latency : {1.02, 1.05, 1.10, 1.20})
        interests.push_back({latency * reference, 0});
    for (const double memory : {0.8, 0.6, 0.4})
        interests.push_back({0, std::int64_t(memory * double(before.peak))});
    return interests;
}

bool isWithin(const Limits &limits, double seconds, double bytes)
{
    return (limits.seconds <= 0 || seconds <= limits.seconds) &&
           (limits.bytes <= 0 || bytes <= double(limits.bytes));
}

const State &chosen(const ParetoArchive<State> &archive, Objective::Mode mode, const Limits &limits,
                    bool &met)
{
    const auto &entries = archive.entries(); // ascending in seconds, descending in bytes
    const State *best = nullptr;
    for (const auto &entry : entries) {
        const bool within = isWithin(limits, entry.first, entry.second);
        if (within && (!best || mode != Objective::Mode::Latency))
            best = &entry.state;
    }
    met = best != nullptr;
    if (best)
        return *best;
    return limits.seconds > 0 && entries.front().first > limits.seconds ? entries.front().state
                                                                        : entries.back().state;
}

State measured(const Variant &variant, const State &first, Measuring &measuring,
               Objective::Mode mode, const Limits &limits, const std::stop_token &stop)
{
    constexpr std::size_t mostTries = 16;
    const SearchSpace &space = *variant.space;
    std::vector<State> known{variant.unoptimized};
    for (const auto &entry : variant.search->archive().entries())
        known.push_back(entry.state);
    std::vector<StateHash> timed{variant.unoptimized.hash}; // it has no parts to time
    const auto isTimed = [&](const State &state) {
        return std::ranges::find(timed, state.hash) != timed.end();
    };
    State next = first;
    while (true) {
        measuring.partsOf(space, *variant.times, next);
        timed.push_back(next.hash);
        ParetoArchive<State> all, ofTimed;
        for (const State &state : known)
            if (auto now = repriced(space, state)) {
                const auto [seconds, bytes] = std::pair(now->outcome.seconds, now->outcome.peak);
                if (isTimed(*now))
                    ofTimed.add(seconds, double(bytes), *now);
                all.add(seconds, double(bytes), *std::move(now));
            }
        if (ofTimed.entries().empty())
            return first;
        bool met = false;
        const State &best = chosen(all, mode, limits, met);
        if (isTimed(best))
            return best;
        if (timed.size() > mostTries || stop.stop_requested())
            return chosen(ofTimed, mode, limits, met);
        next = best;
    }
}

} // namespace graphloom::magis

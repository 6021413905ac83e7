// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/graph/memory_graph.h"

#include <optional>

namespace graphloom::magis {

/// Represents steps that are scheduled among themselves, after others that are done.
class Segment {
public:
    static constexpr std::size_t longest = 128; // steps

    /// Takes at most `longest` steps in a topological order. `done` tells by step which others come
    /// earlier.
    Segment(const StepGraph &memory, std::span<const int> steps, const std::vector<bool> &done);

    /// Returns a number that is equal for segments that have the same best orders.
    std::uint64_t form() const;

    /// Returns the places of the steps in an order with the lowest peak, found by dynamic
    /// programming over the sets of steps done (Ahn et al. 2020, "Serenity"). If there are more
    /// than `most` sets at one time, those with the lowest peaks are kept; the order is never worse
    /// than the given one.
    std::vector<int> order(std::size_t most) const;

private:
    __extension__ using StepSet = unsigned __int128;

    struct Local {
        std::int64_t bytes = 0;
        bool outlives = false;
        StepSet readers = 0;
    };
    struct Call {
        StepSet before = 0;
        std::vector<int> reads, writes, overwrites; // buffers
    };
    struct Reached {
        StepSet done = 0;
        std::int64_t peak = 0, alive = 0; // above what is alive before the segment
        int from = -1, step = -1;
    };
    class SetIndex;

    bool isReady(StepSet done, std::size_t step) const
    {
        return (done >> step & 1) == 0 && (m_calls[step].before & ~done) == 0;
    }
    Reached after(const Reached &reached, std::size_t step) const;
    std::int64_t peakAsGiven() const;
    std::int64_t peakOfLeastGrowth(std::vector<int> &order) const;
    void extend(const Reached &reached, int from, std::int64_t bound, SetIndex &known,
                std::vector<Reached> &next) const;
    std::optional<std::vector<int>> better(std::int64_t bound, std::size_t most) const;

    std::vector<Local> m_buffers;
    std::vector<Call> m_calls;
};

} // namespace graphloom::magis

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/graph/memory_graph.h"

#include <optional>

namespace graphloom::magis {

/// Represents steps that are scheduled among themselves, after others that are done.
class Segment {
public:
    /// Counts the steps of a segment as it is given.
    using Place = TypedIndex<struct SegmentPlaceTag>;
    static constexpr int longest = 128; // steps

    /// Takes at most `longest` steps in a topological order. `done` tells which others come
    /// earlier.
    Segment(const StepGraph &memory, std::span<const StepIndex> steps,
            const IndexedVector<StepIndex, bool> &done);

    /// Returns a number that is equal for segments that have the same best orders.
    std::uint64_t form() const;

    /// Returns the places of the steps in an order with the lowest peak, found by dynamic
    /// programming over the sets of steps done (Ahn et al. 2020, "Serenity"). If there are more
    /// than `most` sets at one time, those with the lowest peaks are kept; the order is never worse
    /// than the given one.
    std::vector<Place> order(std::size_t most) const;

private:
    __extension__ using StepSet = unsigned __int128;

    /// Counts the buffers that the steps use.
    using LocalIndex = TypedIndex<struct SegmentBufferTag>;
    /// Counts the sets that are reached with one number of steps.
    using ReachedIndex = TypedIndex<struct ReachedTag>;

    struct Local {
        std::int64_t bytes = 0;
        bool outlives = false;
        StepSet readers = 0;
    };
    struct Call {
        StepSet before = 0;
        std::vector<LocalIndex> reads, writes, overwrites;
    };
    struct Reached {
        StepSet done = 0;
        std::int64_t peak = 0, alive = 0; // above what is alive before the segment
        ReachedIndex from;                // the set before the last step, which is `step`
        Place step;
    };
    using Level = IndexedVector<ReachedIndex, Reached>;
    class SetIndex;

    static StepSet setOf(Place step) { return StepSet(1) << step.number(); }
    bool isReady(StepSet done, Place step) const
    {
        return (done >> step.number() & 1) == 0 && (m_calls[step].before & ~done) == 0;
    }
    Reached after(const Reached &reached, Place step) const;
    std::int64_t peakAsGiven() const;
    std::int64_t peakOfLeastGrowth(std::vector<Place> &order) const;
    void extend(const Reached &reached, ReachedIndex from, std::int64_t bound, SetIndex &known,
                Level &next) const;
    std::optional<std::vector<Place>> better(std::int64_t bound, std::size_t most) const;

    IndexedVector<LocalIndex, Local> m_buffers;
    IndexedVector<Place, Call> m_calls;
};

} // namespace graphloom::magis

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace graphloom::magis {

/// Names the parts of a search that MAGIS section 7.2.6 tells apart: finding other states, orders
/// of steps, the outcome of a state, and its hash with the test whether the state is known.
enum class SearchPart : std::uint8_t { Transforming, Scheduling, Simulating, Hashing };

/// Sums the time that threads spend in the parts of a search. Safe to use from several threads.
class PartTimes {
public:
    using Clock = std::chrono::steady_clock;

    void add(SearchPart part, Clock::duration time)
    {
        m_times[std::size_t(part)].fetch_add(time.count(), std::memory_order_relaxed);
    }
    double seconds(SearchPart part) const
    {
        const Clock::duration time(m_times[std::size_t(part)].load(std::memory_order_relaxed));
        return std::chrono::duration<double>(time).count();
    }
    /// Runs a function and counts its time for a part.
    template <class Function> auto timed(SearchPart part, Function function)
    {
        const Clock::time_point start = Clock::now();
        auto result = function();
        add(part, Clock::now() - start);
        return result;
    }

private:
    std::array<std::atomic<Clock::rep>, 4> m_times{};
};

} // namespace graphloom::magis

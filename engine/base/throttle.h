// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>

namespace graphloom {

/// Allows at most one call per interval. May be used from any thread.
class Throttle {
    using Clock = std::chrono::steady_clock;

public:
    explicit Throttle(Clock::duration interval)
        : m_interval(interval), m_last((Clock::now() - interval).time_since_epoch().count())
    {
    }
    bool allows()
    {
        const auto now = Clock::now().time_since_epoch().count();
        auto last = m_last.load();
        return now - last >= m_interval.count() && m_last.compare_exchange_strong(last, now);
    }

private:
    const Clock::duration m_interval;
    std::atomic<Clock::rep> m_last;
};

} // namespace graphloom

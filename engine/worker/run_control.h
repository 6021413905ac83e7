// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>

namespace graphloom {

/// Holds a run of a pass and lets it go on; from any thread.
class RunControl {
public:
    void hold(bool held)
    {
        const std::lock_guard lock(m_mutex);
        if (held == m_held)
            return;
        m_held = held;
        const auto now = Clock::now();
        if (held)
            m_since = now;
        else
            m_before += now - m_since;
        m_changed.notify_all();
    }
    bool isHeld() const
    {
        const std::lock_guard lock(m_mutex);
        return m_held;
    }
    /// Ends a run that does not stop when requested; its result is lost.
    void abandon() { m_abandoned = true; }
    bool isAbandoned() const { return m_abandoned; }

    /// Waits until the run is not held or is to stop.
    void wait(const std::stop_token &stop)
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, stop, [&] { return !m_held; });
    }
    /// Returns a clock that counts the seconds during which the run is not held.
    std::function<double()> clock()
    {
        return [this, start = Clock::now(), before = heldSoFar()] {
            const std::lock_guard lock(m_mutex);
            const auto end = m_held ? m_since : Clock::now();
            return std::chrono::duration<double>(end - start - (m_before - before)).count();
        };
    }

private:
    using Clock = std::chrono::steady_clock;
    Clock::duration heldSoFar() const
    {
        const std::lock_guard lock(m_mutex);
        return m_before;
    }

    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    bool m_held = false;
    Clock::time_point m_since;
    Clock::duration m_before{0};
    std::atomic<bool> m_abandoned = false;
};

} // namespace graphloom

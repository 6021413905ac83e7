// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace graphloom {

/// Requests a stop after some time, or earlier if another stop is requested, for as long as this
/// object lives.
class StopAfter {
public:
    StopAfter(const std::stop_token &other, double seconds)
        : m_other(other, Forward{m_source}),
          m_thread([this, seconds](const std::stop_token &ended) { wait(ended, seconds); })
    {
    }
    std::stop_token token() const { return m_source.get_token(); }

private:
    struct Forward {
        std::stop_source source; // shares its state
        void operator()() { source.request_stop(); }
    };

    void wait(const std::stop_token &ended, double seconds)
    {
        constexpr double longest = 1e6; // some days: more does not fit the clock
        std::unique_lock lock(m_mutex);
        const auto until = std::chrono::duration<double>(std::clamp(seconds, 0.0, longest));
        m_waiting.wait_for(lock, ended, until, [] { return false; });
        if (!ended.stop_requested())
            m_source.request_stop();
    }

    std::stop_source m_source;
    std::mutex m_mutex;
    std::condition_variable_any m_waiting;
    std::stop_callback<Forward> m_other;
    std::jthread m_thread; // last: it ends before the members that it uses are destroyed
};

} // namespace graphloom

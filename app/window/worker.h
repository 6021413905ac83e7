// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/parcel.h"

#include <QObject>

#include <cstdint>
#include <deque>
#include <map>
#include <thread>
#include <utility>

namespace graphloom {

/// Long work of one kind on threads of its own; the newest wins. The GUI thread never waits for
/// one that was superseded: it is told to stop, and forgotten when it has.
class Worker final : public QObject {
public:
    using QObject::QObject;
    ~Worker() override
    {
        for (auto &[run, thread] : m_threads)
            thread.request_stop(); // all at once, then each is joined
    }

    /// Calls work(stop_token) on a thread and then done(result) on this object's thread. A run
    /// before it is stopped and never reports.
    template <class Work, class Done> void start(Work work, Done done)
    {
        abandon();
        joinEnded();
        const std::uint64_t run = ++m_run;
        m_running = true;
        m_threads.emplace(
            run, std::jthread([this, run, work = std::move(work),
                               done = std::move(done)](std::stop_token stop) mutable {
                Parcel result(work(stop));
                QMetaObject::invokeMethod(
                    this,
                    [this, run, done = std::move(done), result = std::move(result)]() mutable {
                        m_ended.push_back(run);
                        if (run != m_run || !m_running)
                            return;
                        m_running = false;
                        done(result.open());
                    },
                    Qt::QueuedConnection);
            }));
    }
    bool isRunning() const { return m_running; }
    /// Asks the work to stop; what it has so far is still reported.
    void stop()
    {
        if (const auto it = m_threads.find(m_run); it != m_threads.end())
            it->second.request_stop();
    }
    /// Stops the work and forgets its result.
    void abandon()
    {
        stop();
        m_running = false;
    }

private:
    /// Not as soon as a thread has reported: it may still have to wait for a processor to end on,
    /// and the GUI thread with it. The last few are left alone until they have surely ended.
    void joinEnded()
    {
        constexpr std::size_t leftAlone = 4;
        for (; m_ended.size() > leftAlone; m_ended.pop_front())
            m_threads.erase(m_ended.front());
    }

    std::uint64_t m_run = 0;
    bool m_running = false;
    std::map<std::uint64_t, std::jthread> m_threads;
    std::deque<std::uint64_t> m_ended; // runs that have reported
};

} // namespace graphloom

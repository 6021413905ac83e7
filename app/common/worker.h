// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/format.h"
#include "app/common/job_list.h"
#include "app/common/parcel.h"
#include "engine/base/result.h"
#include "engine/base/throttle.h"

#include <QObject>
#include <QPointer>

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

namespace graphloom {

/// Returns what is told of work that has thrown: Missing if there was not enough memory, else
/// Fault.
Error workError(const std::exception &exception);

/// Runs long work of one kind on threads of its own. A new run supersedes the one before. The GUI
/// thread never waits for a superseded run: it is told to stop, and its thread is joined once it
/// has ended.
class Worker final : public QObject {
public:
    using QObject::QObject;
    ~Worker() override
    {
        endJob();
        for (auto &[run, thread] : m_threads)
            thread.request_stop(); // all at once, then each is joined
    }

    /// Lists the run that start() begins next in `jobs` (null: nowhere), with what progress()
    /// reports, until the run reports its result or is abandoned. `cancel` stops it, by default
    /// stop().
    void announce(JobList *jobs, const QString &what, std::function<void()> cancel = {})
    {
        m_announced = {jobs, what, cancel ? std::move(cancel) : [this] { stop(); }};
    }
    /// Lists the next run like announce(), for work that cannot be stopped half-way.
    void announceUnstoppable(JobList *jobs, const QString &what) { m_announced = {jobs, what, {}}; }

    /// Calls work(stop_token) on a thread, and then done(result) on this object's thread. An
    /// earlier run is stopped and never reports. Work that throws, such as out of memory, must not
    /// end the session: a Result becomes workError(); anything else is empty, as if the work was
    /// stopped, and the list of jobs says why.
    template <class Work, class Done> void start(Work work, Done done)
    {
        using Returned = std::decay_t<std::invoke_result_t<Work &, std::stop_token>>;
        abandon();
        joinEnded();
        const std::uint64_t run = ++m_run;
        m_running = true;
        m_threads.emplace(
            run, std::jthread([this, run, work = std::move(work),
                               done = std::move(done)](std::stop_token stop) mutable {
                Parcel outcome(outcomeOf<Returned>(work, stop));
                QMetaObject::invokeMethod(
                    this,
                    [this, run, done = std::move(done), outcome = std::move(outcome)]() mutable {
                        m_ended.push_back(run);
                        if (run != m_run || !m_running)
                            return;
                        m_running = false;
                        auto [value, problem] = outcome.open();
                        if (problem)
                            tellProblem(*problem);
                        endJob();
                        done(std::move(value));
                    },
                    Qt::QueuedConnection);
            }));
        // After the thread is there, as the list may cancel the job at once.
        if (const Announcement next = std::exchange(m_announced, {}); next.jobs) {
            m_jobs = next.jobs;
            m_what = next.what;
            m_job = next.jobs->begin(next.what, next.cancel);
        }
    }
    /// Returns a function object for the run that start() begins next. It may be called from any
    /// thread, and calls a function on this object's thread unless that run has ended or was
    /// superseded.
    auto poster()
    {
        return [this, run = m_run + 1](auto deliver) {
            QMetaObject::invokeMethod(
                this,
                [this, run, deliver = std::move(deliver)]() mutable {
                    if (run == m_run && m_running)
                        deliver();
                },
                Qt::QueuedConnection);
        };
    }
    /// Returns a function for the run that start() begins next, which an engine may call from any
    /// thread, as often as it likes, with the fraction done and the current activity. `report` is
    /// called on this object's thread about twenty times a second.
    std::function<void(double, std::string_view)>
    progress(std::function<void(double, const QString &)> report)
    {
        constexpr std::chrono::milliseconds interval{50};
        return [this, post = poster(), report = std::move(report),
                throttle = std::make_shared<Throttle>(interval)](double fraction,
                                                                 std::string_view what) {
            if (throttle->allows())
                post([this, report, fraction, text = fromUtf8(what)] {
                    if (m_jobs)
                        m_jobs->report(m_job, fraction, text);
                    report(fraction, text);
                });
        };
    }
    bool isRunning() const { return m_running; }
    /// Tells whether the current or last run was asked to stop.
    bool isStopped() const
    {
        const auto it = m_threads.find(m_run);
        return it != m_threads.end() && it->second.get_stop_token().stop_requested();
    }
    /// Asks the work to stop. What it has so far is still reported.
    void stop()
    {
        if (const auto it = m_threads.find(m_run); it != m_threads.end())
            it->second.request_stop();
    }
    /// Shows the listed job as paused, or no longer so.
    void setPaused(bool paused)
    {
        if (m_jobs)
            m_jobs->setPaused(m_job, paused);
    }
    /// Stops the work and forgets its result.
    void abandon()
    {
        stop();
        m_running = false;
        endJob();
    }

private:
    struct Announcement {
        QPointer<JobList> jobs;
        QString what;
        std::function<void()> cancel;
    };
    template <class Value> struct Outcome {
        Value value;
        std::optional<Error> problem; // that `value` does not tell
    };

    template <class Value, class Work>
    static Outcome<Value> outcomeOf(Work &work, const std::stop_token &stop)
    try {
        return {work(stop), std::nullopt};
    } catch (const std::exception &exception) {
        if constexpr (std::is_convertible_v<tl::unexpected<Error>, Value>)
            return {Value(tl::unexpected(workError(exception))), std::nullopt};
        else
            return {Value(), workError(exception)};
    }
    void tellProblem(const Error &problem);
    void endJob();
    /// Joins threads that have ended. A thread that has just reported may still wait for a
    /// processor, and the GUI thread would wait with it; so the last few are left until they have
    /// surely ended.
    void joinEnded()
    {
        constexpr std::size_t leftAlone = 4;
        for (; m_ended.size() > leftAlone; m_ended.pop_front())
            m_threads.erase(m_ended.front());
    }

    std::uint64_t m_run = 0;
    bool m_running = false;
    Announcement m_announced; // for the next run
    QPointer<JobList> m_jobs; // list that holds the current run
    QString m_what;           // its name there
    int m_job = 0;
    std::map<std::uint64_t, std::jthread> m_threads;
    std::deque<std::uint64_t> m_ended; // runs that have reported
};

} // namespace graphloom

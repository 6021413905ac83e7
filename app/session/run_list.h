// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/results/pass_run.h"
#include "engine/target/target_plugins.h"
#include "engine/worker/run_control.h"

#include <QObject>
#include <QTimer>

namespace graphloom {

/// Runs passes on one model, and lists the runs at work and those that have ended. Each run has a
/// thread, and a process of its own if its pass is a plugin: a plugin that crashes is a failed run.
/// Signals identify runs by their numbers.
class RunList final : public QObject {
    Q_OBJECT

public:
    explicit RunList(QObject *parent = nullptr);
    ~RunList() override;

    /// Sets the list that shows runs as jobs; null for none.
    void setJobs(JobList *jobs) { m_jobs = jobs; }
    /// Sets the timers for passes that time calls on a target, in this process.
    void setTimers(CallTimers timers) { m_timers = std::move(timers); }
    const CallTimers &timers() const { return m_timers; }
    /// Sets the profile database of runs; none for the user's own.
    void setProfile(std::optional<std::filesystem::path> file) { m_profile = std::move(file); }

    using DeviceMaker =
        std::function<Result<PlannedDevice>(const TimingLimits &limits, const CallTimers &timers)>;
    /// Sets what gives a device to plans that have none, on the threads of runs whose passes plan
    /// for it. It gets the timers of these runs.
    void setDevice(DeviceMaker device) { m_device = std::move(device); }

    /// Replaces all runs by runs that have ended, read from a file.
    void restore(std::vector<PassRun> runs);
    /// Holds the controls of a run that is carried out elsewhere.
    struct Guest {
        std::function<void(bool held)> hold;
        std::function<void()> stop;
        std::function<double()> clock; // seconds, without the time on hold
    };
    /// Lists a run that is carried out elsewhere and returns its number. Use change() to update it.
    int list(PassRun run, Guest guest);
    /// Changes a run that was listed with list(), if it is still listed.
    void change(int number, const std::function<void(PassRun &)> &change);
    /// Starts a run on the plan of a snapshot and returns its number.
    int start(RunRequest request, const SnapshotPointer &before, bool followed);
    std::vector<const PassRun *> runs() const;
    /// Returns the run with this number, or null if it is not listed (any more).
    const PassRun *find(int number) const;
    /// Returns the run at work whose plans the views show, or null if there is none.
    const PassRun *followed() const;
    /// Returns the number of runs at work.
    int activeCount() const;

    /// Stops following the run: its result stays in the list.
    void unfollow(int number);
    /// Follows the run, if none is followed: views show its plans, its result becomes the plan.
    void follow(int number);
    void hold(int number, bool held);
    /// Asks the run to stop; what it has found by then is its result. A second call ends it at
    /// once, with what it published last as its result.
    void stop(int number);
    /// Ends the run at once: changed() is emitted, but not finished().
    void abandon(int number);
    /// Removes a run that has ended from the list.
    void remove(int number);
    /// Ends and removes all runs. Returns them, since they may be large, so that the caller can
    /// release them elsewhere.
    std::vector<PassRun> clear();

Q_SIGNALS:
    void added(int number);
    /// Emitted when the state, the progress or the search record of a run has changed.
    void changed(int number);
    void published(int number);
    /// Emitted when a run is done, was stopped, or has failed.
    void finished(int number);
    void removed(int number);
    /// Emitted for a problem that does not end a run.
    void warned(const QString &text);

private:
    struct Entry {
        PassRun run;
        std::shared_ptr<RunControl> control = std::make_shared<RunControl>();
        std::optional<Guest> guest = std::nullopt; // set if the run is carried out elsewhere
        std::function<double()> clock;
        std::unique_ptr<Worker> worker; // last: its thread ends first
    };
    struct Outcome {
        Outcome(Result<Plan> made) : plan(std::move(made)) {}
        /// The outcome of work that has thrown; see Worker::start().
        Outcome(tl::unexpected<Error> error) : plan(std::move(error)) {}

        Result<Plan> plan;
        SnapshotPointer snapshot; // null if the run failed
    };
    Entry *entry(int number);
    Entry &add(PassRun run);
    Context contextOf(const PassRun &run, Worker &worker);
    void finish(int number, Outcome outcome);
    void end(Entry &entry);
    void tick();

    JobList *m_jobs = nullptr;
    CallTimers m_timers = Context().timers;
    std::optional<std::filesystem::path> m_profile;
    DeviceMaker m_device; // empty: plans stay without one
    int m_last = 0;
    QTimer m_clock; // ticks while runs are at work
    std::vector<std::unique_ptr<Entry>> m_entries;
    std::vector<std::unique_ptr<Entry>> m_ended; // removed runs whose threads may still end
};

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/results/pass_run.h"
#include "engine/worker/run_control.h"

#include <QObject>
#include <QTimer>

namespace graphloom {

/// The runs of passes on one model, those at work and those that have ended, side by side. Each
/// has a thread here, and a process of its own where its pass is a plugin: one that crashes is a
/// run that failed. Signals name runs by their numbers.
class RunList final : public QObject {
    Q_OBJECT

public:
    explicit RunList(QObject *parent = nullptr);
    ~RunList() override;

    /// Where runs are listed as work; null: nowhere.
    void setJobs(JobList *jobs) { m_jobs = jobs; }
    /// For passes that time calls on a target, in this process.
    void setTimers(CallTimers timers) { m_timers = std::move(timers); }
    /// The profile database of runs; none: the user's own.
    void setProfile(std::optional<std::filesystem::path> file) { m_profile = std::move(file); }

    /// Puts runs that have ended, from a file, in place of all others.
    void restore(std::vector<PassRun> runs);
    /// What is done elsewhere, and how.
    struct Guest {
        std::function<void(bool held)> hold;
        std::function<void()> stop;
        std::function<double()> clock; // seconds, without those in which it is held
    };
    /// Lists it as a run; its number. What becomes of it is told by change().
    int list(PassRun run, Guest guest);
    /// Changes such a run, if it is still listed.
    void change(int number, const std::function<void(PassRun &)> &change);
    /// Begins a run on the plan of a snapshot; its number.
    int start(RunRequest request, const SnapshotPointer &before, bool followed);
    std::vector<const PassRun *> runs() const;
    /// Null when there is no such run (any more).
    const PassRun *find(int number) const;
    /// Whose plans views show, and which is at work; null: none.
    const PassRun *followed() const;
    /// How many are at work.
    int activeCount() const;

    /// Nobody follows it any more: its result waits in the list.
    void unfollow(int number);
    void hold(int number, bool held);
    /// Asks it to stop; what it has by then is its result. Asked a second time, it is ended, and
    /// what it published last is all there is.
    void stop(int number);
    /// Ends it at once, without a word of what became of it.
    void abandon(int number);
    /// One that has ended leaves the list.
    void remove(int number);
    /// Ends all, and forgets them. What they were may be large: it is given away, to go elsewhere.
    std::vector<PassRun> clear();

Q_SIGNALS:
    void added(int number);
    /// Its state, how far it is, or what its search has done.
    void changed(int number);
    void published(int number);
    /// It is done, stopped, or failed.
    void finished(int number);
    void removed(int number);
    /// What went wrong without being the end.
    void warned(const QString &text);

private:
    struct Entry {
        PassRun run;
        std::shared_ptr<RunControl> control = std::make_shared<RunControl>();
        std::optional<Guest> guest = std::nullopt; // then the control is another
        std::function<double()> clock;
        std::unique_ptr<Worker> worker; // last: its thread ends first
    };
    struct Outcome {
        Result<Plan> plan;
        SnapshotPointer snapshot; // null when it failed
    };
    Entry *entry(int number);
    void finish(int number, Outcome outcome);
    void end(Entry &entry);
    void tick();

    JobList *m_jobs = nullptr;
    CallTimers m_timers = Context().timers;
    std::optional<std::filesystem::path> m_profile;
    int m_last = 0;
    QTimer m_clock; // while runs are at work
    std::vector<std::unique_ptr<Entry>> m_entries;
    std::vector<std::unique_ptr<Entry>> m_ended; // whose threads may still end
};

} // namespace graphloom

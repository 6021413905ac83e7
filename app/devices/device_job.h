// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/results/plan_run.h"
#include "engine/target/target_plugins.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QStringList>

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>

namespace graphloom {

/// Describes work on a device: a plan is tuned for it, if that is wanted, then built, sent there
/// and measured.
struct DeviceJob {
    enum class State {
        Waiting,
        Running,
        Done,
        Stopped, // by the user; what was measured until then counts
        Failed,
    };
    int number = 0;
    std::string device;               // as in DeviceChoice::name
    std::shared_ptr<const Plan> plan; // as it was when the job was added
    QString model;                    // its file, without folder
    RunOptions options;
    std::optional<TuneLimits> tuning; // nothing: the plan is measured as it is
    State state = State::Waiting;
    double fraction = 0; // done, 0 to 1
    QString doing;       // current activity, or why it failed
    QStringList log;     // a line for each activity, with the time of day
    QElapsedTimer began; // invalid until it has begun
    double seconds = 0;  // that it took; 0: it has not ended
    PlanRunPointer run;  // null: nothing was measured yet

    bool isActive() const { return state == State::Waiting || state == State::Running; }
    /// Adds a line to the log.
    void note(const QString &line);
};

QString nameOf(DeviceJob::State state);
/// Returns the work in a word or two: "Measure", "Tune, measure".
QString workOf(const DeviceJob &job);

/// Carries a job out on its device; `progress` gets the fraction done and the current activity. The
/// run is of the tuned plan if the job tunes. `profile` is the database of trials; none: the
/// user's. Fails as tuning and runPlan() do.
Result<PlanRunPointer> carryOut(const DeviceJob &job, const ChosenTarget &target,
                                const std::optional<std::filesystem::path> &profile,
                                std::stop_token stop,
                                const std::function<void(double, std::string_view)> &progress);

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/snapshot/snapshot.h"
#include "engine/pass/pass.h"

#include <QDateTime>

namespace graphloom {

/// A request to run a pass.
struct RunRequest {
    std::shared_ptr<const Pass> pass;
    std::filesystem::path library = {}; // plugin to run in its own process; empty: this one
    Settings settings = {};
    Objective objective = {}; // for passes that use one
    std::uint64_t seed = 0;
    unsigned threads = 0; // 0: one per core
    std::optional<Context::Resume> resume = std::nullopt;
    std::optional<Context::FissionEdit> edit = std::nullopt;
    QString text = {}; // text of the undo step for its result; empty: the name of the pass
};

/// A run of a pass and its progress.
struct PassRun {
    enum class State {
        Running,
        Held,
        Stopping, // was asked to stop, and will soon give what it has
        Done,
        Stopped, // stopped early, with what it had by then
        Failed,
    };

    int number = 0; // from 1, in the order in which runs began
    RunRequest request;
    std::string pass; // its name
    QDateTime began;
    State state = State::Running;
    bool followed = false; // views show its plans, and its result becomes the plan
    double fraction = 0;   // 0 to 1
    QString doing;
    double seconds = 0; // running time; stands still while the run is held
    SnapshotPointer before;
    std::shared_ptr<const SearchRecord> search; // so far; null: no search, or not yet
    std::shared_ptr<const Plan> latest;         // last published plan, or the result; null: none
    SnapshotPointer result;                     // null until it is done or stopped
    std::optional<Error> error;                 // why it failed

    bool isActive() const { return state <= State::Stopping; }
    QString name() const;
    /// Returns what the run does: "searching", "paused", "stopping…".
    QString activity() const;
    /// Returns the settings that differ from their defaults, the objective and the seed: "search
    /// 400 · seed 3".
    QString settings() const;
};

QString nameOf(PassRun::State state);
/// Returns an entry of a pass's summary in words, with the unit that its key names:
/// "peak_bytes_before" is "peak before: 5.74 MiB".
QString summaryText(const SummaryEntry &entry);
/// Returns a sentence on the parts of a plan that a pass has replaced, with the difference: "ago
/// replaced 54 fusion blocks of dnnfusion with 26"; empty if there are none.
QString replacementText(const Plan &before, const Plan &now);
/// Returns the text of a parameter's value: "true", "phone-cpu", "0.5".
QString valueText(const Parameter &parameter, double value);
/// Returns an objective in words: "memory, latency × 1.1 at most". Returns an empty string for the
/// default objective.
QString objectiveText(const Objective &objective);

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/snapshot/snapshot.h"
#include "engine/pass/pass.h"

#include <QDateTime>

namespace graphloom {

/// How a pass is to be run.
struct RunRequest {
    std::shared_ptr<const Pass> pass;
    std::filesystem::path library = {}; // of its plugin, for a process of its own; empty: in this
    Settings settings = {};
    Objective objective = {}; // for passes that use one
    std::uint64_t seed = 0;
    unsigned threads = 0; // 0: one per core
    std::optional<Context::Resume> resume = std::nullopt;
    std::optional<Context::FissionEdit> edit = std::nullopt;
    QString text = {}; // of its result in the undo stack; empty: the name of the pass
};

/// A run of a pass, as far as it has come.
struct PassRun {
    enum class State {
        Running,
        Held,
        Stopping, // was asked to stop, and gives what it has soon
        Done,
        Stopped, // with what it had by then
        Failed,
    };

    int number = 0; // from 1, in the order in which they began
    RunRequest request;
    std::string pass; // its name
    QDateTime began;
    State state = State::Running;
    bool followed = false; // views show its plans, and its result becomes the plan
    double fraction = 0;   // 0 to 1
    QString doing;
    double seconds = 0; // of its clock, which stands still while it is held
    SnapshotPointer before;
    std::shared_ptr<const SearchRecord> search; // so far; null: it does not search, or not yet
    std::shared_ptr<const Plan> latest;         // that it has published, or its result; null: none
    SnapshotPointer result;                     // null until it is done or stopped
    std::optional<Error> error;                 // why it failed

    bool isActive() const { return state <= State::Stopping; }
    QString name() const;
    /// Those that are not as by default, the objective and the seed: "search 400 · seed 3".
    QString settings() const;
};

QString nameOf(PassRun::State state);
/// The name of a parameter's value: "true", "phone-cpu", "0.5".
QString valueText(const Parameter &parameter, double value);
/// "memory, latency × 1.1 at most"; empty for the default one.
QString objectiveText(const Objective &objective);

} // namespace graphloom

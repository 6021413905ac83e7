// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/session/session.h"

#include <QObject>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace graphloom {

class Workbench;

/// Runs passes on the plan, as a form asks for, and steers the runs that are listed.
class PassController final : public QObject {
    Q_OBJECT

public:
    explicit PassController(Workbench &bench);

    /// What is asked for, and which runs of the list are chosen; panels say so.
    struct Choices {
        std::function<std::shared_ptr<const Pass>()> pass = [] { return nullptr; };
        std::function<RunRequest()> request = [] { return RunRequest(); };
        std::function<std::vector<int>()> runs = [] { return std::vector<int>(); };
    };
    Choices choices;

    void run();
    /// Beside what is done now: its result waits in the list of runs.
    void runBeside();
    void take(int number);
    /// Of a pass that is followed, or tuning: what is paused and taken by keys. Null: none.
    const PassRun *steered();
    /// The chosen run of the list that has a plan; null when there is none.
    const PassRun *comparable();
    /// How the pass that made the plan is asked for something else of it; none, and a message,
    /// where it is not known any more.
    std::optional<RunRequest> requestOfMaker();
    /// Makes a plan of the front that is shown the plan: the search that found it has all that it
    /// found, and takes the one with this latency.
    void loadPoint(int front);
    /// Tells which record of a pass the snapshot's plan ends with.
    void showRecord(const SnapshotPointer &snapshot);
    void updateActions();

Q_SIGNALS:
    void started();
    void progress(double fraction, const QString &what);
    void finished();
    /// The last record of the plan that is shown; null: there is none.
    void recordShown(const graphloom::PassRecord *record);
    void runChanged(const graphloom::PassRun &run);
    void runRemoved(int number);
    /// Of the pass that is chosen; without limits where it has none.
    void objectiveChanged(const graphloom::Objective &objective);

private:
    void connectActions();
    void raisePanelOf(const Plan &before);

    Workbench &m_bench;
    std::shared_ptr<const Plan> m_before; // the pass that runs
};

} // namespace graphloom

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

/// Runs passes on the plan as requested by a form, and controls the runs in the list.
class PassController final : public QObject {
    Q_OBJECT

public:
    explicit PassController(Workbench &bench);

    /// Holds functions that return the chosen pass, the request for it, and the chosen runs of the
    /// list; panels provide them.
    struct Choices {
        std::function<std::shared_ptr<const Pass>()> pass = [] { return nullptr; };
        std::function<RunRequest()> request = [] { return RunRequest(); };
        std::function<std::vector<int>()> runs = [] { return std::vector<int>(); };
    };
    Choices choices;

    void run();
    /// Runs the pass in the background: its result stays in the list of runs.
    void runBeside();
    void take(int number);
    /// Returns the run that the keys pause and take: a pass that is followed, or tuning. Returns
    /// null if there is none.
    const PassRun *steered();
    /// Returns the chosen run of the list that has a plan, or null if there is none.
    const PassRun *comparable();
    /// Returns a request to the pass that made the plan, for another plan of its search. Returns
    /// nothing, and shows a message, if the search is not known any more.
    std::optional<RunRequest> requestOfMaker();
    /// Replaces the plan by a plan of the front that is shown: the search that found the front has
    /// all of its plans, and takes the one with this latency.
    void loadPoint(int front);
    /// Emits recordShown() with the last pass record of the snapshot's plan.
    void showRecord(const SnapshotPointer &snapshot);
    void updateActions();

Q_SIGNALS:
    void started();
    void progress(double fraction, const QString &what);
    void finished();
    /// Emitted with the last record of the plan that is shown; null if there is none.
    void recordShown(const graphloom::PassRecord *record);
    void runChanged(const graphloom::PassRun &run);
    void runRemoved(int number);
    /// Emitted with the objective of the chosen pass; it has no limits if the pass has none.
    void objectiveChanged(const graphloom::Objective &objective);

private:
    void connectActions();
    void raisePanelOf(const Plan &before);

    Workbench &m_bench;
    std::shared_ptr<const Plan> m_before; // plan before the running pass
};

} // namespace graphloom

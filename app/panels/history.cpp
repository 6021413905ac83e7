// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/history/history_panel.h"
#include "app/panels/panel.h"
#include "app/widgets/filtered_table.h"
#include "app/workbench/workbench.h"

namespace graphloom {

namespace {

/// Lists the states of the plan, to go to any of them at once.
class HistoryDock final : public Panel {
    Q_DECLARE_TR_FUNCTIONS(HistoryDock)

public:
    explicit HistoryDock(Workbench &bench)
        : Panel({.key = QStringLiteral("history"),
                 .title = tr("History"),
                 .icon = QStringLiteral("undo"),
                 .isHidden = true},
                new HistoryPanel),
          m_bench(bench), m_panel(static_cast<HistoryPanel &>(widget()))
    {
        connect(&bench.session.undoStack(), &QUndoStack::indexChanged, this, &HistoryDock::show);
        connect(&bench.session, &Session::snapshotChanged, this,
                [this](const SnapshotPointer &, Session::Change change) {
                    if (change != Session::Change::Live)
                        show();
                });
        connect(&bench.kernels, &KernelController::runsChanged, this, &HistoryDock::show);
        connect(bench.actions.history, &QAction::triggered, this,
                [this] { Q_EMIT m_bench.panelWanted(facts().key); });
        connect(&m_panel, &HistoryPanel::wanted, this, &HistoryDock::go);
    }

    Hint hint() const override
    {
        return {tr("Lists every pass and edit, with what it changed. Click a state to go there."),
                m_bench.actions.open};
    }
    std::vector<ViewExport> exports() override
    {
        return {{facts().key, tr("Undo history"), &m_panel, {}, tableOf(m_panel.list())}};
    }

private:
    void show()
    {
        m_panel.setRows(
            historyRowsOf(m_bench.session.states(),
                          [this](const Plan &plan) { return m_bench.kernels.runOf(plan); }),
            m_bench.session.undoStack().index());
    }

    void go(int number)
    {
        if (m_bench.mayUndo()) {
            m_bench.session.goTo(number);
            return;
        }
        m_bench.warnNow(tr("The plan cannot go to another state while a task uses it"));
        show(); // the current row is that of the plan
    }

    Workbench &m_bench;
    HistoryPanel &m_panel;
};

} // namespace

PanelPointer panels::history(Workbench &bench)
{
    return std::make_unique<HistoryDock>(bench);
}

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
// How the window runs passes, and shows how far they are.
#include "app/shell/main_window.h"

#include "app/common/format.h"
#include "app/runs/pass_panel.h"
#include "app/runs/run_panel.h"
#include "app/style/icons.h"

namespace graphloom {

void MainWindow::connectRuns()
{
    const Actions &a = *m_actions;
    connect(a.runBeside, &QAction::triggered, this, &MainWindow::runBeside);
    connect(a.goOn, &QAction::triggered, this, [this] { m_session.goOn(m_passes->request()); });
    RunList &runs = m_session.runs();
    connect(a.hold, &QAction::triggered, this, [this, &runs] {
        if (const PassRun *run = steeredRun())
            runs.hold(run->number, run->state == PassRun::State::Running);
    });
    connect(a.take, &QAction::triggered, this, [this, &runs] {
        if (const PassRun *run = runs.followed())
            m_session.take(run->number);
        else if (const PassRun *tuning = m_tuningRun.active())
            runs.stop(tuning->number); // which keeps the best so far
    });
    const auto show = [this, &runs](int number) {
        m_runPanel->set(*runs.find(number));
        updateRunActions();
    };
    for (const auto signal :
         {&RunList::added, &RunList::changed, &RunList::published, &RunList::finished})
        connect(&runs, signal, this, show);
    connect(&runs, &RunList::removed, this, [this](int number) {
        m_runPanel->remove(number);
        updateRunActions();
    });
    connect(m_runPanel, &RunPanel::choiceChanged, this, &MainWindow::updateRunActions);
    const auto take = [this](int number) { m_session.take(number); };
    connect(m_runPanel, &RunPanel::activated, this, take);
    connect(a.takeRun, &QAction::triggered, this, [this, take] {
        if (const auto chosen = m_runPanel->chosen(); !chosen.empty())
            take(chosen.front());
    });
    const auto onChosen = [this](QAction *action, auto act) {
        connect(action, &QAction::triggered, this, [this, act] {
            for (const int number : m_runPanel->chosen())
                act(number);
        });
    };
    onChosen(a.holdRun, [&runs](int number) {
        runs.hold(number, runs.find(number)->state == PassRun::State::Running);
    });
    onChosen(a.stopRun, [&runs](int number) { runs.stop(number); });
    onChosen(a.removeRun, [&runs](int number) { runs.remove(number); });
}

void MainWindow::runBeside()
{
    if (m_passes->pass() && m_session.snapshot())
        m_session.runBeside(m_passes->request());
}

const PassRun *MainWindow::steeredRun()
{
    const PassRun *followed = m_session.runs().followed();
    return followed ? followed : m_tuningRun.active();
}

void MainWindow::updateRunActions()
{
    const Actions &a = *m_actions;
    const bool measuring = m_runner.isRunning() || m_tuner.isRunning();
    const bool idle = m_session.snapshot() && !m_session.isBusy() && !measuring;
    const PassRun *steered = steeredRun();
    const bool held = steered && steered->state == PassRun::State::Held;
    a.runBeside->setEnabled(m_session.snapshot() && !measuring && m_passes->pass());
    a.goOn->setEnabled(idle && m_passes->pass() && m_session.canGoOn(m_passes->pass()->name()));
    a.hold->setEnabled(steered && steered->state != PassRun::State::Stopping);
    a.hold->setText(held ? tr("&Go on") : tr("&Pause"));
    a.hold->setIcon(themedIcon(held ? QStringLiteral("run") : QStringLiteral("pause")));
    a.take->setEnabled(steered && steered->state != PassRun::State::Stopping &&
                       (steered->latest || (steered == m_tuningRun.active() && steered->search)));

    bool canTake = false, canHold = false, canStop = false, canRemove = false;
    for (const int number : m_runPanel->chosen()) {
        const PassRun &run = m_runPanel->model().runAt(m_runPanel->model().rowOfRun(number));
        if (number == m_runPanel->chosen().front())
            canTake = run.latest && (idle || run.followed);
        canHold =
            canHold || run.state == PassRun::State::Running || run.state == PassRun::State::Held;
        canStop = canStop || run.isActive();
        canRemove = canRemove || !run.isActive();
    }
    a.takeRun->setEnabled(canTake);
    a.holdRun->setEnabled(canHold);
    a.stopRun->setEnabled(canStop);
    a.removeRun->setEnabled(canRemove);
    a.compareRun->setEnabled(m_session.snapshot() && !m_session.isBusy() && comparableRun());
}

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/pass_controller.h"

#include "app/style/icons.h"
#include "app/workbench/workbench.h"

#include <algorithm>

namespace graphloom {

PassController::PassController(Workbench &bench) : m_bench(bench)
{
    Session &session = bench.session;
    connect(&session, &Session::passStarted, this, [this] {
        m_before = m_bench.session.snapshot()->plan;
        Q_EMIT started();
        m_bench.updateActions();
    });
    connect(&session, &Session::passProgress, this, &PassController::progress);
    connect(&session, &Session::passFinished, this, [this](bool succeeded) {
        Q_EMIT finished();
        const SnapshotPointer &now = m_bench.session.snapshot();
        if (succeeded && !now->plan->history.empty())
            Q_EMIT recordShown(&now->plan->history.back());
        // Edits and continued searches start in the panel that shows the result.
        const auto runs = m_bench.session.runs().runs();
        const bool isChange = !runs.empty() && runs.back()->request.resume.has_value();
        if (succeeded && !isChange) {
            raisePanelOf(*m_before);
            if (const QString replaced = replacementText(*m_before, *now->plan);
                !replaced.isEmpty())
                m_bench.session.messages().add(
                    MessageModel::Severity::Info, replaced,
                    tr("Compare > Compare with previous plan shows each difference"));
        }
        m_before.reset();
        m_bench.updateActions();
    });
    RunList &runs = session.runs();
    const auto show = [this, &runs](int number) {
        Q_EMIT runChanged(*runs.find(number));
        updateActions();
    };
    for (const auto signal :
         {&RunList::added, &RunList::changed, &RunList::published, &RunList::finished})
        connect(&runs, signal, this, show);
    connect(&runs, &RunList::removed, this, [this](int number) {
        Q_EMIT runRemoved(number);
        updateActions();
    });
    connect(&bench.fissionEdits, &FissionActions::editWanted, this,
            [this](const Context::FissionEdit &edit, const QString &text) {
                if (auto request = requestOfMaker())
                    m_bench.session.editFission(*std::move(request), edit, text);
            });
    connectActions();
}

void PassController::connectActions()
{
    const Actions &a = m_bench.actions;
    RunList &runs = m_bench.session.runs();
    connect(a.run, &QAction::triggered, this, &PassController::run);
    connect(a.runBeside, &QAction::triggered, this, &PassController::runBeside);
    connect(a.goOn, &QAction::triggered, this, [this] { m_bench.session.goOn(choices.request()); });
    connect(a.hold, &QAction::triggered, this, [this, &runs] {
        if (const PassRun *run = steered())
            runs.hold(run->number, run->state == PassRun::State::Running);
    });
    connect(a.take, &QAction::triggered, this, [this, &runs] {
        if (const PassRun *run = runs.followed())
            take(run->number);
        else if (const PassRun *tuning = m_bench.kernels.tuningRun())
            runs.stop(tuning->number); // keeps the best result so far
    });
    connect(a.takeRun, &QAction::triggered, this, [this] {
        if (const auto chosen = choices.runs(); !chosen.empty())
            take(chosen.front());
    });
    const auto onChosen = [this](QAction *action, auto act) {
        connect(action, &QAction::triggered, this, [this, act] {
            for (const int number : choices.runs())
                act(number);
        });
    };
    onChosen(a.holdRun, [&runs](int number) {
        runs.hold(number, runs.find(number)->state == PassRun::State::Running);
    });
    onChosen(a.stopRun, [&runs](int number) { runs.stop(number); });
    onChosen(a.removeRun, [&runs](int number) { runs.remove(number); });
}

void PassController::run()
{
    if (choices.pass() && m_bench.session.snapshot())
        m_bench.session.run(choices.request());
}

void PassController::runBeside()
{
    if (choices.pass() && m_bench.session.snapshot())
        m_bench.session.runBeside(choices.request());
}

void PassController::take(int number)
{
    m_bench.session.take(number);
}

const PassRun *PassController::steered()
{
    const PassRun *followed = m_bench.session.runs().followed();
    return followed ? followed : m_bench.kernels.tuningRun();
}

const PassRun *PassController::comparable()
{
    for (const int number : choices.runs())
        if (const PassRun *run = m_bench.session.runs().find(number);
            run && (run->result || run->latest))
            return run;
    return nullptr;
}

void PassController::showRecord(const SnapshotPointer &snapshot)
{
    Q_EMIT recordShown(
        snapshot && !snapshot->plan->history.empty() ? &snapshot->plan->history.back() : nullptr);
}

/// Raises the panel that shows most of the result of a pass.
void PassController::raisePanelOf(const Plan &before)
{
    const Plan &now = *m_bench.session.snapshot()->plan;
    if (now.memory && now.memory != before.memory)
        Q_EMIT m_bench.panelWanted(QStringLiteral("pareto"));
    else if (now.fusion && now.fusion != before.fusion)
        Q_EMIT m_bench.panelWanted(QStringLiteral("fusion"));
    else if (now.partition)
        Q_EMIT m_bench.panelWanted(QStringLiteral("partition"));
}

std::optional<RunRequest> PassController::requestOfMaker()
{
    Session &session = m_bench.session;
    const SnapshotPointer &snapshot = session.snapshot();
    if (!snapshot || !snapshot->plan->memory || session.isBusy())
        return std::nullopt;
    const PassRecord &record = snapshot->plan->history.back();
    const auto &plugins = m_bench.options.plugins;
    const auto plugin = std::ranges::find_if(plugins, [&](const PassPlugin &one) {
        return one.pass && one.pass->name() == record.pass;
    });
    if (plugin == plugins.end() || !session.canGoOn(record.pass)) {
        m_bench.warn(tr("Cannot change this plan: the state of its search is no longer available. "
                        "Run the pass again"));
        return std::nullopt;
    }
    RunRequest request{.pass = plugin->pass, .library = plugin->file};
    request.settings = Settings(plugin->pass->parameters(), plugin->pass->rules());
    for (const auto &[name, value] : record.settings)
        static_cast<void>(request.settings.set(name, value)); // they were valid before
    request.objective = choices.request().objective;
    return request;
}

void PassController::loadPoint(int front)
{
    constexpr double rounding = 1e-9;
    auto request = requestOfMaker();
    if (!request)
        return;
    const MemoryPlan &memory = *m_bench.session.snapshot()->plan->memory;
    request->objective = {};
    request->objective.mode = Objective::Mode::Memory;
    request->objective.latencyLimit =
        memory.front[std::size_t(front)].ms / memory.referenceMs * (1 + rounding);
    m_bench.session.takeAnother(*std::move(request));
}

void PassController::updateActions()
{
    const Actions &a = m_bench.actions;
    const Session &session = m_bench.session;
    const bool measuring = m_bench.kernels.isRunning();
    const bool idle = session.snapshot() && !session.isBusy() && !measuring;
    const auto pass = choices.pass();
    const PassRun *steered = this->steered(), *tuning = m_bench.kernels.tuningRun();
    const bool held = steered && steered->state == PassRun::State::Held;
    a.run->setEnabled(idle && pass);
    a.runBeside->setEnabled(session.snapshot() && !measuring && pass);
    a.goOn->setEnabled(idle && pass && session.canGoOn(pass->name()));
    a.hold->setEnabled(steered && steered->state != PassRun::State::Stopping);
    a.hold->setText(held ? tr("&Resume") : tr("&Pause"));
    a.hold->setIcon(themedIcon(held ? QStringLiteral("run") : QStringLiteral("pause")));
    a.take->setEnabled(steered && steered->state != PassRun::State::Stopping &&
                       (steered->latest || (steered == tuning && steered->search)));

    bool canTake = false, canHold = false, canStop = false, canRemove = false;
    const std::vector<int> chosen = choices.runs();
    for (const int number : chosen) {
        const PassRun *run = m_bench.session.runs().find(number);
        if (!run)
            continue;
        if (number == chosen.front())
            canTake = run->latest && (idle || run->followed);
        canHold =
            canHold || run->state == PassRun::State::Running || run->state == PassRun::State::Held;
        canStop = canStop || run->isActive();
        canRemove = canRemove || !run->isActive();
    }
    a.takeRun->setEnabled(canTake);
    a.holdRun->setEnabled(canHold);
    a.stopRun->setEnabled(canStop);
    a.removeRun->setEnabled(canRemove);
    a.compareRun->setEnabled(session.snapshot() && !session.isBusy() && comparable());
}

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
// How the window shows what memory a plan takes, and what other plans there are.
#include "app/shell/main_window.h"

#include "app/fission/fission_panel.h"
#include "app/memory/memory_panel.h"
#include "app/pareto/pareto_panel.h"
#include "app/runs/objective_form.h"
#include "app/runs/pass_panel.h"
#include "app/shell/fission_actions.h"
#include "app/status/message_model.h"

#include <algorithm>

namespace graphloom {

void MainWindow::connectMemory()
{
    connect(&m_timelines, &TimelineMaker::ready, m_memory, &MemoryPanel::setTimelines);
    connect(m_memory, &MemoryPanel::activated, this, &MainWindow::activate);
    connect(m_memory, &MemoryPanel::menuRequested, this, &MainWindow::showMenu);
    connect(m_pareto, &ParetoPanel::pointActivated, this, &MainWindow::loadPoint);
    const auto showLimits = [this] {
        const bool used = m_passes->pass() && m_passes->pass()->usesObjective();
        m_pareto->setObjective(used ? m_passes->objective().objective() : Objective());
    };
    connect(m_passes, &PassPanel::passChanged, this, showLimits);
    connect(&m_passes->objective(), &ObjectiveForm::changed, this, showLimits);
    connectFissions();
}

void MainWindow::connectFissions()
{
    FissionActions &edits = *m_fissionEdits;
    connect(m_fissions, &FissionPanel::activated, this, &MainWindow::activate);
    connect(m_fissions, &FissionPanel::menuRequested, this, &MainWindow::showMenu);
    const auto follow = [this] { m_fissionEdits->setFission(m_fissions->fission()); };
    connect(m_fissions, &FissionPanel::fissionChanged, this, follow);
    connect(&edits, &FissionActions::checked, this,
            [this] { m_fissions->edits().setLegality(m_fissionEdits->legality()); });
    connect(&m_fissions->edits(), &EditBar::causeWanted, &edits, &FissionActions::showCause);
    connect(&edits, &FissionActions::refused, this, &MainWindow::showRefusal);
    connect(&edits, &FissionActions::editWanted, this,
            [this](const Context::FissionEdit &edit, const QString &text) {
                if (auto request = requestOfMaker())
                    m_session.editFission(*std::move(request), edit, text);
            });
}

std::optional<RunRequest> MainWindow::requestOfMaker()
{
    const SnapshotPointer &snapshot = m_session.snapshot();
    if (!snapshot || !snapshot->plan->memory || m_session.isBusy())
        return std::nullopt;
    const PassRecord &record = snapshot->plan->history.back();
    const auto plugin = std::ranges::find_if(m_options.plugins, [&](const PassPlugin &one) {
        return one.pass && one.pass->name() == record.pass;
    });
    if (plugin == m_options.plugins.end() || !m_session.canGoOn(record.pass)) {
        m_session.messages().add(
            MessageModel::Severity::Warning,
            tr("This plan cannot be changed so: the search that found it is not known any more. "
               "Run the pass again"));
        return std::nullopt;
    }
    RunRequest request{.pass = plugin->pass, .library = plugin->file};
    request.settings = Settings(plugin->pass->parameters(), plugin->pass->rules());
    for (const auto &[name, value] : record.settings)
        static_cast<void>(request.settings.set(name, value)); // they were valid before
    request.objective = m_passes->request().objective;
    return request;
}

/// The search that found the plan has all that it found: it takes the one with this latency.
void MainWindow::loadPoint(int front)
{
    constexpr double rounding = 1e-9;
    auto request = requestOfMaker();
    if (!request)
        return;
    const MemoryPlan &memory = *m_session.snapshot()->plan->memory;
    request->objective = {};
    request->objective.mode = Objective::Mode::Memory;
    request->objective.latencyLimit =
        memory.front[std::size_t(front)].ms / memory.referenceMs * (1 + rounding);
    m_session.takeAnother(*std::move(request));
}

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
// How the window shows what memory a plan takes, and what other plans there are.
#include "app/window/main_window.h"

#include "app/models/message_model.h"
#include "app/views/memory_panel.h"
#include "app/views/pareto_panel.h"

#include <algorithm>

namespace graphloom {

void MainWindow::connectMemory()
{
    connect(&m_timelines, &TimelineMaker::ready, m_memory, &MemoryPanel::setTimelines);
    connect(m_memory, &MemoryPanel::activated, this, &MainWindow::activate);
    connect(m_memory, &MemoryPanel::menuRequested, this, &MainWindow::showMenu);
    connect(m_pareto, &ParetoPanel::pointActivated, this, &MainWindow::loadPoint);
}

/// The search that found the plan has all that it found: it takes the one with this latency.
void MainWindow::loadPoint(int front)
{
    constexpr double rounding = 1e-9;
    const SnapshotPointer &snapshot = m_session.snapshot();
    if (!snapshot || !snapshot->plan->memory || m_session.isBusy())
        return;
    const Plan &plan = *snapshot->plan;
    const PassRecord &record = plan.history.back();
    const auto plugin = std::ranges::find_if(m_options.plugins, [&](const PassPlugin &one) {
        return one.pass && one.pass->name() == record.pass;
    });
    if (plugin == m_options.plugins.end() || !m_session.canGoOn(record.pass)) {
        m_session.messages().add(
            MessageModel::Severity::Warning,
            tr("This plan cannot be loaded: the search that found it is not known any more. Run "
               "the pass again"));
        return;
    }
    RunRequest request{.pass = plugin->pass, .library = plugin->file};
    request.settings = Settings(plugin->pass->parameters(), plugin->pass->rules());
    for (const auto &[name, value] : record.settings)
        static_cast<void>(request.settings.set(name, value)); // they were valid before
    request.objective.mode = Objective::Mode::Memory;
    request.objective.latencyLimit =
        plan.memory->front[std::size_t(front)].ms / plan.memory->before.ms * (1 + rounding);
    m_session.takeAnother(std::move(request));
}

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
// How the window shows what memory a plan takes, and what other plans there are.
#include "app/window/main_window.h"

#include "app/views/memory_panel.h"
#include "app/views/pareto_panel.h"

namespace graphloom {

void MainWindow::connectMemory()
{
    connect(&m_timelines, &TimelineMaker::ready, m_memory, &MemoryPanel::setTimelines);
    connect(m_memory, &MemoryPanel::activated, this, &MainWindow::activate);
    connect(m_memory, &MemoryPanel::menuRequested, this, &MainWindow::showMenu);
}

} // namespace graphloom

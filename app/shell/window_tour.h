// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/help/tour.h"

#include <QObject>
#include <QRect>

#include <filesystem>
#include <memory>

class QAction;
class QMainWindow;

namespace graphloom {

class GraphArea;
class PanelDocks;
class Workbench;

/// Returns the path of a model that comes with the program.
std::filesystem::path sampleModel();

/// Guides those who see the window for the first time.
class WindowTour final : public QObject {
    Q_OBJECT

public:
    WindowTour(QMainWindow &window, Workbench &bench, GraphArea &area, PanelDocks &docks);

    /// Starts the tour, which shows what the window can do, step by step; shows its note if it is
    /// running already.
    void start();
    /// Starts the tour if it is the first start with these settings.
    void offer();
    /// Returns the tour, or null before it was started.
    Tour *tour() { return m_tour.get(); }

private:
    std::vector<Tour::Step> steps();
    QRect placeOfPanel(const QString &key) const;
    QRect placeOfTool(QAction *action) const;

    QMainWindow &m_window;
    Workbench &m_bench;
    GraphArea &m_area;
    PanelDocks &m_docks;
    std::unique_ptr<Tour> m_tour;
};

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/drawing/drawing_painter.h"
#include "app/export/view_export.h"
#include "app/graph/graph_canvas.h"
#include "app/session/session.h"

#include <QStackedWidget>

#include <map>

class QMenu;
class QTimer;

namespace graphloom {

class CanvasPage;
class WelcomePage;
class Workbench;

/// Shows the graph in the middle of the window, or the welcome page while no model is open.
class GraphArea final : public QStackedWidget {
    Q_OBJECT

public:
    explicit GraphArea(Workbench &bench);

    CanvasPage &page() { return *m_page; }
    WelcomePage &welcome() { return *m_welcome; }
    void setTheme(const std::shared_ptr<const Theme> &theme);
    ViewExport exports();
    /// Tells whether everything that is shown is laid out and painted.
    bool isSettled() const;

Q_SIGNALS:
    void settled();
    /// Emitted when files with data about nodes are to be chosen.
    void dataWanted();

private:
    void connectActions();
    void connectCanvas();
    void connectColours();
    void showPage(const SnapshotPointer &snapshot, Session::Change change);
    void setSnapshot(const SnapshotPointer &shown);
    void showDrawing(const DrawingPointer &drawing, bool fresh);
    void showGrouping(Grouping grouping);
    void colourNodes();
    void listMetrics();
    void activate(const Item &item);
    void openNested();
    void addNestedTo(QMenu &menu, const Item &item);
    void showMenu(const Item &item, const QPoint &globalPlace);
    std::map<std::string, std::string> viewState() const;
    void restoreView(const std::map<std::string, std::string> &saved);

    Workbench &m_bench;
    std::map<GraphPath, GraphCanvas::View> m_views;     // of graphs that are not shown
    std::shared_ptr<const Theme> m_theme, m_shownTheme; // wanted, and on the canvas
    Colouring m_shownColours;
    WelcomePage *m_welcome;
    CanvasPage *m_page;
    QTimer *m_busyPatience;
};

} // namespace graphloom

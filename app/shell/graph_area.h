// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/drawing/drawing_painter.h"
#include "app/export/view_export.h"
#include "app/graph/graph_canvas.h"
#include "app/session/session.h"

#include <QStackedWidget>

#include <map>
#include <memory>

class QMenu;

namespace graphloom {

class CanvasPage;
class SessionView;
class SidesView;
class WelcomePage;
class Workbench;

/// Shows the graph in the middle of the window, or the welcome page while no model is open.
class GraphArea final : public QStackedWidget {
    Q_OBJECT

public:
    explicit GraphArea(Workbench &bench);
    ~GraphArea() override;

    CanvasPage &page() { return *m_page; }
    SidesView &sides() { return *m_sides; }
    WelcomePage &welcome() { return *m_welcome; }
    void setTheme(const std::shared_ptr<const Theme> &theme);
    ViewExport exports();
    /// Returns the rectangle in whose lower right corner toasts cover nothing of use.
    QRect toastPlace() const;
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
    void connectSides();
    Colouring coloursOf(const DrawingPointer &drawing);
    void activateOther(const Item &item);
    void showOtherMenu(const Item &item, const QPoint &globalPlace);
    double canvasAspect() const;
    void fit();
    void colourNodes();
    void listMetrics();
    void activate(const Item &item);
    void openNested();
    void addNestedTo(QMenu &menu, const Item &item);
    void showMenu(const Item &item, const QPoint &globalPlace);

    Workbench &m_bench;
    std::map<GraphPath, DrawingView> m_views;           // of graphs that are not shown
    std::shared_ptr<const Theme> m_theme, m_shownTheme; // wanted, and on the canvas
    WelcomePage *m_welcome;
    CanvasPage *m_page;
    SidesView *m_sides;
    std::unique_ptr<SessionView> m_sessionView;
};

} // namespace graphloom

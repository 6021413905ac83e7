// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/graph/drawing_view.h"
#include "app/snapshot/place.h"

#include <QObject>

#include <map>
#include <string>

class QJsonObject;

namespace graphloom {

class CanvasPage;
class SidesView;
class Workbench;

/// Keeps how a window shows its graph in the session, and shows the graph of an opened session so
/// again: boxes, what is in view, the selection, and the plan beside it.
class SessionView final : public QObject {
    Q_OBJECT

public:
    /// Creates the view of a window's session. `views` holds those of graphs that are not shown,
    /// where that of an opened session waits for its drawing.
    SessionView(Workbench &bench, CanvasPage &page, SidesView &sides,
                std::map<GraphPath, DrawingView> &views);

    /// Returns the window's part of a session.
    std::map<std::string, std::string> state() const;
    void restore(const std::map<std::string, std::string> &saved);

private:
    QJsonObject sidesState() const;
    void restoreSides(const QJsonObject &saved);

    Workbench &m_bench;
    CanvasPage &m_page;
    SidesView &m_sides;
    std::map<GraphPath, DrawingView> &m_views;
};

} // namespace graphloom

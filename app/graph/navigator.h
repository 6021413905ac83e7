// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/snapshot/nested_snapshot.h"
#include "app/snapshot/selection.h"

#include <QObject>

namespace graphloom {

/// Which of the model's graphs is shown: its own, or one nested in a node. It owns the order in
/// which things change: since ids hold within their graph only, nothing is selected while one
/// graph takes the place of another.
class Navigator final : public QObject {
    Q_OBJECT

public:
    explicit Navigator(Selection &selection, QObject *parent = nullptr);

    /// Of the graph that is shown; null without a model.
    const SnapshotPointer &shown() const { return m_shown; }
    bool isInside() const { return m_shown && m_shown->around; }

    /// Another model, or none: its own graph is shown.
    void open(const SnapshotPointer &own);
    /// Another state of the plan. What is shown stays so, or the deepest graph around it that is
    /// still there is shown, and left() is emitted.
    void update(const SnapshotPointer &own);

    /// Shows a graph and selects an item of it.
    void go(const Place &place);
    void goUp();
    void goBack();
    void goForward();
    bool canGoBack() const { return !m_back.empty(); }
    bool canGoForward() const { return !m_forward.empty(); }

Q_SIGNALS:
    /// Another graph, or another state of the same one.
    void shownChanged(const graphloom::SnapshotPointer &shown);
    /// A graph that another state of the plan does not have.
    void left(const QString &title);

private:
    void show(SnapshotPointer next);
    void select(const Item &item);
    void travel(std::vector<Place> &from, std::vector<Place> &to);
    Place here() const { return {m_shown->path, m_selection.item()}; }

    Selection &m_selection;
    SnapshotPointer m_shown;
    std::vector<Place> m_back, m_forward; // the newest last
};

} // namespace graphloom

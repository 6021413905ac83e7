// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/snapshot/nested_snapshot.h"
#include "app/snapshot/selection.h"

#include <QObject>

namespace graphloom {

/// Decides which of the model's graphs is shown: its own, or one nested in a node. It also ensures
/// the order of changes: since ids are valid within their graph only, nothing is selected while one
/// graph replaces another.
class Navigator final : public QObject {
    Q_OBJECT

public:
    explicit Navigator(Selection &selection, QObject *parent = nullptr);

    /// Returns the snapshot of the graph that is shown, or null without a model.
    const SnapshotPointer &shown() const { return m_shown; }
    bool isInside() const { return m_shown && m_shown->around; }

    /// Shows the model's own graph of another model; null: no model.
    void open(const SnapshotPointer &own);
    /// Takes another state of the plan. The same graph stays shown; if it no longer exists, the
    /// deepest remaining graph around it is shown, and left() is emitted.
    void update(const SnapshotPointer &own);

    /// Shows a graph and selects an item of it.
    void go(const Place &place);
    void goUp();
    void goBack();
    void goForward();
    bool canGoBack() const { return !m_back.empty(); }
    bool canGoForward() const { return !m_forward.empty(); }

Q_SIGNALS:
    /// Emitted when another graph, or another state of the same graph, is shown.
    void shownChanged(const graphloom::SnapshotPointer &shown);
    /// Emitted when the graph with this title was left because the new state of the plan lacks it.
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

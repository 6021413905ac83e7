// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/snapshot.h"

#include <QFrame>

class QHBoxLayout;
class QMenu;
class QToolButton;

namespace graphloom {

/// Shows where the graph that is shown is nested: a button for each graph around it, and a menu of
/// the graphs nested in it. Hidden for models without nested graphs.
class Breadcrumbs final : public QFrame {
    Q_OBJECT

public:
    /// Makes the breadcrumbs. `up` is the action of the button at the left.
    explicit Breadcrumbs(QAction *up, QWidget *parent = nullptr);

    /// Sets the snapshot of the graph that is shown. `document` is the title of the model's own
    /// graph.
    void setSnapshot(SnapshotPointer snapshot, const QString &document);
    /// Returns the titles from the model's own graph inwards, with "…" for those that do not fit.
    QStringList titles() const;
    /// Returns the button that opens nestedMenu().
    QToolButton &nestedButton() { return *m_nested; }
    QMenu &nestedMenu() { return *m_menu; }

Q_SIGNALS:
    void chosen(const graphloom::Place &place);
    /// Emitted when the user wants to find a graph that the menu has no room for.
    void findWanted();

private:
    void addCrumb(const QString &title, const Place &place, bool shown);
    void fillMenu();

    SnapshotPointer m_snapshot;
    QHBoxLayout *m_crumbs;
    QToolButton *m_nested;
    QMenu *m_menu;
};

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/snapshot.h"

#include <QFrame>

class QHBoxLayout;
class QMenu;
class QToolButton;

namespace graphloom {

/// Where the graph that is shown lies: a button for each graph around it, and a menu of those
/// nested in it. Hidden for models without nested graphs.
class Breadcrumbs final : public QFrame {
    Q_OBJECT

public:
    /// `up` is the action of the button at the left.
    explicit Breadcrumbs(QAction *up, QWidget *parent = nullptr);

    /// `document` is the title of the model's own graph.
    void setSnapshot(SnapshotPointer snapshot, const QString &document);
    /// The titles from the model's own graph inwards; "…" for those there is no room for.
    QStringList titles() const;
    /// Opens nestedMenu().
    QToolButton &nestedButton() { return *m_nested; }
    QMenu &nestedMenu() { return *m_menu; }

Q_SIGNALS:
    void chosen(const graphloom::Place &place);

private:
    void addCrumb(const QString &title, const Place &place, bool shown);
    void fillMenu();

    SnapshotPointer m_snapshot;
    QHBoxLayout *m_crumbs;
    QToolButton *m_nested;
    QMenu *m_menu;
};

} // namespace graphloom

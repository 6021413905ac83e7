// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/snapshot/snapshot.h"

#include <QObject>

namespace graphloom {

class Workbench;

/// Decides what is drawn of the graph: boxes around groups, which of them are expanded, and the
/// neighbourhood of the selection.
class ViewController final : public QObject {
    Q_OBJECT

public:
    explicit ViewController(Workbench &bench);

    /// Returns the kind of groups that boxes are drawn around, which may differ from the chosen
    /// one.
    Grouping drawn() const;
    void choose(Grouping grouping);
    /// Chooses the next of blocks, subgraphs, modules, regions and none, in a cycle without those
    /// that the plan lacks.
    void chooseNext();
    /// Updates menus and views to the grouping that is drawn.
    void showGrouping();
    /// Collapses or expands a group if boxes are drawn around groups of its kind.
    bool toggle(const Item &group);
    void updateActions();

Q_SIGNALS:
    void groupingShown(graphloom::Grouping grouping);

private:
    void focusOn(bool between);
    void changeSteps(int by);

    Workbench &m_bench;
};

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/snapshot/snapshot.h"

#include <QObject>

namespace graphloom {

class Workbench;

/// Decides what of the graph is drawn: boxes around groups, which of them are open, and the
/// neighbourhood of the selection.
class ViewController final : public QObject {
    Q_OBJECT

public:
    explicit ViewController(Workbench &bench);

    /// What boxes are drawn around, which need not be what was chosen.
    Grouping drawn() const;
    void choose(Grouping grouping);
    /// Blocks, subgraphs, modules, regions, none, and around again; without what the plan lacks.
    void chooseNext();
    /// Menus and views follow what is drawn.
    void showGrouping();
    /// Opens or closes a group if boxes are drawn around groups of its kind.
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

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/metrics/own_table.h"
#include "app/nodes/hierarchy_model.h"
#include "app/snapshot/selection.h"
#include "app/widgets/hinted_panel.h"

#include <QTimer>

class QLineEdit;
class QTreeView;

namespace graphloom {

/// Shows modules, blocks, subgraphs and regions as trees with the nodes as leaves, tied to the
/// selection. The check boxes of groups collapse and expand them on the canvas.
class HierarchyPanel final : public HintedPanel {
    Q_OBJECT

public:
    explicit HierarchyPanel(Selection &selection, QWidget *parent = nullptr);

    /// Sets the user data whose columns the filter can ask for; null: none.
    void setOwnData(OwnTablePointer own)
    {
        m_own = std::move(own);
        filter();
    }
    void setSnapshot(SnapshotPointer snapshot);
    /// Sets the grouping that is drawn. A selected node is shown in its section.
    void setGrouping(Grouping grouping);
    void setCollapsed(const std::set<Item> &collapsed);

    HierarchyModel &model() { return m_model; }
    QTreeView &tree() { return *m_tree; }
    QLineEdit &filterEdit() { return *m_edit; }

Q_SIGNALS:
    void activated(const graphloom::Item &item); // double click, Enter
    void menuRequested(const graphloom::Item &item, const QPoint &globalPlace);
    void collapseWanted(const graphloom::Item &group, bool collapsed);

protected:
    void changeEvent(QEvent *event) override;

private:
    void fitFigures();
    void filter();
    void showSelection();
    void selectRows();
    void openSection();

    Selection &m_selection;
    OwnTablePointer m_own;
    HierarchyModel m_model;
    QTreeView *m_tree = nullptr;
    QLineEdit *m_edit;
    QTimer m_patience; // delays filtering while the user types
    Grouping m_grouping = Grouping::None;
    bool m_following = false; // the tree follows the selection, not the other way
};

} // namespace graphloom

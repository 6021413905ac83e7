// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/metrics/own_table.h"
#include "app/properties/property_model.h"
#include "app/snapshot/selection.h"
#include "app/widgets/hinted_panel.h"

class QTreeView;

namespace graphloom {

/// Everything about the selected item.
class PropertiesPanel final : public HintedPanel {
    Q_OBJECT

public:
    explicit PropertiesPanel(Selection &selection, QWidget *parent = nullptr);

    void setSnapshot(SnapshotPointer snapshot);
    /// Data of the user's own about nodes, and what nodes are coloured by; null: none.
    void setData(OwnTablePointer own, MetricPointer metric);
    PropertyModel &model() { return m_model; }
    QTreeView &tree() { return *m_tree; }

Q_SIGNALS:
    /// A value that leads somewhere was clicked, or chosen by Enter.
    void linkActivated(const graphloom::Place &place);

private:
    void refresh();
    void copyCurrent();
    void follow(const QModelIndex &index);

    Selection &m_selection;
    SnapshotPointer m_snapshot;
    OwnTablePointer m_own;
    MetricPointer m_metric;
    PropertyModel m_model;
    QTreeView *m_tree;
};

} // namespace graphloom

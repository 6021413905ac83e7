// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/metrics/own_table.h"
#include "app/properties/property_model.h"
#include "app/snapshot/selection.h"
#include "app/widgets/hinted_panel.h"

class QTreeView;

namespace graphloom {

/// Shows the properties of the selected item.
class PropertiesPanel final : public HintedPanel {
    Q_OBJECT

public:
    explicit PropertiesPanel(Selection &selection, QWidget *parent = nullptr);

    void setSnapshot(SnapshotPointer snapshot);
    /// Sets the user data about nodes, and the metric that nodes are coloured by; null: none.
    void setData(OwnTablePointer own, MetricPointer metric);
    PropertyModel &model() { return m_model; }
    QTreeView &tree() { return *m_tree; }

Q_SIGNALS:
    /// Emitted when a value that is a link was clicked, or chosen with Enter.
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

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/models/property_model.h"
#include "app/models/selection.h"
#include "app/views/hinted_panel.h"

class QTreeView;

namespace graphloom {

/// Everything about the selected item.
class PropertiesPanel final : public HintedPanel {
    Q_OBJECT

public:
    explicit PropertiesPanel(Selection &selection, QWidget *parent = nullptr);

    void setSnapshot(SnapshotPointer snapshot);
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
    PropertyModel m_model;
    QTreeView *m_tree;
};

} // namespace graphloom

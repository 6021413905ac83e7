// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/models/node_model.h"
#include "app/models/selection.h"
#include "app/views/hinted_panel.h"
#include "app/views/theme.h"

#include <memory>

class QLineEdit;
class QTableView;

namespace graphloom {

class SelectionLink;

/// All nodes in a table that can be filtered and sorted: the accessible twin of the canvas.
class NodeListPanel final : public HintedPanel {
    Q_OBJECT

public:
    explicit NodeListPanel(Selection &selection, QWidget *parent = nullptr);

    void setSnapshot(SnapshotPointer snapshot);
    void setTheme(std::shared_ptr<const Theme> theme);

    NodeModel &model() { return m_model; }
    NodeFilter &filter() { return m_filter; }
    QTableView &table() { return *m_table; }
    QLineEdit &filterEdit() { return *m_edit; }

Q_SIGNALS:
    void activated(const graphloom::Item &item);
    void menuRequested(const graphloom::Item &item, const QPoint &globalPlace);

private:
    Selection &m_selection;
    NodeModel m_model;
    NodeFilter m_filter;
    QLineEdit *m_edit;
    QTableView *m_table;
    SelectionLink *m_link;
    class ClassDelegate;
    ClassDelegate *m_delegate;
};

} // namespace graphloom

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
    void filterBy(const QString &text);
    void showSelection(const Item &item);
    void selectCurrent();

    Selection &m_selection;
    NodeModel m_model;
    NodeFilter m_filter;
    QLineEdit *m_edit;
    QTableView *m_table;
    class ClassDelegate;
    ClassDelegate *m_delegate;
    bool m_following = false; // the table follows the selection, not the other way
};

} // namespace graphloom

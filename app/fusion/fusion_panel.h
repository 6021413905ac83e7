// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/fusion/fusion_model.h"
#include "app/snapshot/selection.h"
#include "app/style/theme.h"
#include "app/widgets/edit_bar.h"
#include "app/widgets/filtered_table.h"
#include "app/widgets/hinted_panel.h"

class QLabel;

namespace graphloom {

class ChipDelegate;

/// Shows the fusion blocks as a table above a line of statistics, as in DNNFusion's Table 5. The
/// table and the selection follow each other.
class FusionPanel final : public HintedPanel {
    Q_OBJECT

public:
    explicit FusionPanel(Selection &selection, QWidget *parent = nullptr);

    void setSnapshot(SnapshotPointer snapshot);
    EditBar &edits() { return *m_edits; }
    void setTheme(std::shared_ptr<const Theme> theme);

    FusionModel &model() { return m_model; }
    TableFilter &filter() { return m_list->filter(); }
    QTableView &table() { return m_list->table(); }
    FilteredTable &list() { return *m_list; }
    QLineEdit &filterEdit() { return m_list->edit(); }
    QString statisticsText() const;

Q_SIGNALS:
    void activated(const graphloom::Item &item);
    void menuRequested(const graphloom::Item &item, const QPoint &globalPlace);

private:
    FusionModel m_model;
    QLabel *m_statistics;
    EditBar *m_edits;
    FilteredTable *m_list;
    ChipDelegate *m_chips;
};

} // namespace graphloom

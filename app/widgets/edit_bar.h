// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

#include <vector>

class QAction;

namespace graphloom {

class FilteredTable;

/// Buttons of edits in front of a table's filter, and a line that says which of them the selection
/// allows. Reasons in it are links to their causes.
class EditBar final : public QLabel {
    Q_OBJECT

public:
    explicit EditBar(FilteredTable &table);

    void setActions(const std::vector<QAction *> &actions);
    /// Rich text; links are numbers of actions.
    void setLegality(const QString &text);

Q_SIGNALS:
    void causeWanted(int action);

private:
    FilteredTable &m_table;
};

} // namespace graphloom

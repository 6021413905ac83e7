// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

#include <vector>

class QAction;

namespace graphloom {

class FilteredTable;

/// Shows buttons for edits in front of a table's filter, and a line that says which of them the
/// selection allows. Reasons in that line are links to their causes.
class EditBar final : public QLabel {
    Q_OBJECT

public:
    explicit EditBar(FilteredTable &table);

    void setActions(const std::vector<QAction *> &actions);
    /// Sets the line of text, which is rich text. The targets of its links are the numbers of
    /// actions.
    void setLegality(const QString &text);

Q_SIGNALS:
    void causeWanted(int action);

protected:
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void elide();

    FilteredTable &m_table;
    QString m_legality;
};

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/query/query.h"

#include <QLineEdit>

class QCompleter;
class QStringListModel;
class QToolButton;

namespace graphloom {

/// A line edit for a query. It completes keys and the values that occur in the graph, shows what is
/// wrong with the query, and explains the syntax.
class QueryEdit final : public QLineEdit {
    Q_OBJECT

public:
    explicit QueryEdit(QWidget *parent = nullptr);

    /// Sets the snapshot of the graph that is shown; null for none.
    void setSnapshot(SnapshotPointer snapshot) { m_snapshot = std::move(snapshot); }
    /// Sets the user data whose columns queries can ask for; null: none.
    void setOwnData(OwnTablePointer own);
    const Query &query() const { return m_query; }
    /// Returns the problem of the query with its position, or an empty string.
    QString problem() const;
    /// Returns a new button that shows the syntax of queries.
    QToolButton *helpButton(QWidget *parent = nullptr) const;
    /// Returns what could be typed at the cursor.
    QStringList completions() const;
    QCompleter &completer() { return *m_completer; }

Q_SIGNALS:
    /// Emitted when the text has changed. `problem` is empty if the text can be parsed.
    void problemChanged(const QString &problem);

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    void parse();
    void complete();
    void insert(const QString &completion);
    qsizetype tokenStart() const;

    SnapshotPointer m_snapshot;
    OwnTablePointer m_own;
    Query m_query;
    QCompleter *m_completer;
    QStringListModel *m_choices;
};

} // namespace graphloom

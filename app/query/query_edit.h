// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/query/query.h"

#include <QLineEdit>

class QCompleter;
class QStringListModel;
class QToolButton;

namespace graphloom {

/// A line to type a query into: completes keys and the values that the graph has, says what is
/// wrong with it, and how queries are written.
class QueryEdit final : public QLineEdit {
    Q_OBJECT

public:
    explicit QueryEdit(QWidget *parent = nullptr);

    /// Of the graph that is shown; null for none.
    void setSnapshot(SnapshotPointer snapshot) { m_snapshot = std::move(snapshot); }
    /// Columns of the user's own that can be asked for; null: none.
    void setOwnData(OwnTablePointer own);
    const Query &query() const { return m_query; }
    /// What is wrong, with the place; empty: nothing.
    QString problem() const;
    /// A button that shows how queries are written.
    QToolButton *helpButton(QWidget *parent = nullptr) const;
    /// What could be typed where the cursor is.
    QStringList completions() const;
    QCompleter &completer() { return *m_completer; }

Q_SIGNALS:
    /// Of the text as it is now; empty: it can be understood.
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

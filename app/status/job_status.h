// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/job_list.h"

#include <QFrame>
#include <QPointer>

class QLabel;
class QProgressBar;
class QTableView;
class QToolButton;

namespace graphloom {

/// Lists all background jobs with their progress, in a table that can also stop them. It floats
/// over its parent; Escape or a click elsewhere closes it.
class JobPopup final : public QFrame {
    Q_OBJECT

public:
    JobPopup(JobList &jobs, QWidget *parent);

    /// Opens the popup with its lower right corner at a place in the parent.
    void open(const QPoint &corner);
    QTableView &table() { return *m_table; }
    QToolButton &stopButton() { return *m_stop; }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void refresh();
    void dismiss();
    int currentRow() const;

    JobList &m_jobs;
    TableFilter m_sorted;
    QTableView *m_table;
    QLabel *m_nothing;
    QToolButton *m_stop;
    QPointer<QWidget> m_before; // widget that had the focus before
};

/// Shows background work in the status bar: the newest job that takes a while, its progress, a
/// button that stops it, and a button that lists all jobs.
class JobStatus final : public QWidget {
    Q_OBJECT

public:
    /// Makes the status. The list floats over `popupParent`.
    JobStatus(JobList &jobs, QWidget &popupParent);

    /// Sets the text that is shown while there are no jobs.
    void setIdleText(const QString &text);
    void openList();
    JobPopup &popup() { return *m_popup; }

private:
    void refresh();
    const JobList::Job *shown() const;

    JobList &m_jobs;
    QWidget &m_popupParent;
    JobPopup *m_popup;
    QLabel *m_text;
    QProgressBar *m_bar;
    QToolButton *m_cancel, *m_list;
    QString m_idle;
};

} // namespace graphloom

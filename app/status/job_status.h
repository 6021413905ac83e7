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

/// All that goes on in the background: a table with how far it is, and what stops it. Floats over
/// its parent; Escape or a click elsewhere closes it.
class JobPopup final : public QFrame {
    Q_OBJECT

public:
    JobPopup(JobList &jobs, QWidget *parent);

    /// With its lower right corner at a place in the parent.
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
    QPointer<QWidget> m_before; // had the focus
};

/// The part of the status bar that tells of background work: the newest job that takes a while, how
/// far it is, what stops it, and a button that lists all.
class JobStatus final : public QWidget {
    Q_OBJECT

public:
    /// `popupParent`: what the list floats over.
    JobStatus(JobList &jobs, QWidget &popupParent);

    /// What is said while nothing goes on.
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

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

/// Lists all background jobs with their progress, in a table that can also stop them. It lies over
/// its parent, within the window, and neither grabs input nor keeps the focus: the end of the last
/// job, Escape, a click elsewhere and a change to another window close it.
class JobPopup final : public QFrame {
    Q_OBJECT

public:
    JobPopup(JobList &jobs, QWidget *parent);

    /// Opens the popup with its lower right corner at that of a widget, or closes it if it is open.
    void toggle(const QWidget &anchor);
    /// Sets the button that toggles the popup: its clicks are not clicks elsewhere.
    void setButton(const QWidget *button) { m_button = button; }
    QTableView &table() { return *m_table; }
    QToolButton &stopButton() { return *m_stop; }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void hideEvent(QHideEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;

private:
    void refresh();
    void place();
    void dismiss();
    bool takeKey(const QWidget &to, QEvent &event);
    int currentRow() const;

    JobList &m_jobs;
    TableFilter m_sorted;
    QTableView *m_table;
    QLabel *m_nothing;
    QToolButton *m_stop;
    QPointer<QWidget> m_before; // widget that had the focus before
    QPointer<const QWidget> m_anchor, m_button;
    bool m_hadJobs = false; // since it was opened
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
    JobPopup *m_popup;
    QLabel *m_text;
    QProgressBar *m_bar;
    QToolButton *m_cancel, *m_list;
    QString m_idle;
    int m_shown = 0; // number of the task that is shown; 0: none
};

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include <QObject>

class QLabel;
class QMainWindow;

namespace graphloom {

class JobStatus;
class Workbench;

/// Shows the graph and the background work in the status bar.
class StatusLine final : public QObject {
    Q_OBJECT

public:
    StatusLine(QMainWindow &window, Workbench &bench);

    void update();

private:
    Workbench &m_bench;
    QLabel *m_model, *m_nodes, *m_cost, *m_plan;
    JobStatus *m_work;
};

} // namespace graphloom

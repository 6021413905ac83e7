// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/devices/device_model.h"
#include "app/devices/device_queue.h"
#include "app/devices/run_history.h"
#include "app/widgets/filtered_table.h"

class QLabel;
class QPlainTextEdit;
class QTabWidget;
class QToolButton;

namespace graphloom {

/// Shows the devices with what they have and lack, the jobs on them with their logs, and the
/// history of what was measured.
class DevicePanel final : public QWidget {
    Q_OBJECT

public:
    DevicePanel(DeviceController &devices, DeviceQueue &queue, RunHistory &history,
                QWidget *parent = nullptr);

    enum class Tab { Devices, Jobs, History };
    void show(Tab tab);
    /// Sets whether there is a plan that could be measured.
    void setPossible(bool possible);
    /// Returns the names of the selected devices, in the order of the table.
    std::vector<std::string> selected() const;
    void choose(const std::string &device);
    /// Returns the number of the selected job; 0: none is selected.
    int selectedJob() const;

    DeviceModel &model() { return m_model; }
    FilteredTable &devices() { return *m_devices; }
    FilteredTable &jobs() { return *m_jobs; }
    FilteredTable &history() { return *m_history; }
    QString facts() const;
    QString log() const;

Q_SIGNALS:
    /// Emitted to measure the plan on the selected devices, after tuning it for each if `tunes`.
    void measureWanted(bool tunes);
    /// Emitted with the number of a job whose plan and device are to become the current ones.
    void jobActivated(int number);

protected:
    void showEvent(QShowEvent *event) override;

private:
    QWidget *makeDevices();
    QWidget *makeJobs();
    void connectDevices();
    void connectJobs();
    void refreshDevices();
    void refreshJobs();
    const DeviceChoice *current() const;
    void addDevice();
    void testConnection();
    void showSteps(const std::string &device, const std::vector<Finding> &findings);

    DeviceController &m_controller;
    DeviceQueue &m_queue;
    RunHistory &m_runs;
    DeviceModel m_model;
    FilteredTable *m_devices, *m_jobs, *m_history;
    QTabWidget *m_tabs;
    QLabel *m_facts;
    QPlainTextEdit *m_log;
    QToolButton *m_plan, *m_measure, *m_tune, *m_test, *m_add, *m_remove;
    QToolButton *m_stop, *m_retry, *m_load, *m_forget;
    bool m_isPossible = false, m_wasShown = false;
    int m_loggedJob = 0; // whose log is shown
    qsizetype m_loggedLines = 0;
};

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/devices/device_panel.h"

#include "app/common/format.h"
#include "app/device/add_device_dialog.h"
#include "app/widgets/hinted_panel.h"
#include "app/widgets/panel_layout.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QPointer>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace graphloom {

namespace {

using State = DeviceChoice::State;

constexpr int tableShare = 3, textShare = 2; // of a tab, in proportion

/// Returns a table above or beside a text about its selected row.
QSplitter *besideText(QWidget *table, QWidget *text)
{
    auto *split = new QSplitter;
    split->addWidget(table);
    split->addWidget(text);
    split->setStretchFactor(0, tableShare);
    split->setStretchFactor(1, textShare);
    split->setChildrenCollapsible(false);
    return split;
}

QWidget *withBar(QHBoxLayout *&row, QWidget *content)
{
    auto *tab = new QWidget, *bar = new QWidget;
    QVBoxLayout *column = makeColumn(*tab);
    row = makeToolRow(*bar);
    column->addWidget(bar);
    column->addWidget(content, 1);
    return tab;
}

bool isUsable(const DeviceChoice &choice)
{
    return choice.target && choice.state != State::Missing && choice.state != State::Unusable;
}

} // namespace

DevicePanel::DevicePanel(DeviceController &devices, DeviceQueue &queue, RunHistory &history,
                         QWidget *parent)
    : QWidget(parent), m_controller(devices), m_queue(queue), m_runs(history), m_model(devices),
      m_tabs(new QTabWidget)
{
    m_tabs->setDocumentMode(true);
    m_tabs->setObjectName(QStringLiteral("deviceTabs"));
    m_tabs->addTab(makeDevices(), tr("Devices"));
    m_tabs->addTab(makeJobs(), tr("Jobs"));
    m_history = new FilteredTable(m_runs, {tr("Measurements"), tr("Filter measurements"),
                                           tr("Filter by device, model or plan"),
                                           QStringLiteral("historyTable")});
    m_history->makeCopyable(QStringLiteral("copyHistory"));
    m_history->table().sortByColumn(RunHistory::When, Qt::DescendingOrder); // the newest on top
    m_tabs->addTab(m_history, tr("History"));
    m_tabs->setTabToolTip(0, tr("Devices that plans can be made for, and what they lack"));
    m_tabs->setTabToolTip(1, tr("Plans that are built, sent to devices and measured there"));
    m_tabs->setTabToolTip(2, tr("What plans took on devices, today and before"));
    makeColumn(*this)->addWidget(m_tabs);
    connectDevices();
    connectJobs();
    refreshDevices();
    refreshJobs();
}

QWidget *DevicePanel::makeDevices()
{
    m_devices =
        new FilteredTable(m_model, {tr("Devices"), tr("Filter devices"),
                                    tr("Filter by name or state"), QStringLiteral("deviceTable")});
    m_devices->makeCopyable(QStringLiteral("copyDevices"));
    m_facts = statisticsLabel();
    m_facts->setObjectName(QStringLiteral("deviceFacts"));
    m_facts->setWordWrap(true);
    m_facts->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    QHBoxLayout *row = nullptr;
    QWidget *tab = withBar(row, besideText(m_devices, m_facts));
    QToolButton *look = addTool(*row, "lookAgain", tr("Look again"),
                                tr("Ask the targets for their devices, compilers and drivers"));
    connect(look, &QToolButton::clicked, &m_controller, &DeviceController::look);
    m_plan = addTool(*row, "planForDevice", tr("Plan for it"),
                     tr("Let passes plan for the selected device"));
    m_measure = addTool(*row, "measureOnDevices", tr("Measure"),
                        tr("Build the plan for the selected devices, send it there and measure "
                           "it, one device after the other"));
    m_tune = addTool(*row, "tuneForDevices", tr("Tune and measure"),
                     tr("Tune the plan's kernels for the selected devices first, within the limits "
                        "of the panel Kernels"));
    row->addSpacing(10);
    m_add = addTool(*row, "addBoard", tr("Add board or phone…"),
                    tr("Add a device that is reached by SSH or ADB"));
    m_test = addTool(*row, "testDevice", tr("Test connection"),
                     tr("Test each step of the connection to the selected device"));
    m_remove = addTool(*row, "removeDevice", tr("Remove"),
                       tr("Remove the selected board or phone from the list"));
    row->addStretch(1);
    return tab;
}

QWidget *DevicePanel::makeJobs()
{
    m_jobs = new FilteredTable(m_queue, {tr("Jobs on devices"), tr("Filter jobs"),
                                         tr("Filter by device, plan or state"),
                                         QStringLiteral("deviceJobs")});
    m_jobs->makeCopyable(QStringLiteral("copyJobs"));
    m_log = new QPlainTextEdit;
    m_log->setReadOnly(true);
    m_log->setObjectName(QStringLiteral("jobLog"));
    m_log->setAccessibleName(tr("Log of the selected job"));
    m_log->setPlaceholderText(tr("Select a job to see its log."));
    QHBoxLayout *row = nullptr;
    QWidget *tab = withBar(row, besideText(m_jobs, m_log));
    m_stop = addTool(*row, "stopJob", tr("Stop"),
                     tr("Stop the selected job; what was measured until now counts"));
    m_retry = addTool(*row, "retryJob", tr("Retry"), tr("Carry the selected job out again"));
    m_load = addTool(*row, "loadJob", tr("Apply plan"),
                     tr("Make the measured plan and its device the current ones (Enter)"));
    m_forget = addTool(*row, "removeJobs", tr("Remove ended"),
                       tr("Remove all jobs that have ended; their measurements stay"));
    row->addStretch(1);
    return tab;
}

void DevicePanel::connectDevices()
{
    connect(m_devices->table().selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &DevicePanel::refreshDevices);
    for (const auto signal : {&DeviceController::stateKnown, &DeviceController::choicesChanged,
                              &DeviceController::changed})
        connect(&m_controller, signal, this, &DevicePanel::refreshDevices);
    connect(&m_devices->table(), &QTableView::activated, m_plan, &QToolButton::click);
    connect(m_plan, &QToolButton::clicked, this, [this] {
        if (const DeviceChoice *choice = current())
            m_controller.choose(std::string(choice->name)); // the list changes meanwhile
    });
    connect(m_measure, &QToolButton::clicked, this, [this] { Q_EMIT measureWanted(false); });
    connect(m_tune, &QToolButton::clicked, this, [this] { Q_EMIT measureWanted(true); });
    connect(m_add, &QToolButton::clicked, this, &DevicePanel::addDevice);
    connect(m_test, &QToolButton::clicked, this, &DevicePanel::testConnection);
    connect(m_remove, &QToolButton::clicked, this, [this] {
        if (const DeviceChoice *choice = current())
            m_controller.remove(std::string(choice->name));
    });
}

void DevicePanel::connectJobs()
{
    connect(m_jobs->table().selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &DevicePanel::refreshJobs);
    connect(&m_queue, &DeviceQueue::changed, this, &DevicePanel::refreshJobs);
    connect(&m_queue, &DeviceQueue::rowsInserted, this, [this](const QModelIndex &, int row) {
        m_jobs->choose(row);
        refreshJobs();
    });
    connect(&m_queue, &DeviceQueue::jobChanged, this, [this](int number) {
        if (number == selectedJob())
            refreshJobs();
    });
    connect(&m_jobs->table(), &QTableView::activated, m_load, &QToolButton::click);
    connect(m_stop, &QToolButton::clicked, this, [this] { m_queue.stop(selectedJob()); });
    connect(m_retry, &QToolButton::clicked, this, [this] { m_queue.retry(selectedJob()); });
    connect(m_load, &QToolButton::clicked, this, [this] { Q_EMIT jobActivated(selectedJob()); });
    connect(m_forget, &QToolButton::clicked, &m_queue, &DeviceQueue::removeEnded);
}

void DevicePanel::show(Tab tab)
{
    m_tabs->setCurrentIndex(int(tab));
}

void DevicePanel::setPossible(bool possible)
{
    m_isPossible = possible;
    refreshDevices();
    refreshJobs();
}

std::vector<std::string> DevicePanel::selected() const
{
    std::vector<std::string> names;
    for (const QModelIndex &index : m_devices->table().selectionModel()->selectedRows())
        names.push_back(m_model.at(m_devices->rowAt(index)).name);
    return names;
}

void DevicePanel::choose(const std::string &device)
{
    if (const int row = m_model.rowOfDevice(device); row >= 0)
        m_devices->choose(row);
}

const DeviceChoice *DevicePanel::current() const
{
    const int row = m_devices->currentRow();
    return row < 0 || row >= m_model.rowCount() ? nullptr : &m_model.at(row);
}

int DevicePanel::selectedJob() const
{
    const int row = m_jobs->currentRow();
    return row < 0 || row >= m_queue.rowCount() ? 0 : m_queue.at(row).number;
}

QString DevicePanel::facts() const
{
    return m_facts->text();
}

QString DevicePanel::log() const
{
    return m_log->toPlainText();
}

void DevicePanel::refreshDevices()
{
    const DeviceChoice *choice = current();
    m_facts->setText(choice ? factsOf(*choice, m_controller)
                            : tr("Select a device to see what its target has and lacks."));
    m_plan->setEnabled(m_isPossible && choice && choice->name != m_controller.current() &&
                       choice->state != State::Missing && choice->state != State::Unusable);
    const std::vector<std::string> names = selected();
    const bool areUsable =
        !names.empty() && std::ranges::all_of(names, [&](const std::string &name) {
            const int row = m_model.rowOfDevice(name);
            return row >= 0 && isUsable(m_model.at(row));
        });
    m_measure->setEnabled(m_isPossible && areUsable);
    m_tune->setEnabled(m_isPossible && areUsable);
    m_add->setEnabled(!m_controller.connectable().empty());
    m_test->setEnabled(choice && choice->isAdded);
    m_remove->setEnabled(choice && choice->isAdded);
}

void DevicePanel::refreshJobs()
{
    const int row = m_queue.rowOfJob(selectedJob());
    const DeviceJob *job = row < 0 ? nullptr : &m_queue.at(row);
    m_stop->setEnabled(job && job->isActive());
    m_retry->setEnabled(job && !job->isActive());
    m_load->setEnabled(job && job->run && m_isPossible);
    m_forget->setEnabled(
        std::ranges::any_of(m_queue.jobs(), [](const DeviceJob &of) { return !of.isActive(); }));
    const auto active = std::ranges::count_if(m_queue.jobs(), &DeviceJob::isActive);
    m_tabs->setTabText(int(Tab::Jobs), active > 0 ? tr("Jobs (%1)").arg(active) : tr("Jobs"));
    // Only what is new is added, so that the text keeps its place while somebody reads it.
    const int number = job ? job->number : 0;
    if (number != m_loggedJob || (job && job->log.size() < m_loggedLines)) {
        m_log->clear();
        m_loggedLines = 0;
    }
    m_loggedJob = number;
    for (; job && m_loggedLines < job->log.size(); ++m_loggedLines)
        m_log->appendPlainText(job->log[m_loggedLines]);
}

void DevicePanel::addDevice()
{
    auto *dialog = new AddDeviceDialog(m_controller, window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void DevicePanel::testConnection()
{
    const DeviceChoice *choice = current();
    if (!choice)
        return;
    m_facts->setText(tr("Testing the connection to %1…").arg(fromUtf8(choice->name)));
    m_controller.checkConnection(choice->name, [panel = QPointer(this), name = choice->name](
                                                   const std::vector<Finding> &findings) {
        if (panel)
            panel->showSteps(name, findings);
    });
}

void DevicePanel::showSteps(const std::string &device, const std::vector<Finding> &findings)
{
    const DeviceChoice *choice = current();
    if (!choice || choice->name != device)
        return;
    QStringList lines{QStringLiteral("<b>%1</b>").arg(fromUtf8(device).toHtmlEscaped())};
    for (const Finding &finding : findings)
        lines << stepText(finding);
    m_facts->setText(lines.join(QStringLiteral("<br>")));
}

/// Asks for the states and the history when they are to be seen for the first time: both take a
/// moment.
void DevicePanel::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (std::exchange(m_wasShown, true))
        return;
    m_controller.look();
    m_runs.load();
}

} // namespace graphloom

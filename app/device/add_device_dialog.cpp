// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/device/add_device_dialog.h"

#include "app/common/format.h"
#include "app/device/device_controller.h"
#include "app/style/icons.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QTreeWidget>

namespace graphloom {

namespace {

enum StepColumn { StepName, StepDetail };
constexpr int leastWidth = 480, stepsHeight = 130, stepWidth = 130;

} // namespace

AddDeviceDialog::AddDeviceDialog(DeviceController &devices, QWidget *parent)
    : QDialog(parent), m_devices(devices), m_description(new QComboBox),
      m_connection(new QComboBox), m_address(new QLineEdit), m_hint(new QLabel),
      m_steps(new QTreeWidget), m_problem(new QLabel)
{
    setWindowTitle(tr("Add Board or Phone"));
    setObjectName(QStringLiteral("addDeviceDialog"));
    auto *form = new QFormLayout(this);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_description->setObjectName(QStringLiteral("deviceDescription"));
    m_description->setToolTip(tr("Plans are made for this device: choose the one most like yours"));
    for (const std::string &name : devices.connectable())
        m_description->addItem(fromUtf8(name));
    form->addRow(tr("&Description:"), m_description);
    m_connection->setObjectName(QStringLiteral("deviceConnection"));
    m_connection->addItem(tr("Board, by SSH"), QStringLiteral("ssh"));
    m_connection->addItem(tr("Phone, by ADB"), QStringLiteral("adb"));
    form->addRow(tr("&Connection:"), m_connection);
    m_address->setObjectName(QStringLiteral("deviceAddress"));
    m_address->setMinimumWidth(leastWidth);
    form->addRow(tr("Add&ress:"), m_address);
    m_hint->setWordWrap(true);
    form->addRow(m_hint);
    m_steps->setObjectName(QStringLiteral("connectionSteps"));
    m_steps->setAccessibleName(tr("Steps of the connection test"));
    m_steps->setHeaderLabels({tr("Step"), tr("Result")});
    m_steps->setColumnWidth(StepName, stepWidth);
    m_steps->setRootIsDecorated(false);
    m_steps->setWordWrap(true);
    m_steps->setMinimumHeight(stepsHeight);
    form->addRow(m_steps);
    m_problem->setObjectName(QStringLiteral("connectionProblem"));
    m_problem->setWordWrap(true);
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_problem->hide();
    form->addRow(m_problem);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_test = buttons->addButton(tr("&Test Connection"), QDialogButtonBox::ActionRole);
    m_test->setObjectName(QStringLiteral("testConnection"));
    m_add = buttons->addButton(tr("&Add"), QDialogButtonBox::AcceptRole);
    m_add->setObjectName(QStringLiteral("addDeviceButton"));
    form->addRow(buttons);
    for (QPushButton *button : findChildren<QPushButton *>())
        button->setAutoDefault(button == m_add);
    m_add->setDefault(true);

    connect(m_address, &QLineEdit::textChanged, this, &AddDeviceDialog::look);
    connect(m_description, &QComboBox::currentIndexChanged, this, &AddDeviceDialog::look);
    connect(m_connection, &QComboBox::currentIndexChanged, this, &AddDeviceDialog::look);
    connect(m_test, &QPushButton::clicked, this, &AddDeviceDialog::test);
    connect(buttons, &QDialogButtonBox::accepted, this, &AddDeviceDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &AddDeviceDialog::reject);
    look();
    m_address->setFocus();
}

std::string AddDeviceDialog::name() const
{
    const QString address = m_address->text().trimmed();
    if (address.isEmpty())
        return {};
    return (m_description->currentText() + u'@' + m_connection->currentData().toString() + u':' +
            address)
        .toStdString();
}

/// Shows what fits to the choices; what was tested before is another connection.
void AddDeviceDialog::look()
{
    const bool isBoard = m_connection->currentData() == QStringLiteral("ssh");
    m_address->setPlaceholderText(isBoard ? tr("user@host or user@host:port")
                                          : tr("serial, as adb devices lists it"));
    m_hint->setText(
        isBoard ? tr("SSH uses your keys, known hosts and configuration and asks for no password.")
                : tr("The phone needs USB debugging and must have accepted this machine's key."));
    m_devices.abandonCheck();
    m_steps->clear();
    m_problem->hide();
    const bool isComplete = !name().empty() && m_description->count() > 0;
    m_test->setEnabled(isComplete);
    m_add->setEnabled(isComplete);
}

void AddDeviceDialog::test()
{
    m_steps->clear();
    m_problem->hide();
    m_steps->addTopLevelItem(new QTreeWidgetItem({tr("Testing…"), QString()}));
    m_test->setEnabled(false);
    m_devices.checkConnection(name(),
                              [dialog = QPointer(this)](const std::vector<Finding> &findings) {
                                  if (dialog)
                                      dialog->showSteps(findings);
                              });
}

void AddDeviceDialog::showSteps(const std::vector<Finding> &findings)
{
    m_test->setEnabled(true);
    m_steps->clear();
    for (const Finding &finding : findings) {
        auto *item = new QTreeWidgetItem({fromUtf8(finding.what), fromUtf8(finding.detail)});
        item->setIcon(StepName, themedIcon(finding.found ? QStringLiteral("info")
                                                         : QStringLiteral("warning")));
        item->setToolTip(StepDetail, fromUtf8(finding.detail));
        m_steps->addTopLevelItem(item);
        if (!finding.found)
            m_problem->setText(fromUtf8(finding.detail));
    }
    m_problem->setVisible(!findings.empty() && !findings.back().found);
}

void AddDeviceDialog::done(int result)
{
    m_devices.abandonCheck();
    if (result == Accepted) {
        m_devices.add(name());
        m_devices.choose(name());
    }
    QDialog::done(result);
}

} // namespace graphloom

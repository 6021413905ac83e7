// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "engine/target/target.h"

#include <QDialog>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace graphloom {

class DeviceController;

/// Asks for a board or phone: the description that plans are made for, and how it is reached. Tests
/// the connection and tells each step.
class AddDeviceDialog final : public QDialog {
    Q_OBJECT

public:
    explicit AddDeviceDialog(DeviceController &devices, QWidget *parent = nullptr);

    /// Returns the name of the device with the connection, "arm64:kirin990@ssh:board"; empty as
    /// long as there is no address.
    std::string name() const;

protected:
    void done(int result) override;

private:
    void look();
    void test();
    void showSteps(const std::vector<Finding> &findings);

    DeviceController &m_devices;
    QComboBox *m_description, *m_connection;
    QLineEdit *m_address;
    QLabel *m_hint;
    QTreeWidget *m_steps;
    QLabel *m_problem; // of the step that failed, which may be long
    QPushButton *m_test, *m_add;
};

} // namespace graphloom

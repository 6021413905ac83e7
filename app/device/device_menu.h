// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include <QMenu>
#include <QToolButton>

#include <vector>

namespace graphloom {

class DeviceController;

/// Lists the devices that plans can be made for, each with its state: ready, what is missing, or
/// only described.
class DeviceMenu final : public QMenu {
    Q_OBJECT

public:
    explicit DeviceMenu(DeviceController &devices, QWidget *parent = nullptr);

private:
    void fill();
    void refresh();
    void addDevice();

    DeviceController &m_devices;
    std::vector<QAction *> m_entries; // by choice
};

/// Shows the device that passes plan for, and lets choose another one.
class DeviceButton final : public QToolButton {
    Q_OBJECT

public:
    explicit DeviceButton(DeviceController &devices, QWidget *parent = nullptr);

private:
    void refresh();

    DeviceController &m_devices;
};

} // namespace graphloom

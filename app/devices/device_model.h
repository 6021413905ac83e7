// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "app/device/device_controller.h"

namespace graphloom {

/// Lists the devices that plans can be made for, with their states.
class DeviceModel final : public RowsModel<DeviceChoice> {
    Q_OBJECT

public:
    enum Column { Name, State, Planned, Details };

    explicit DeviceModel(DeviceController &devices);

    int rowOfDevice(const std::string &name) const;

protected:
    std::span<const DeviceChoice> allRows() const override { return m_rows; }

private:
    void refresh();

    DeviceController &m_devices;
    std::vector<DeviceChoice> m_rows;
};

/// Returns rich text about something that a target needs, or a step of a connection: whether it is
/// there, its version, or what is missing.
QString stepText(const Finding &finding);
/// Returns rich text about a device: what its target has and lacks, with versions and what to
/// install.
QString factsOf(const DeviceChoice &choice, const DeviceController &devices);

} // namespace graphloom

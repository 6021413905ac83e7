// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/devices/device_model.h"

#include "app/common/format.h"

#include <algorithm>

namespace graphloom {

DeviceModel::DeviceModel(DeviceController &devices)
    : RowsModel(nullptr), m_devices(devices), m_rows(devices.choices())
{
    const auto name = [this](const DeviceChoice &choice) { return m_devices.titleOf(choice.name); };
    const auto planned = [this](const DeviceChoice &choice) {
        return choice.name == m_devices.current();
    };
    const auto inOrder = [](int row) { return row; }; // this machine first, then target by target
    setColumns({{tr("Device"), QStringLiteral("device"), of(name).sortedBy(inOrder)},
                {tr("State"), QStringLiteral("state"),
                 of([](const DeviceChoice &choice) { return textOf(choice.state); }),
                 tr("Whether plans can be built for the device and run there")},
                {tr("Plan"), QStringLiteral("planned"), of(planned, "✓"),
                 tr("The device that passes plan for")},
                {tr("Details"), QStringLiteral("details"), of(&DeviceChoice::details),
                 tr("What the device is, or what is missing and how to get it")}});
    connect(&devices, &DeviceController::stateKnown, this, &DeviceModel::refresh);
    connect(&devices, &DeviceController::changed, this, &DeviceModel::refresh);
    connect(&devices, &DeviceController::choicesChanged, this, &DeviceModel::refresh);
}

void DeviceModel::refresh()
{
    const std::vector<DeviceChoice> &now = m_devices.choices();
    if (!std::ranges::equal(m_rows, now, {}, &DeviceChoice::name, &DeviceChoice::name)) {
        replace(m_rows, now);
        return;
    }
    m_rows = now;
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int DeviceModel::rowOfDevice(const std::string &name) const
{
    const auto found = std::ranges::find(m_rows, name, &DeviceChoice::name);
    return found == m_rows.end() ? -1 : int(found - m_rows.begin());
}

QString stepText(const Finding &finding)
{
    return QStringLiteral("%1 %2: %3")
        .arg(finding.found ? QStringLiteral("✓") : QStringLiteral("✗"),
             fromUtf8(finding.what).toHtmlEscaped(), fromUtf8(finding.detail).toHtmlEscaped());
}

QString factsOf(const DeviceChoice &choice, const DeviceController &devices)
{
    QStringList lines{QStringLiteral("<b>%1</b>").arg(fromUtf8(choice.name).toHtmlEscaped())};
    if (!choice.details.empty())
        lines << fromUtf8(choice.details).toHtmlEscaped();
    const TargetState *state = devices.stateOf(choice);
    if (!choice.target)
        lines << DeviceModel::tr("Plans can be made for this device, but not built or run.");
    else if (!state)
        lines << DeviceModel::tr("The target was not asked yet.");
    else
        for (const Finding &finding : state->findings)
            lines << stepText(finding);
    return lines.join(QStringLiteral("<br>"));
}

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/device/device_menu.h"

#include "app/common/format.h"
#include "app/device/device_controller.h"
#include "app/session/session.h"
#include "app/style/icons.h"

#include <QActionGroup>

namespace graphloom {

namespace {

QString textOf(DeviceChoice::State state)
{
    switch (state) {
    case DeviceChoice::State::Unknown:
        return {};
    case DeviceChoice::State::Ready:
        return DeviceMenu::tr("Ready");
    case DeviceChoice::State::Missing:
        return DeviceMenu::tr("Incomplete");
    case DeviceChoice::State::Unusable:
        return DeviceMenu::tr("Cannot be used");
    case DeviceChoice::State::Described:
        return DeviceMenu::tr("Described only");
    }
    return {};
}

} // namespace

DeviceMenu::DeviceMenu(DeviceController &devices, QWidget *parent)
    : QMenu(tr("&Device"), parent), m_devices(devices)
{
    setObjectName(QStringLiteral("deviceMenu"));
    setToolTipsVisible(true);
    auto *group = new QActionGroup(this);
    bool isTarget = false; // of the entry before
    for (const DeviceChoice &choice : devices.choices()) {
        if (isTarget && !choice.target)
            addSeparator();
        isTarget = choice.target.has_value();
        QAction *entry = addAction(QString());
        entry->setCheckable(true);
        group->addAction(entry);
        m_entries.push_back(entry);
        connect(entry, &QAction::triggered, this,
                [this, name = choice.name] { m_devices.choose(name); });
    }
    refresh();
    connect(this, &QMenu::aboutToShow, this, [this] {
        refresh();
        m_devices.look();
    });
    connect(&devices, &DeviceController::stateKnown, this, &DeviceMenu::refresh);
    connect(&devices, &DeviceController::changed, this, &DeviceMenu::refresh);
}

void DeviceMenu::refresh()
{
    using State = DeviceChoice::State;
    const std::string current = m_devices.current();
    const bool possible = m_devices.session().snapshot() && !m_devices.session().isBusy();
    for (std::size_t c = 0; c < m_entries.size(); ++c) {
        const DeviceChoice &choice = m_devices.choices()[c];
        QAction &entry = *m_entries[c];
        const QString state = textOf(choice.state);
        // What follows a tab is in a column of its own.
        entry.setText(m_devices.titleOf(choice.name) + (state.isEmpty() ? state : u'\t' + state));
        entry.setToolTip(fromUtf8(choice.details));
        entry.setChecked(choice.name == current);
        entry.setEnabled(possible && choice.state != State::Unusable &&
                         choice.state != State::Missing);
    }
}

DeviceButton::DeviceButton(DeviceController &devices, QWidget *parent)
    : QToolButton(parent), m_devices(devices)
{
    setObjectName(QStringLiteral("deviceButton"));
    setPopupMode(QToolButton::InstantPopup);
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setIcon(themedIcon(QStringLiteral("machine")));
    setMenu(new DeviceMenu(devices, this));
    connect(&devices, &DeviceController::changed, this, &DeviceButton::refresh);
    refresh();
}

void DeviceButton::refresh()
{
    const QString title = m_devices.titleOf(m_devices.current());
    setText(title);
    setAccessibleName(tr("Device: %1").arg(title));
    setToolTip(tr("Device that passes plan for: %1. Costs are those on the device; passes with a "
                  "device of their own use that one.")
                   .arg(title));
}

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/device/device_menu.h"

#include "app/common/format.h"
#include "app/device/add_device_dialog.h"
#include "app/device/device_controller.h"
#include "app/session/session.h"
#include "app/style/icons.h"

#include <QActionGroup>

#include <map>

namespace graphloom {

DeviceMenu::DeviceMenu(DeviceController &devices, QWidget *parent)
    : QMenu(tr("&Device"), parent), m_devices(devices)
{
    setObjectName(QStringLiteral("deviceMenu"));
    setToolTipsVisible(true);
    fill();
    connect(this, &QMenu::aboutToShow, this, [this] {
        refresh();
        m_devices.look();
    });
    connect(&devices, &DeviceController::stateKnown, this, &DeviceMenu::refresh);
    connect(&devices, &DeviceController::changed, this, &DeviceMenu::refresh);
    // Later: an entry of the menu that is built anew may be what did it. Until then the entries are
    // those of other choices.
    connect(&devices, &DeviceController::choicesChanged, this, [this] { m_entries.clear(); });
    connect(&devices, &DeviceController::choicesChanged, this, &DeviceMenu::fill,
            Qt::QueuedConnection);
}

/// Makes the entries: this machine's target and what is only described in the menu itself, other
/// targets in menus of their own, with what can be added to them.
void DeviceMenu::fill()
{
    clear();
    m_entries.clear();
    qDeleteAll(findChildren<QActionGroup *>(Qt::FindDirectChildrenOnly));
    qDeleteAll(findChildren<QMenu *>(Qt::FindDirectChildrenOnly));
    auto *group = new QActionGroup(this);
    const std::vector<DeviceChoice> &choices = m_devices.choices();
    const auto isOfThisMachine = [&](const DeviceChoice &choice) {
        return choice.target->target->isThisMachine();
    };
    std::map<const Target *, QMenu *> menus;
    bool isSeparated = false;
    for (const DeviceChoice &choice : choices) {
        QMenu *menu = this;
        if (!choice.target && !isSeparated) {
            addSeparator();
            isSeparated = true;
        }
        if (choice.target && !isOfThisMachine(choice)) {
            QMenu *&own = menus[choice.target->target.get()];
            if (!own) {
                own = new QMenu(fromUtf8(choice.target->target->name()), this);
                own->setToolTipsVisible(true);
                addMenu(own);
            }
            menu = own;
        }
        QAction *entry = menu->addAction(QString());
        entry->setCheckable(true);
        group->addAction(entry);
        m_entries.push_back(entry);
        connect(entry, &QAction::triggered, this,
                [this, name = choice.name] { m_devices.choose(name); });
    }
    for (const auto &[target, menu] : menus) {
        if (!target->hasConnections())
            continue;
        menu->addSeparator();
        QAction *add = menu->addAction(tr("Add Board or Phone…"));
        add->setObjectName(QStringLiteral("addDevice"));
        connect(add, &QAction::triggered, this, &DeviceMenu::addDevice);
        QMenu *remove = nullptr;
        for (const DeviceChoice &choice : choices) {
            if (!choice.isAdded || choice.target->target.get() != target)
                continue;
            if (!remove)
                remove = menu->addMenu(tr("Remove"));
            remove->addAction(fromUtf8(choice.name), this,
                              [this, name = choice.name] { m_devices.remove(name); });
        }
    }
    refresh();
}

void DeviceMenu::addDevice()
{
    auto *dialog =
        new AddDeviceDialog(m_devices, parentWidget() ? parentWidget()->window() : nullptr);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
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

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/device/device_choice.h"

#include <QObject>

class QSettings;

namespace graphloom {

class JobList;
class Session;

/// Returns a state in a word or two: "Ready"; empty if it is unknown.
QString textOf(DeviceChoice::State state);

/// Chooses the device that passes plan for. It belongs to the plan, so that choosing another one is
/// an edit that can be undone; plans that have none get the one that was chosen last.
class DeviceController final : public QObject {
    Q_OBJECT

public:
    DeviceController(Session &session, std::vector<TargetPlugin> targets, QSettings &settings,
                     JobList &jobs);

    const std::vector<DeviceChoice> &choices() const { return m_choices; }
    Session &session() { return m_session; }
    /// Asks the targets for the state of their devices, on a thread, and emits stateKnown().
    void look();
    bool isLooking() const { return m_worker.isRunning(); }
    /// Returns what the target of a device has and lacks, as of the last look(); null if it is not
    /// known, or if there is no target.
    const TargetState *stateOf(const DeviceChoice &choice) const;
    /// Makes the plan one for the device, with the costs that it has there, on a thread, and
    /// chooses the device for plans that have none.
    void choose(const std::string &name);
    /// Adds a board or phone, "arm64:kirin990@ssh:board", to the choices for good, or removes one.
    void add(const std::string &name);
    void remove(const std::string &name);
    /// Tries the connection of such a device on a thread; `done` gets the steps. A check before it
    /// is abandoned.
    void checkConnection(const std::string &name,
                         std::function<void(const std::vector<Finding> &)> done);
    void abandonCheck() { m_checker.abandon(); }
    /// Returns the devices to which connections can be added, as in choices().
    std::vector<std::string> connectable() const;
    /// Returns the name of the device of the plan that is shown, as in choices(). Without a plan,
    /// or for one that has no device yet, that is the device that was chosen last, initially this
    /// machine.
    std::string current() const;
    /// Returns what users call the device: "This machine", "phone-cpu".
    QString titleOf(const std::string &name) const;

Q_SIGNALS:
    void stateKnown();
    void choicesChanged();
    /// Emitted when current() has changed.
    void changed();

private:
    const DeviceChoice *find(const std::string &name) const;
    std::string preferred() const;
    void setPreferred(const std::string &name);
    void setAdded(std::vector<std::string> added);

    Session &m_session;
    const std::vector<TargetPlugin> m_targets;
    QSettings &m_settings;
    JobList &m_jobs;
    std::vector<std::string> m_added;
    std::vector<DeviceChoice> m_choices;
    std::vector<TargetState> m_states;
    Worker m_checker, m_worker; // last: see Session
};

} // namespace graphloom

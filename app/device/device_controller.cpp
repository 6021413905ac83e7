// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/device/device_controller.h"

#include "app/common/format.h"
#include "app/session/session.h"
#include "engine/cost/device.h"
#include "engine/fusion/blocks/repricing.h"

#include <QSettings>

#include <algorithm>

namespace graphloom {

namespace {

const QString settingsKey = QStringLiteral("device");
const QString addedKey = QStringLiteral("addedDevices");

std::vector<std::string> addedIn(const QSettings &settings)
{
    std::vector<std::string> names;
    for (const QString &name : settings.value(addedKey).toStringList())
        names.push_back(name.toStdString());
    return names;
}

std::shared_ptr<const Device> descriptionOf(const DeviceChoice &choice)
{
    return sharedDevice(*findDevice(choice.name));
}

} // namespace

QString textOf(DeviceChoice::State state)
{
    switch (state) {
    case DeviceChoice::State::Unknown:
        return {};
    case DeviceChoice::State::Ready:
        return DeviceController::tr("Ready");
    case DeviceChoice::State::Missing:
        return DeviceController::tr("Incomplete");
    case DeviceChoice::State::Unusable:
        return DeviceController::tr("Cannot be used");
    case DeviceChoice::State::Described:
        return DeviceController::tr("Described only");
    }
    return {};
}

DeviceController::DeviceController(Session &session, std::vector<TargetPlugin> targets,
                                   QSettings &settings, JobList &jobs)
    : m_session(session), m_targets(std::move(targets)), m_settings(settings), m_jobs(jobs),
      m_added(addedIn(settings)), m_choices(deviceChoices(m_targets, m_added))
{
    setPreferred(preferred());
    connect(&session, &Session::snapshotChanged, this,
            [this](const SnapshotPointer &, Session::Change change) {
                if (change != Session::Change::Live)
                    Q_EMIT changed();
            });
}

void DeviceController::look()
{
    if (m_worker.isRunning())
        return;
    m_worker.announceUnstoppable(&m_jobs, tr("Looking for devices"));
    m_worker.start([plugins = m_targets,
                    added = m_added](std::stop_token) { return lookAtTargets(plugins, added); },
                   [this](const std::vector<TargetState> &states) {
                       m_states = states;
                       setStates(m_choices, m_states);
                       Q_EMIT stateKnown();
                   });
}

const TargetState *DeviceController::stateOf(const DeviceChoice &choice) const
{
    const auto found = std::ranges::find_if(m_states, [&](const TargetState &state) {
        return choice.target && state.plugin.target == choice.target->target;
    });
    return found == m_states.end() ? nullptr : &*found;
}

void DeviceController::setAdded(std::vector<std::string> added)
{
    m_added = std::move(added);
    QStringList names;
    for (const std::string &name : m_added)
        names.append(fromUtf8(name));
    m_settings.setValue(addedKey, names);
    m_choices = deviceChoices(m_targets, m_added);
    setStates(m_choices, m_states);
    setPreferred(preferred());
    Q_EMIT choicesChanged();
    Q_EMIT changed();
}

void DeviceController::add(const std::string &name)
{
    std::vector<std::string> added = m_added;
    if (!findChosen(m_targets, name) || std::ranges::count(added, name) > 0)
        return;
    added.push_back(name);
    setAdded(std::move(added));
}

void DeviceController::remove(const std::string &name)
{
    std::vector<std::string> added = m_added;
    if (std::erase(added, name) > 0)
        setAdded(std::move(added));
}

void DeviceController::checkConnection(const std::string &name,
                                       std::function<void(const std::vector<Finding> &)> done)
{
    const auto chosen = findChosen(m_targets, name);
    if (!chosen)
        return;
    m_checker.announce(&m_jobs, tr("Testing the connection to %1").arg(fromUtf8(name)));
    m_checker.start(
        [chosen](std::stop_token stop) {
            return chosen->target->checkConnection(chosen->device, std::move(stop));
        },
        std::move(done));
}

std::vector<std::string> DeviceController::connectable() const
{
    std::vector<std::string> names;
    for (const DeviceChoice &choice : m_choices)
        if (choice.target && !choice.isAdded && choice.target->target->hasConnections())
            names.push_back(choice.name);
    return names;
}

const DeviceChoice *DeviceController::find(const std::string &name) const
{
    const auto found = std::ranges::find(m_choices, name, &DeviceChoice::name);
    return found != m_choices.end() ? &*found : nullptr;
}

std::string DeviceController::preferred() const
{
    const std::string kept = m_settings.value(settingsKey).toString().toStdString();
    return find(kept) ? kept : m_choices.front().name;
}

/// Sets the device for plans that have none. Their passes describe it, on their threads.
void DeviceController::setPreferred(const std::string &name)
{
    m_session.runs().setDevice(
        [choice = *find(name)](const TimingLimits &limits,
                               const CallTimers &timers) -> Result<PlannedDevice> {
            if (choice.target)
                return plannedDeviceOn(*choice.target, limits, timers);
            return PlannedDevice{descriptionOf(choice), {}};
        });
}

std::string DeviceController::current() const
{
    const SnapshotPointer &snapshot = m_session.snapshot();
    if (!snapshot || !snapshot->plan->device)
        return preferred();
    const Device &device = *snapshot->plan->device;
    return device.target.empty() ? device.name : device.target;
}

QString DeviceController::titleOf(const std::string &name) const
{
    const DeviceChoice *choice = find(name);
    return choice && choice->isThisMachine ? tr("This machine") : fromUtf8(name);
}

void DeviceController::choose(const std::string &name)
{
    const DeviceChoice *choice = find(name);
    if (!choice || m_session.isBusy())
        return;
    m_settings.setValue(settingsKey, fromUtf8(name));
    setPreferred(name);
    m_session.tryEdit(
        tr("Plan for %1").arg(titleOf(name)),
        [choice = *choice, timers = m_session.runs().timers(),
         messages = &m_session.messages()](Plan plan, const std::stop_token &stop) -> Result<Plan> {
            if (!choice.target)
                return pricedFor(std::move(plan), descriptionOf(choice), stop);
            GL_TRY(described(*choice.target, stop)); // no other one in its place
            GL_TRY_RESULT(planned, plannedDeviceOn(*choice.target, {.stop = stop}, timers));
            if (!planned->instead.empty())
                QMetaObject::invokeMethod(messages, [messages, text = fromUtf8(planned->instead)] {
                    messages->add(MessageModel::Severity::Warning, text);
                });
            return pricedFor(std::move(plan), planned->device, stop);
        });
    Q_EMIT changed();
}

} // namespace graphloom

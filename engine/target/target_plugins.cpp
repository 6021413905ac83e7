// SPDX-License-Identifier: Apache-2.0
#include "engine/target/target_plugins.h"

#include "engine/pass/plugin_library.h"

#include <algorithm>

namespace graphloom {

namespace {

const PluginKind kind{"target", "graphloom_target", targetFolder, targetAbiVersion};

} // namespace

std::string nameOf(const ChosenTarget &chosen)
{
    return std::string(chosen.target->name()) + ":" + chosen.device;
}

std::optional<ChosenTarget> findChosen(const std::vector<TargetPlugin> &plugins,
                                       const std::string &name)
{
    const std::size_t colon = name.find(':');
    if (colon == std::string::npos)
        return std::nullopt;
    const std::string device = name.substr(colon + 1);
    for (const TargetPlugin &plugin : plugins)
        if (plugin.target && plugin.target->name() == name.substr(0, colon) &&
            plugin.target->hasDevice(device))
            return ChosenTarget{plugin.target, device};
    return std::nullopt;
}

Result<Device> described(const ChosenTarget &chosen, std::stop_token stop)
{
    GL_TRY_RESULT(device, chosen.target->describe(chosen.device, std::move(stop)));
    device->target = nameOf(chosen);
    device->fingerprint = chosen.target->fingerprint(chosen.device);
    return *std::move(device);
}

Result<PlannedDevice> plannedDeviceOn(const ChosenTarget &chosen, const TimingLimits &limits,
                                      const CallTimers &timers)
{
    const std::stop_token &stop = limits.stop;
    auto device = described(chosen, stop);
    if (device && timers)
        if (const auto timer = timers(nameOf(chosen))) {
            auto calibrated = (*timer)->device(limits);
            if (!calibrated && stop.stop_requested())
                return tl::unexpected(calibrated.error());
            if (!calibrated)
                return PlannedDevice{std::make_shared<const Device>(*std::move(device)),
                                     "passes assume that kernels run at the peak speed of " +
                                         nameOf(chosen) + ": " + calibrated.error().text()};
            device = std::move(calibrated);
        }
    if (device)
        return PlannedDevice{std::make_shared<const Device>(*std::move(device)), {}};
    if (device.error().kind == Error::Kind::Usage || stop.stop_requested())
        return tl::unexpected(device.error());
    const auto because = [reason = device.error().text()](const std::string &name) {
        return "Passes plan for " + name + ": " + reason;
    };
    // Kernels for other instruction sets can be generated, but their speed not be measured.
    if (const std::string first = chosen.target->devices().front(); first != chosen.device)
        if (auto other = described({chosen.target, first}, stop))
            return PlannedDevice{std::make_shared<const Device>(*other), because(other->target)};
    const Device &first = devices().front();
    return PlannedDevice{sharedDevice(first), because(first.name)};
}

Result<ChosenTarget> thisMachineAmong(const std::vector<TargetPlugin> &plugins)
{
    std::string problems;
    for (const TargetPlugin &plugin : plugins) {
        if (plugin.target && plugin.target->isThisMachine())
            return ChosenTarget{plugin.target, plugin.target->devices().front()};
        if (!plugin.target)
            problems += "; " + plugin.file.filename().string() + ": " + plugin.problem;
    }
    return fail(Error::Kind::Missing, "no target plugin runs kernels on this machine" + problems);
}

Result<ChosenTarget> targetOf(const Plan &plan, const std::vector<TargetPlugin> &plugins)
{
    if (plan.device)
        if (auto chosen = findChosen(plugins, plan.device->target))
            return *std::move(chosen);
    return thisMachineAmong(plugins);
}

std::vector<TargetPlugin> loadTargetPlugins(const std::filesystem::path &folder)
{
    auto plugins =
        loadPlugins<TargetEntry>(openPluginLibraries(folder, kind), kind, &TargetPlugin::target);
    std::ranges::stable_partition(plugins, [](const TargetPlugin &plugin) {
        return plugin.target && plugin.target->isThisMachine();
    });
    return plugins;
}

std::vector<TargetPlugin> ownTargetPlugins()
{
    auto plugins = loadTargetPlugins(defaultTargetFolder());
    addMissing(plugins, missingParts(ProgramPart::Kind::Target));
    return plugins;
}

std::filesystem::path defaultTargetFolder()
{
    return pluginFolder(targetFolder);
}

} // namespace graphloom

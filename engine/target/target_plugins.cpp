// SPDX-License-Identifier: Apache-2.0
#include "engine/target/target_plugins.h"

#include "engine/pass/plugin_library.h"

namespace graphloom {

namespace {

const PluginKind kind{"target", "graphloom_target", targetFolder, targetAbiVersion};

} // namespace

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

std::vector<TargetPlugin> loadTargetPlugins(const std::filesystem::path &folder)
{
    return loadPlugins<TargetEntry>(openPluginLibraries(folder, kind), kind, &TargetPlugin::target);
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

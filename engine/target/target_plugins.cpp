// SPDX-License-Identifier: Apache-2.0
#include "engine/target/target_plugins.h"

#include "engine/plan/plugin_library.h"

namespace graphloom {

namespace {

const PluginKind kind{"target", "graphloom_target", targetFolder, targetAbiVersion};

} // namespace

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

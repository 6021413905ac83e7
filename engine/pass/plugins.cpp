// SPDX-License-Identifier: Apache-2.0
#include "engine/pass/plugins.h"

#include "engine/pass/plugin_library.h"

namespace graphloom {

namespace {

const PluginKind kind{"pass", "graphloom_pass", passFolder, passAbiVersion};

} // namespace

std::vector<PassPlugin> loadPassPlugins(const std::filesystem::path &folder)
{
    return loadPlugins<PassEntry>(openPluginLibraries(folder, kind), kind, &PassPlugin::pass);
}

std::vector<PassPlugin> ownPassPlugins()
{
    auto plugins = loadPassPlugins(defaultPluginFolder());
    addMissing(plugins, missingParts(ProgramPart::Kind::Pass));
    return plugins;
}

PassPlugin loadPassPlugin(const std::filesystem::path &file)
{
    std::vector<PluginLibrary> library{{file, nullptr, {}}};
    openPluginLibrary(library.front(), kind);
    return loadPlugins<PassEntry>(std::move(library), kind, &PassPlugin::pass).front();
}

std::filesystem::path defaultPluginFolder()
{
    return pluginFolder(passFolder);
}

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/plugins.h"

#include "engine/plan/plugin_library.h"

namespace graphloom {

namespace {

const PluginKind kind{"pass", "graphloom_pass", "plugins", passAbiVersion};

} // namespace

std::vector<PassPlugin> loadPassPlugins(const std::filesystem::path &folder)
{
    return loadPlugins<PassEntry>(openPluginLibraries(folder, kind), kind, &PassPlugin::pass);
}

PassPlugin loadPassPlugin(const std::filesystem::path &file)
{
    std::vector<PluginLibrary> library{{file, nullptr, {}}};
    openPluginLibrary(library.front(), kind);
    return loadPlugins<PassEntry>(std::move(library), kind, &PassPlugin::pass).front();
}

std::filesystem::path defaultPluginFolder()
{
    return pluginFolder(kind);
}

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/plugins.h"

#include "engine/plan/plugin_library.h"

namespace graphloom {

namespace {

const PluginKind kind{"pass", "graphloom_pass", "plugins", passAbiVersion};

} // namespace

std::vector<PassPlugin> loadPassPlugins(const std::filesystem::path &folder)
{
    return loadPlugins<PassEntry>(folder, kind, &PassPlugin::pass);
}

std::filesystem::path defaultPluginFolder()
{
    return pluginFolder(kind);
}

} // namespace graphloom

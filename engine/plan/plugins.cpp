// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/plugins.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace graphloom {

namespace {

constexpr const char *entrySymbol = "graphloom_pass";

std::filesystem::path executableFolder()
{
    std::error_code failed;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
    return failed ? std::filesystem::current_path() : self.parent_path();
}

/// Loads the library in a child process of its own, the small program graphloom-probe-plugin
/// beside the engine's executables. Empty when that went well.
std::string probe(const std::filesystem::path &file)
{
    std::error_code ignored;
    auto prober = executableFolder() / "graphloom-probe-plugin";
    if (!std::filesystem::exists(prober, ignored))
        prober = executableFolder() / ".." / "bin" / "graphloom-probe-plugin";
    if (!std::filesystem::exists(prober, ignored))
        return {}; // not installed: the library is loaded without a rehearsal
    const std::string program = prober.string(), argument = file.string();
    std::vector<char *> arguments{const_cast<char *>(program.c_str()), const_cast<char *>(argument.c_str()), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1 /* O_WRONLY */, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1, 0);
    pid_t child = 0;
    const int failed = ::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0)
        return std::string("could not be tried: ") + std::strerror(failed);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status))
        return std::string("crashes while it is loaded (") + ::strsignal(WTERMSIG(status)) + ")";
    return {}; // what dlopen has to say is asked for again in this process
}

PassPlugin load(const std::filesystem::path &file)
{
    PassPlugin plugin{file, nullptr, probe(file)};
    if (!plugin.problem.empty())
        return plugin;
    // Never closed: passes and their parameter tables live as long as the program.
    void *library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        plugin.problem = std::string("cannot be loaded: ") + ::dlerror();
        return plugin;
    }
    const auto entryOf = reinterpret_cast<const PassEntry *(*)()>(::dlsym(library, entrySymbol));
    if (!entryOf) {
        plugin.problem = std::string("has no function ") + entrySymbol + ": it is not a pass plugin";
        return plugin;
    }
    const PassEntry *entry = entryOf();
    if (!entry || entry->abi != passAbiVersion) {
        plugin.problem = "was built for plugin interface " + std::to_string(entry ? entry->abi : 0) +
                         ", this program has " + std::to_string(passAbiVersion) + ": build it again";
        return plugin;
    }
    plugin.pass = entry->make();
    if (!plugin.pass)
        plugin.problem = "gives no pass";
    return plugin;
}

} // namespace

std::vector<PassPlugin> loadPassPlugins(const std::filesystem::path &folder)
{
    std::vector<std::filesystem::path> files;
    std::error_code ignored;
    for (const auto &entry : std::filesystem::directory_iterator(folder, ignored))
        if (entry.path().extension() == ".so")
            files.push_back(entry.path());
    std::ranges::sort(files);
    std::vector<PassPlugin> plugins;
    for (const auto &file : files) {
        PassPlugin plugin = load(file);
        for (const PassPlugin &other : plugins)
            if (plugin.pass && other.pass && plugin.pass->name() == other.pass->name()) {
                plugin.problem = "gives a pass \"" + std::string(other.pass->name()) + "\", as " +
                                 other.file.filename().string() + " does already";
                plugin.pass = nullptr;
            }
        plugins.push_back(std::move(plugin));
    }
    return plugins;
}

std::filesystem::path defaultPluginFolder()
{
    std::error_code ignored;
    for (const char *relative : {GRAPHLOOM_BUILD_PLUGIN_PATH, GRAPHLOOM_PLUGIN_PATH}) {
        const auto folder = executableFolder() / relative;
        if (std::filesystem::is_directory(folder, ignored))
            return folder.lexically_normal();
    }
    return (executableFolder() / GRAPHLOOM_PLUGIN_PATH).lexically_normal();
}

} // namespace graphloom

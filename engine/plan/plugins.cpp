// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/plugins.h"

#include "engine/base/child_process.h"
#include "engine/plan/probe/verdict.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <system_error>

namespace graphloom {

namespace {

constexpr std::chrono::seconds patience{10};

/// Loads the library in a process of its own, the small program graphloom-probe-plugin beside
/// ours. A program that is started, not a fork: after a fork of a program with threads nothing
/// may be loaded. Empty when all went well, and when dlopen has a reason to refuse: it will
/// tell again.
std::string rehearse(const std::filesystem::path &file)
{
    const auto deadline = ChildProcess::Clock::now() + patience;
    auto prober = ChildProcess::start(companionProgram("graphloom-probe-plugin"), {file.string()},
                                      ChildProcess::Reading::Output);
    if (!prober)
        return "cannot be tried in a process of its own: " + prober.error().text();
    auto event = ChildProcess::Event::Line;
    for (std::string ignored; event == ChildProcess::Event::Line;)
        event = prober->readLine(ignored, deadline, {});
    const int ending = prober->wait(std::chrono::seconds(1));
    if (event == ChildProcess::Event::Late)
        return "does not come back from being loaded";
    if (ending < 0)
        return std::string("crashes while it is loaded: ") + ::strsignal(-ending);
    if (ending != probe::loads && ending != probe::refused)
        return "ends the program while it is loaded";
    return {};
}

/// The pass of a library that has passed the rehearsal; sets `problem` where there is none.
std::shared_ptr<const Pass> passOf(const std::filesystem::path &file, std::string &problem)
{
    // Never closed: passes and their parameter tables live as long as the program.
    void *library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        problem = "cannot be loaded: ";
        problem += ::dlerror();
        return nullptr;
    }
    const auto entryOf =
        reinterpret_cast<const PassEntry *(*)()>(::dlsym(library, "graphloom_pass"));
    const PassEntry *entry = entryOf ? entryOf() : nullptr;
    if (!entry) {
        problem = entryOf ? "has no entry" : "has no function graphloom_pass: it is no pass plugin";
        return nullptr;
    }
    if (entry->abi != passAbiVersion) {
        problem = "was built for version " + std::to_string(entry->abi);
        problem += " of the plugin interface, this program has " + std::to_string(passAbiVersion);
        problem += ": build it again";
        return nullptr;
    }
    try {
        std::shared_ptr<const Pass> pass = entry->make();
        if (!pass)
            problem = "gives no pass";
        return pass;
    } catch (const std::exception &error) {
        problem = "fails to make its pass: ";
        problem += error.what();
        return nullptr;
    }
}

} // namespace

std::vector<PassPlugin> loadPassPlugins(const std::filesystem::path &folder)
{
    std::vector<std::filesystem::path> files;
    std::error_code failed;
    std::filesystem::directory_iterator entry(folder, failed);
    for (; !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed))
        if (entry->path().extension() == ".so")
            files.push_back(entry->path());
    std::ranges::sort(files);
    std::vector<PassPlugin> plugins;
    for (const auto &file : files) {
        PassPlugin plugin{file, nullptr, rehearse(file)};
        if (plugin.problem.empty())
            plugin.pass = passOf(file, plugin.problem);
        for (const PassPlugin &other : plugins)
            if (plugin.pass && other.pass && plugin.pass->name() == other.pass->name()) {
                plugin.problem = "gives a pass \"";
                plugin.problem += other.pass->name();
                plugin.problem += "\", as " + other.file.filename().string() + " does already";
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

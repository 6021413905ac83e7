// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/plugins.h"

#include "engine/plan/probe/verdict.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <optional>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

extern char **environ;

namespace graphloom {

namespace {

constexpr std::chrono::seconds patience{10};

std::filesystem::path executableFolder()
{
    std::error_code failed;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
    return failed ? std::filesystem::current_path() : self.parent_path();
}

std::string reasonOf(int error)
{
    return std::error_code(error, std::generic_category()).message();
}

/// Waits for the child; none when it did not end in time and had to be killed.
std::optional<int> waitFor(pid_t child)
{
    int status = 0;
    const auto deadline = std::chrono::steady_clock::now() + patience;
    for (;;) {
        const pid_t ended = ::waitpid(child, &status, WNOHANG);
        if (ended == child)
            return status;
        const bool wait = ended == 0 || errno == EINTR;
        if (!wait || std::chrono::steady_clock::now() > deadline)
            break;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    return std::nullopt;
}

/// Loads the library in a process of its own, the small program graphloom-probe-plugin beside
/// ours. A program that is started, not a fork: after a fork of a program with threads nothing
/// may be loaded. Empty when all went well, and when dlopen has a reason to refuse: it will
/// tell again.
std::string rehearse(const std::filesystem::path &file)
{
    std::error_code ignored;
    auto prober = executableFolder() / "graphloom-probe-plugin";
    if (!std::filesystem::exists(prober, ignored)) // beside the tests' folder, in the build tree
        prober = executableFolder() / ".." / "bin" / "graphloom-probe-plugin";
    const std::string program = prober.lexically_normal().string(), argument = file.string();
    char *const arguments[] = {const_cast<char *>(program.c_str()),
                               const_cast<char *>(argument.c_str()), nullptr};
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    constexpr int writeOnly = 1; // O_WRONLY
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", writeOnly, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", writeOnly, 0);
    pid_t child = 0;
    const int failed =
        ::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
        std::string problem = "cannot be tried in a process of its own: ";
        return problem.append(program).append(": ").append(reasonOf(failed));
    }
    const std::optional<int> status = waitFor(child);
    if (!status)
        return "does not come back from being loaded";
    if (WIFSIGNALED(*status)) {
        std::string problem = "crashes while it is loaded: ";
        return problem.append(::strsignal(WTERMSIG(*status)));
    }
    const int verdict = WEXITSTATUS(*status);
    if (verdict != probe::loads && verdict != probe::refused)
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

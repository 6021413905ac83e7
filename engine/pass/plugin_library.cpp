// SPDX-License-Identifier: Apache-2.0
#include "engine/pass/plugin_library.h"

#include "engine/pass/probe/verdict.h"
#include "engine/system/child_process.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <system_error>

namespace graphloom {

namespace {

constexpr std::chrono::seconds patience{10};

/// Loads the library in a child process, the program graphloom-probe-plugin next to the executable,
/// and returns the problem. It is not a fork, as a fork of a program with threads must not load
/// libraries. Returns nothing on success, and if dlopen() fails, as it will report that again.
std::string rehearse(const std::filesystem::path &file, const PluginKind &kind)
{
    const auto deadline = ChildProcess::Clock::now() + patience;
    auto prober = ChildProcess::start(companionProgram("graphloom-probe-plugin"),
                                      {file.string(), kind.symbol, std::to_string(kind.abi)},
                                      ChildProcess::Reading::Output);
    if (!prober)
        return "cannot be checked in a child process: " + prober.error().text();
    auto event = ChildProcess::Event::Line;
    for (std::string ignored; event == ChildProcess::Event::Line;)
        event = prober->readLine(ignored, deadline, {});
    const int ending = prober->wait(std::chrono::seconds(1));
    if (event == ChildProcess::Event::Late)
        return "does not finish loading";
    if (ending < 0)
        return std::string("crashes while loading: ") + ::strsignal(-ending);
    if (ending == probe::wild)
        return "has an invalid entry";
    if (ending != probe::loads && ending != probe::refused)
        return "exits the process while loading";
    return {};
}

/// Tells whether another user can change or replace the file.
bool isOpenToAll(const std::filesystem::path &file)
{
    using std::filesystem::perms;
    const auto mayAllWrite = [](const std::filesystem::path &path) {
        std::error_code failed;
        const perms all = std::filesystem::status(path, failed).permissions();
        return !failed && (all & perms::others_write) != perms::none &&
               (all & perms::sticky_bit) == perms::none;
    };
    return mayAllWrite(file) || mayAllWrite(file.parent_path());
}

} // namespace

void openPluginLibrary(PluginLibrary &library, const PluginKind &kind)
{
    // The library is never closed: objects and tables of plugins live as long as the program.
    void *handle = ::dlopen(library.file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        library.problem = "cannot be loaded: ";
        library.problem += ::dlerror();
        return;
    }
    const auto entryOf = reinterpret_cast<const void *(*)()>(::dlsym(handle, kind.symbol.c_str()));
    const void *entry = entryOf ? entryOf() : nullptr;
    if (!entry) {
        library.problem =
            entryOf ? "has no entry"
                    : "has no function " + kind.symbol + ": it is not a " + kind.noun + " plugin";
        return;
    }
    std::uint32_t abi = 0;
    std::memcpy(&abi, entry, sizeof abi);
    if (abi == kind.abi) {
        library.entry = entry;
        return;
    }
    library.problem = "was built for version " + std::to_string(abi);
    library.problem +=
        " of the plugin interface, but this program has version " + std::to_string(kind.abi);
    library.problem += "; rebuild it";
}

std::vector<PluginLibrary> openPluginLibraries(const std::filesystem::path &folder,
                                               const PluginKind &kind)
{
    std::vector<PluginLibrary> libraries;
    std::error_code failed;
    std::filesystem::directory_iterator entry(folder, failed);
    for (; !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed))
        if (entry->path().extension() == ".so")
            libraries.push_back({entry->path(), nullptr, {}});
    std::ranges::sort(libraries, {}, &PluginLibrary::file);
    for (PluginLibrary &library : libraries) {
        library.problem = isOpenToAll(library.file)
                              ? "was not loaded, because every user can change it or its folder: "
                                "remove the write permission for others (chmod o-w)"
                              : rehearse(library.file, kind);
        if (library.problem.empty())
            openPluginLibrary(library, kind);
    }
    return libraries;
}

std::filesystem::path pluginFolder(std::string_view folder)
{
    return (executableFolder() / GRAPHLOOM_LIBRARY_PATH / folder).lexically_normal();
}

} // namespace graphloom

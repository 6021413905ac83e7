// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/program_parts.h"

#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace graphloom {

/// Names of the plugin folders in the program's library folder.
inline constexpr char passFolder[] = "plugins", targetFolder[] = "targets";

/// Describes what libraries of one kind have in common. Each exports
/// `extern "C" const Entry *SYMBOL()`; an Entry begins with the ABI number (std::uint32_t),
/// followed by `std::unique_ptr<I> (*make)()`.
struct PluginKind {
    std::string noun;      // "pass"
    std::string symbol;    // "graphloom_pass"
    std::string folder;    // passFolder or targetFolder
    std::uint32_t abi = 0; // the ABI number of this program
};

/// Holds a shared library of a plugin folder and its entry; the entry is null if `problem` is set.
struct PluginLibrary {
    std::filesystem::path file;
    const void *entry = nullptr;
    std::string problem;
};

/// Opens the libraries of a folder, in the order of their file names. Each is first loaded in a
/// child process, so that a library that crashes while loading becomes a row, not a crash; its ABI
/// number is compared before anything else of it is used. Files that every user may change are not
/// loaded.
std::vector<PluginLibrary> openPluginLibraries(const std::filesystem::path &folder,
                                               const PluginKind &kind);

/// Opens the library, compares its ABI number and finds its entry.
void openPluginLibrary(PluginLibrary &library, const PluginKind &kind);

/// Returns the folder of the installed or built plugins that belong to the running executable.
std::filesystem::path pluginFolder(std::string_view folder);

/// Adds a row for each missing part of the program of that kind (program_parts.h).
template <class Plugin>
void addMissing(std::vector<Plugin> &plugins, const std::vector<MissingPart> &missing)
{
    for (const MissingPart &part : missing) {
        Plugin row;
        row.file = part.file;
        row.problem = part.problem;
        plugins.push_back(std::move(row));
    }
}

/// Makes the object of each library. `Plugin` has a file, a problem and a pointer `made`, which
/// stays null if there is a problem, for instance if an earlier library gives one of the same
/// name().
template <class Entry, class Plugin, class Interface>
std::vector<Plugin> loadPlugins(std::vector<PluginLibrary> libraries, const PluginKind &kind,
                                std::shared_ptr<const Interface> Plugin::*made)
{
    std::vector<Plugin> plugins;
    for (PluginLibrary &library : libraries) {
        Plugin plugin;
        plugin.file = std::move(library.file);
        plugin.problem = std::move(library.problem);
        try {
            if (library.entry) {
                plugin.*made = static_cast<const Entry *>(library.entry)->make();
                if (!(plugin.*made))
                    plugin.problem = "provides no " + kind.noun;
            }
        } catch (const std::exception &error) {
            plugin.problem = "fails to create its " + kind.noun + ": " + error.what();
        }
        for (const Plugin &other : plugins)
            if (plugin.*made && other.*made && (plugin.*made)->name() == (other.*made)->name()) {
                plugin.problem = "provides a " + kind.noun + " \"" +
                                 std::string((other.*made)->name()) + "\", which " +
                                 other.file.filename().string() + " already provides";
                plugin.*made = nullptr;
            }
        plugins.push_back(std::move(plugin));
    }
    return plugins;
}

} // namespace graphloom

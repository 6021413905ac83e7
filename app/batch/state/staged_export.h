// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/onnx_export/export.h"
#include "engine/system/temporary.h"

#include <filesystem>

namespace graphloom {

/// An exported model that is not in its place yet: it lies, with its external data, in a
/// temporary folder beside the place. What is not placed is removed.
class StagedExport {
public:
    /// Fails (Missing) when the folder of `target` cannot be written, (Usage) for a device. What
    /// was left there by programs that were killed is removed.
    static Result<StagedExport> write(const Plan &plan, const std::filesystem::path &target,
                                      const ExportOptions &options);
    /// Removes what this process has begun to stage beside `target` and has not put in its place.
    static void removeOwn(const std::filesystem::path &target);

    /// The model's file for now.
    std::filesystem::path path() const { return m_folder.path() / m_target.filename(); }
    /// Moves everything to its place, the model itself last, and removes the data of the model that
    /// it replaces.
    Result<void> place();

private:
    StagedExport(Temporary folder, std::filesystem::path target)
        : m_folder(std::move(folder)), m_target(std::move(target))
    {
    }

    Temporary m_folder;
    std::filesystem::path m_target;
};

} // namespace graphloom

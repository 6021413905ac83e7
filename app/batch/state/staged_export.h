// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/onnx_export/export.h"
#include "engine/system/temporary.h"

#include <filesystem>

namespace graphloom {

/// Holds an exported model that is not in its place yet: the model, with its external data, is in a
/// temporary folder beside its target. What is not placed is removed.
class StagedExport {
public:
    /// Writes the model. Fails (Missing) if the folder of `target` cannot be written, and (Usage)
    /// for a device. Removes the temporary folders there that killed programs left.
    static Result<StagedExport> write(const Plan &plan, const std::filesystem::path &target,
                                      const ExportOptions &options);
    /// Removes the folders that this process has staged beside `target` and not put in place.
    static void removeOwn(const std::filesystem::path &target);

    /// Returns the present path of the model's file.
    std::filesystem::path path() const { return m_folder.path() / m_target.filename(); }
    /// Moves all files to their place, the model last, and removes the external data of the model
    /// that it replaces.
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

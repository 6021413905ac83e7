// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <filesystem>

namespace graphloom {

/// Owns a file or folder next to its final destination, accessible to its owner only. It is removed
/// with this object. Its creator holds a lock on it (flock) for as long as it runs, so that later
/// processes can recognize what a killed process left.
class Temporary {
public:
    /// Creates an empty file, open for writing. Fails (Missing) with the reason if the folder
    /// cannot be written.
    static Result<Temporary> file(const std::filesystem::path &folder);
    static Result<Temporary> folder(const std::filesystem::path &folder);
    Temporary(Temporary &&other) noexcept;
    Temporary &operator=(Temporary &&) = delete;
    ~Temporary();

    const std::filesystem::path &path() const { return m_path; }
    /// Returns the descriptor of the file; that of a folder can only be locked and synced.
    int descriptor() const { return m_descriptor; }
    /// Keeps the file or folder, which has been renamed.
    void keep() { m_path.clear(); }

private:
    Temporary(std::filesystem::path path, int descriptor)
        : m_path(std::move(path)), m_descriptor(descriptor)
    {
    }

    std::filesystem::path m_path; // empty: nothing is to be removed
    int m_descriptor;
};

/// Removes temporary files and folders here that processes have left: those of this user that
/// nobody holds a lock on.
void removeAbandoned(const std::filesystem::path &folder);

/// Removes the temporaries that this process holds, even if they are still being written: for a
/// process that is about to end at once.
void removeOwnTemporaries(const std::filesystem::path &folder);

/// Returns the folder for temporary files: TMPDIR, or else /tmp.
std::filesystem::path temporaryFolder();

} // namespace graphloom

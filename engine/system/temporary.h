// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <filesystem>

namespace graphloom {

/// A file or folder beside what it will become part of, which nobody but its owner may read. It
/// goes with this object. Whoever makes one holds a lock on it (flock) as long as he runs, so that
/// the next one can tell what was left behind by a process that was killed.
class Temporary {
public:
    /// An empty file, open for writing. Fails (Missing) where the folder cannot be written, and
    /// says why.
    static Result<Temporary> file(const std::filesystem::path &folder);
    static Result<Temporary> folder(const std::filesystem::path &folder);
    Temporary(Temporary &&other) noexcept;
    Temporary &operator=(Temporary &&) = delete;
    ~Temporary();

    const std::filesystem::path &path() const { return m_path; }
    /// Of the file; of a folder one that can only be locked and synced.
    int descriptor() const { return m_descriptor; }
    /// It has another name now, and stays.
    void keep() { m_path.clear(); }

private:
    Temporary(std::filesystem::path path, int descriptor)
        : m_path(std::move(path)), m_descriptor(descriptor)
    {
    }

    std::filesystem::path m_path; // empty: nothing is to be removed
    int m_descriptor;
};

/// Removes what processes that are gone have left of temporary files and folders here: those of
/// this user that nobody holds a lock on.
void removeAbandoned(const std::filesystem::path &folder);

/// Removes those that this process holds, whatever is still being written there: for a process that
/// is about to end at once.
void removeOwnTemporaries(const std::filesystem::path &folder);

/// The folder for temporary files: TMPDIR, or else /tmp.
std::filesystem::path temporaryFolder();

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace graphloom {

/// Holds bytes in a mapped file without a name: memory that the system can reclaim at any time
/// without swapping, like that of a model's own file. Nobody else can open or truncate the file; it
/// is deleted with its last owner.
class ScratchFile {
public:
    /// Returns a copy of the bytes; null if there is no room or no folder for temporary files
    /// (TMPDIR, or else /var/tmp).
    static std::shared_ptr<const ScratchFile> of(std::span<const std::byte> bytes);
    ~ScratchFile();
    ScratchFile(const ScratchFile &) = delete;
    ScratchFile &operator=(const ScratchFile &) = delete;

    std::span<const std::byte> bytes() const { return m_bytes; }

private:
    explicit ScratchFile(std::span<const std::byte> bytes) : m_bytes(bytes) {}

    std::span<const std::byte> m_bytes;
};

} // namespace graphloom

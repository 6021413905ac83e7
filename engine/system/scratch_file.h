// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace graphloom {

/// Bytes in a file without a name, mapped: memory that the system can take back at any time
/// without swapping, as it can that of a model's own file. Nobody else can open or cut the file; it
/// goes with the last one who has it.
class ScratchFile {
public:
    /// A copy of the bytes; null where there is no room or no folder for temporary files (TMPDIR,
    /// or else /var/tmp).
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

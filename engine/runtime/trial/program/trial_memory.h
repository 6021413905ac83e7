// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/runtime/trial/trial.h"

namespace graphloom {

/// Holds bytes whose end, rounded up to 64, is followed by a page that must not be accessed.
class GuardedMemory {
public:
    explicit GuardedMemory(std::int64_t bytes);
    GuardedMemory(GuardedMemory &&other) noexcept;
    GuardedMemory &operator=(GuardedMemory &&) = delete;
    ~GuardedMemory();

    /// Returns the memory, 64-byte aligned; null if it could not be allocated.
    char *data() const { return m_data; }
    std::int64_t size() const { return m_bytes; }

private:
    void *m_pages = nullptr;
    std::size_t m_mapped = 0;
    char *m_data = nullptr;
    std::int64_t m_bytes;
};

/// Fills memory as the buffer specifies, identically for the same seed.
Result<void> fill(const GuardedMemory &memory, const TrialBuffer &buffer, std::uint64_t seed);

/// Writes memory to a file. Fails (Missing) with the file's name.
Result<void> write(const GuardedMemory &memory, const std::filesystem::path &file);

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace graphloom {

/// Computes tasks first..last-1 of a phase of a generated kernel. `buffers` are the tensors that it
/// reads and writes; `scratch` is memory of the calling thread, 64-byte aligned; errors are written
/// to `status`, which is 0 otherwise.
using KernelFunction = void (*)(void *const *buffers, char *scratch, std::int64_t first,
                                std::int64_t last, std::int32_t *status);

/// Holds a loaded shared library of kernels, which is unloaded when its last copy is destroyed.
class KernelLibrary {
public:
    /// Loads a library of the cache from a copy in memory of the very bytes whose checksum was
    /// verified, so that later changes to the file do not matter. Fails (Fault) if it is damaged or
    /// the loader refuses it, (Missing) if the file or the memory is not available.
    static Result<KernelLibrary> open(const std::filesystem::path &file);
    /// Returns a function of the library, valid as long as the library is loaded. Fails (Fault) if
    /// there is no such function.
    Result<KernelFunction> kernel(const std::string &name) const;
    const std::filesystem::path &file() const { return m_file; }
    /// Returns the checksum of its content.
    const std::string &checksum() const { return m_checksum; }

private:
    struct Loaded;
    KernelLibrary(std::filesystem::path file, std::string checksum, std::shared_ptr<Loaded> loaded)
        : m_file(std::move(file)), m_checksum(std::move(checksum)), m_loaded(std::move(loaded))
    {
    }
    std::filesystem::path m_file;
    std::string m_checksum;
    std::shared_ptr<Loaded> m_loaded;
};

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace graphloom {

/// A phase of a generated kernel: computes its tasks first..last-1. `buffers` are the tensors it
/// reads and writes, `scratch` is memory of the calling thread, 64-byte aligned; what goes wrong
/// is written to `status`, which is 0 otherwise.
using KernelFunction = void (*)(void *const *buffers, char *scratch, std::int64_t first,
                                std::int64_t last, std::int32_t *status);

/// A loaded shared library of kernels; unloaded when its last copy goes.
class KernelLibrary {
public:
    /// Loads a library of the cache, from a copy in memory of the very bytes whose checksum was
    /// looked at: what becomes of the file afterwards does not matter. Fails (Fault) where it is
    /// damaged or the loader refuses it, (Missing) where it or the memory is not there.
    static Result<KernelLibrary> open(const std::filesystem::path &file);
    /// Fails (Fault) when there is no such function. Valid as long as the library is loaded.
    Result<KernelFunction> kernel(const std::string &name) const;
    const std::filesystem::path &file() const { return m_file; }
    /// Of its content.
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

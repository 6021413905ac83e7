// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/c_compiler.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

namespace graphloom {

/// A phase of a generated kernel: computes its tasks first..last-1. `buffers` are the tensors it
/// reads and writes, `scratch` is memory of the calling thread, 64-byte aligned; what goes wrong
/// is written to `status`, which is 0 otherwise.
using KernelFunction = void (*)(void *const *buffers, char *scratch, std::int64_t first,
                                std::int64_t last, std::int32_t *status);

/// A loaded shared library of kernels; unloaded when its last copy goes.
class KernelLibrary {
public:
    /// Fails (Fault) with the loader's reason.
    static Result<KernelLibrary> open(const std::filesystem::path &file);
    /// Fails (Fault) when there is no such function. Valid as long as the library is loaded.
    Result<KernelFunction> kernel(const std::string &name) const;
    const std::filesystem::path &file() const { return m_file; }

private:
    KernelLibrary(std::filesystem::path file, std::shared_ptr<void> handle)
        : m_file(std::move(file)), m_handle(std::move(handle))
    {
    }
    std::filesystem::path m_file;
    std::shared_ptr<void> m_handle;
};

/// Compiled kernels on disk, by content: source, flags, compiler. Any number of threads and
/// processes may use one folder at a time.
class KernelCache {
public:
    /// `limitBytes` bounds what the folder holds, sources too, but for what was built last: the
    /// libraries that were not asked for for longest go first.
    KernelCache(std::filesystem::path folder, std::uint64_t limitBytes);

    /// The shared library for this source, compiled unless it is there; its source is beside it, as
    /// .c. Fails as compileShared() does, and (Missing) when the folder cannot be written.
    Result<std::filesystem::path> library(const CCompiler &compiler, const std::string &source,
                                          const std::vector<std::string> &flags,
                                          std::stop_token stop, double timeoutSeconds);
    /// The same for several sources, with `threads` compilers at once; in the order of the sources.
    std::vector<Result<std::filesystem::path>> libraries(const CCompiler &compiler,
                                                         std::span<const std::string> sources,
                                                         const std::vector<std::string> &flags,
                                                         unsigned threads, std::stop_token stop,
                                                         double timeoutSeconds);

    const std::filesystem::path &folder() const { return m_folder; }

private:
    void removeOldest(const std::string &kept) const;

    std::filesystem::path m_folder;
    std::uint64_t m_limit;
    std::atomic<std::uint64_t> m_added; // bytes since the folder was looked through
};

/// Where kernels are kept when nobody names another folder: graphloom/kernels below XDG_CACHE_HOME,
/// or below ~/.cache when that is empty or relative (XDG Base Directory Specification). Fails
/// (Usage) when there is no home folder either.
Result<std::filesystem::path> defaultKernelFolder(const std::string &xdgCacheHome,
                                                  const std::string &home);

} // namespace graphloom

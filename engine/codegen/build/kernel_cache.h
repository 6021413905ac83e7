// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/build/c_compiler.h"
#include "engine/codegen/build/kernel_folder.h"
#include "engine/codegen/build/kernel_library.h"
#include "engine/codegen/build/precompiled_headers.h"
#include "engine/codegen/emit/kernel_source.h"
#include "engine/system/temporary.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>

namespace graphloom {

/// Holds the functions through which a cache reports events other than its results, on the thread
/// that asks for a library.
struct KernelCacheEvents {
    /// Called when a damaged library is compiled anew, with its name and the damage.
    std::function<void(const std::string &)> rebuilt = [](const std::string &) {};
    /// Called with the reason if the folder cannot be used: kernels are then kept in a temporary
    /// one for as long as this cache exists. If not set, the request for a library fails with the
    /// reason instead.
    std::function<void(const std::string &)> goesElsewhere = {};
};

/// Keeps compiled kernels on disk, by content: source, flags, compiler. Any number of threads and
/// processes may use one folder at a time. A library is stored with a checksum, after a check of
/// the compiler's output; a damaged one is compiled anew.
class KernelCache {
public:
    /// Opens the cache in a folder. `limitBytes` bounds what the folder holds, including sources,
    /// except for the latest library: the libraries whose last use is longest ago are removed
    /// first.
    KernelCache(std::filesystem::path folder, std::uint64_t limitBytes,
                KernelCacheEvents events = {});

    /// Returns the shared library for this source, or its object file (KernelSource::form),
    /// compiled unless it is there; its source is beside it, as .c. Fails as compileShared() does,
    /// (Fault) if the compiled library lacks a function, and (Missing) if the folder is not this
    /// user's alone (makeOwnFolder()) or cannot be written.
    Result<std::filesystem::path> library(const CCompiler &compiler, const KernelSource &source,
                                          const std::vector<std::string> &flags,
                                          std::stop_token stop, double timeoutSeconds);
    /// Returns the libraries for several sources, in their order, with `threads` compilers at once.
    /// The time limit is for all together.
    std::vector<Result<std::filesystem::path>> libraries(const CCompiler &compiler,
                                                         std::span<const KernelSource> sources,
                                                         const std::vector<std::string> &flags,
                                                         unsigned threads, std::stop_token stop,
                                                         double timeoutSeconds);

    /// Tells whether there is a library for this source, which may turn out to be damaged.
    bool holds(const CCompiler &compiler, const KernelSource &source,
               const std::vector<std::string> &flags) const;

    /// Returns the library with a function of a source with `common`, if there is one that was
    /// asked for through this object, or that note() has named. It may turn out to be damaged.
    std::optional<std::filesystem::path> libraryOf(const CCompiler &compiler,
                                                   const std::string &common,
                                                   const std::vector<std::string> &flags,
                                                   const std::string &symbol) const;
    /// Notes in the folder which libraries have these functions, as far as they were asked for
    /// through this object: other plans find them in whatever library they are. What cannot be
    /// noted is compiled again.
    void note(const CCompiler &compiler, const std::string &common,
              const std::vector<std::string> &flags, std::span<const std::string> symbols) const;

    /// Returns the folder where kernels are kept now.
    std::filesystem::path folder() const;

private:
    struct Kept;
    Kept keptIn(const std::filesystem::path &folder, const std::string &key,
                const CCompiler &compiler, const KernelSource &source,
                const std::vector<std::string> &flags, std::stop_token stop, double timeoutSeconds);
    bool goElsewhere(const std::filesystem::path &from, const Error &reason);
    Result<void> compile(const std::filesystem::path &folder, const CCompiler &compiler,
                         const KernelSource &source, const std::vector<std::string> &flags,
                         const std::filesystem::path &output, std::stop_token stop,
                         double timeoutSeconds);
    void removeOldest(const std::string &kept) const;

    mutable std::mutex m_mutex; // guards the next three
    std::filesystem::path m_folder;
    std::optional<Temporary> m_temporary; // in place of the folder that was given
    /// The libraries that were asked for, by the key of a function.
    std::map<std::string, std::filesystem::path> m_functions;
    std::uint64_t m_limit;
    KernelCacheEvents m_events;
    std::atomic<std::uint64_t> m_added; // bytes added since the folder was scanned
    PrecompiledHeaders m_headers;
};

} // namespace graphloom

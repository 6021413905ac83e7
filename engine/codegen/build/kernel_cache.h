// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/build/c_compiler.h"
#include "engine/codegen/build/kernel_folder.h"
#include "engine/codegen/build/kernel_library.h"
#include "engine/codegen/emit/kernel_source.h"
#include "engine/system/temporary.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>

namespace graphloom {

/// What a cache tells of besides its libraries, from whichever thread asks for them.
struct KernelCacheEvents {
    /// A library that was damaged is compiled anew: which one, and how it was.
    std::function<void(const std::string &)> rebuilt = [](const std::string &) {};
    /// The folder cannot be used, and why: kernels are kept in a temporary one for as long as this
    /// cache is there. Where nobody listens, who asks for a library gets the reason instead.
    std::function<void(const std::string &)> goesElsewhere = {};
};

/// Compiled kernels on disk, by content: source, flags, compiler. Any number of threads and
/// processes may use one folder at a time. A library is put there with a checksum, after a look at
/// what the compiler has left; one that is damaged is compiled anew.
class KernelCache {
public:
    /// `limitBytes` bounds what the folder holds, sources too, but for what was built last: the
    /// libraries that were not asked for for longest go first.
    KernelCache(std::filesystem::path folder, std::uint64_t limitBytes,
                KernelCacheEvents events = {});

    /// The shared library for this source, compiled unless it is there; its source is beside it, as
    /// .c. Fails as compileShared() does, (Fault) when what was compiled lacks a function, and
    /// (Missing) when the folder is not this user's alone (makeOwnFolder()) or cannot be written.
    Result<std::filesystem::path> library(const CCompiler &compiler, const KernelSource &source,
                                          const std::vector<std::string> &flags,
                                          std::stop_token stop, double timeoutSeconds);
    /// The same for several sources, with `threads` compilers at once; in the order of the sources.
    /// The time is for all together.
    std::vector<Result<std::filesystem::path>> libraries(const CCompiler &compiler,
                                                         std::span<const KernelSource> sources,
                                                         const std::vector<std::string> &flags,
                                                         unsigned threads, std::stop_token stop,
                                                         double timeoutSeconds);

    /// Where kernels are kept now.
    std::filesystem::path folder() const;

private:
    struct Kept;
    Kept keptIn(const std::filesystem::path &folder, const std::string &key,
                const CCompiler &compiler, const KernelSource &source,
                const std::vector<std::string> &flags, std::stop_token stop, double timeoutSeconds);
    bool goElsewhere(const std::filesystem::path &from, const Error &reason);
    void removeOldest(const std::string &kept) const;

    mutable std::mutex m_mutex; // of the next two
    std::filesystem::path m_folder;
    std::optional<Temporary> m_temporary; // in place of the folder that was given
    std::uint64_t m_limit;
    KernelCacheEvents m_events;
    std::atomic<std::uint64_t> m_added; // bytes since the folder was looked through
};

} // namespace graphloom

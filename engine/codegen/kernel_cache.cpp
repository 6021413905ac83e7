// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/kernel_cache.h"

#include "engine/base/hash.h"
#include "engine/cost/host.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <thread>

namespace graphloom {

namespace fs = std::filesystem;

namespace {

/// Name of the library: 128 bits in hexadecimal of all that decides what is in it.
std::string keyOf(const CCompiler &compiler, const std::string &source,
                  const std::vector<std::string> &flags)
{
    std::string text = compiler.version + '\0' + compiler.triple + '\0';
    for (const auto *words : {&compiler.arguments, &flags}) {
        for (const std::string &word : *words) {
            text += word + '\0';
            if (word.ends_with("=native")) // means another thing on another machine
                text += hostFacts().cpu + '\0';
        }
        text += '\0';
    }
    text += source;
    std::string key;
    for (const std::uint64_t seed : {1, 2}) {
        char digits[17];
        std::snprintf(digits, sizeof digits, "%016llx",
                      static_cast<unsigned long long>(hashText(text, seed)));
        key += digits;
    }
    return key;
}

fs::path withExtension(fs::path stem, const char *extension)
{
    return stem += extension;
}

/// A folder that goes, with what is in it, at the end.
struct WorkFolder {
    fs::path path;
    ~WorkFolder()
    {
        std::error_code ignored;
        if (!path.empty())
            fs::remove_all(path, ignored);
    }
};

/// Marks as used just now. Whoever may read a folder of somebody else's, but not write, does
/// without.
void touch(const fs::path &file)
{
    std::error_code ignored;
    fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
}

} // namespace

Result<KernelLibrary> KernelLibrary::open(const fs::path &file)
{
    void *handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return fail(Error::Kind::Fault, "cannot be loaded: " + std::string(::dlerror()),
                    file.string());
    return KernelLibrary(file, std::shared_ptr<void>(handle, [](void *open) { ::dlclose(open); }));
}

Result<KernelFunction> KernelLibrary::kernel(const std::string &name) const
{
    void *symbol = ::dlsym(m_handle.get(), name.c_str());
    if (!symbol)
        return fail(Error::Kind::Fault, "has no function " + name, m_file.string());
    return reinterpret_cast<KernelFunction>(symbol);
}

KernelCache::KernelCache(fs::path folder, std::uint64_t limitBytes)
    : m_folder(std::move(folder)), m_limit(limitBytes), m_added(limitBytes)
{
}

Result<fs::path> KernelCache::library(const CCompiler &compiler, const std::string &source,
                                      const std::vector<std::string> &flags, std::stop_token stop,
                                      double timeoutSeconds)
{
    const std::string key = keyOf(compiler, source, flags);
    const fs::path stem = m_folder / key, library = withExtension(stem, ".so");
    std::error_code error;
    if (fs::is_regular_file(library, error)) {
        touch(library);
        return library;
    }
    fs::create_directories(m_folder, error);
    std::string pattern = withExtension(stem, ".XXXXXX").string();
    if (error || !::mkdtemp(pattern.data()))
        return fail(Error::Kind::Missing,
                    "compiled kernels cannot be kept here: " +
                        (error ? error.message() : std::string(std::strerror(errno))) +
                        "; another folder is taken when XDG_CACHE_HOME names one",
                    m_folder.string());
    const WorkFolder work{pattern};
    const fs::path built = work.path / "kernel.so", text = work.path / "kernel.c";
    if (const auto done = compileShared(compiler, source, flags, built, stop, timeoutSeconds);
        !done)
        return tl::unexpected(done.error());
    const std::uint64_t bytes = fs::file_size(built, error) + source.size();
    fs::rename(text, withExtension(stem, ".c"), error);
    if (!error)
        fs::rename(built, library, error); // at once: nobody sees a part of it
    if (error)
        return fail(Error::Kind::Missing, "cannot be put in place: " + error.message(),
                    library.string());
    // Looked through now and then only: it may be thousands of files.
    if ((m_added += bytes) > m_limit / 8) {
        m_added = 0;
        removeOldest(key);
    }
    return library;
}

std::vector<Result<fs::path>> KernelCache::libraries(const CCompiler &compiler,
                                                     std::span<const std::string> sources,
                                                     const std::vector<std::string> &flags,
                                                     unsigned threads, std::stop_token stop,
                                                     double timeoutSeconds)
{
    std::vector<Result<fs::path>> results(sources.size());
    std::atomic<std::size_t> next = 0;
    const auto build = [&] {
        for (std::size_t i = next++; i < sources.size(); i = next++)
            results[i] = library(compiler, sources[i], flags, stop, timeoutSeconds);
    };
    // Threads of their own: they only wait for compilers.
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < std::min<std::size_t>(threads, sources.size()); ++i)
        helpers.emplace_back(build);
    build();
    helpers.clear();
    return results;
}

/// Down to seven eighths of the limit, so that it holds until the folder is looked through again.
void KernelCache::removeOldest(const std::string &kept) const
{
    struct Entry {
        fs::file_time_type used = fs::file_time_type::min();
        std::uint64_t bytes = 0;
        std::vector<fs::path> paths;
    };
    std::map<std::string, Entry> entries; // library, source and what is known of it together
    std::error_code error;
    std::uint64_t total = 0;
    const auto dayAgo = fs::file_time_type::clock::now() - std::chrono::hours(24);
    for (fs::directory_iterator file(m_folder, error), end; !error && file != end;
         file.increment(error)) {
        std::error_code gone; // another process may remove the file meanwhile
        const auto used = fs::last_write_time(file->path(), gone);
        if (gone)
            continue;
        if (file->is_directory(gone)) { // of a process that was killed
            if (used < dayAgo)
                fs::remove_all(file->path(), gone);
            continue;
        }
        const auto extension = file->path().extension();
        const std::uint64_t bytes = file->file_size(gone);
        if (gone || (extension != ".so" && extension != ".c" && extension != ".ran"))
            continue;
        Entry &entry = entries[file->path().stem().string()];
        entry.used = std::max(entry.used, used);
        entry.bytes += bytes;
        entry.paths.push_back(file->path());
        total += bytes;
    }
    entries.erase(kept);
    std::vector<const Entry *> order;
    for (const auto &[stem, entry] : entries)
        order.push_back(&entry);
    std::ranges::sort(order, {}, &Entry::used);
    for (const Entry *entry : order) {
        if (total <= m_limit - m_limit / 8)
            break;
        for (const fs::path &path : entry->paths)
            fs::remove(path, error);
        total -= entry->bytes;
    }
}

Result<fs::path> defaultKernelFolder(const std::string &xdgCacheHome, const std::string &home)
{
    fs::path folder = xdgCacheHome;
    if (!folder.is_absolute()) {
        if (home.empty())
            return fail(Error::Kind::Usage,
                        "there is no home folder to keep compiled kernels in; set XDG_CACHE_HOME");
        folder = fs::path(home) / ".cache";
    }
    return folder / "graphloom" / "kernels";
}

} // namespace graphloom

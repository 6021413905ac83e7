// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/build/kernel_cache.h"

#include "engine/base/hash.h"
#include "engine/base/steady_clock.h"
#include "engine/codegen/build/library_image.h"
#include "engine/codegen/build/sealed_file.h"
#include "engine/codegen/emit/prelude.h"
#include "engine/cost/host.h"
#include "engine/system/read_file.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sys/statvfs.h>
#include <thread>

namespace graphloom {

namespace fs = std::filesystem;

namespace {

/// Returns the name of a library: a 128-bit hash in hexadecimal of all that its content depends on.
std::string keyOf(const CCompiler &compiler, const std::string &source,
                  const std::vector<std::string> &flags)
{
    std::string text = compiler.version + '\0' + compiler.triple + '\0';
    for (const auto *words : {&compiler.arguments, &flags}) {
        for (const std::string &word : *words) {
            text += word + '\0';
            if (word.ends_with("=native")) // depends on the machine
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

/// Tells whether a text may be the name of a library.
bool isKey(const std::string &text)
{
    return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// Returns the name of the file that names the library of a function.
std::string noteOf(const std::string &common, const std::string &symbol)
{
    return symbol + "-" + common + ".at";
}

fs::path withExtension(fs::path stem, const char *extension)
{
    return stem += extension;
}

const char *extensionOf(const KernelSource &source)
{
    return source.form == KernelSource::Form::Object ? ".o" : ".so";
}

/// Tells whether the disk is full, which a compiler reports like any other failure.
bool hasNoRoom(const fs::path &folder)
{
    constexpr std::uint64_t little = 1 << 20;
    struct statvfs space = {};
    return ::statvfs(folder.c_str(), &space) == 0 &&
           std::uint64_t(space.f_bavail) * space.f_frsize < little;
}

/// Marks a file as just used. Has no effect if the folder is readable but not writable.
void touch(const fs::path &file)
{
    std::error_code ignored;
    fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
}

} // namespace

KernelCache::KernelCache(fs::path folder, std::uint64_t limitBytes, KernelCacheEvents events)
    : m_folder(std::move(folder)), m_limit(limitBytes), m_events(std::move(events)),
      m_added(limitBytes)
{
}

fs::path KernelCache::folder() const
{
    const std::lock_guard lock(m_mutex);
    return m_folder;
}

/// Holds the result of keptIn() in one folder.
struct KernelCache::Kept {
    Result<fs::path> library;
    bool folderFails = false; // another folder may work
};

/// Compiles with the precompiled headers if there are any, and without them if that fails.
Result<void> KernelCache::compile(const fs::path &folder, const CCompiler &compiler,
                                  const KernelSource &source, const std::vector<std::string> &flags,
                                  const fs::path &output, std::stop_token stop,
                                  double timeoutSeconds)
{
    const double end = steadySeconds() + timeoutSeconds;
    const std::string key = keyOf(compiler, {}, flags);
    const auto done = [&, form = source.form](const std::vector<std::string> &all) {
        const auto compiled = form == KernelSource::Form::Object ? compileObject : compileShared;
        return compiled(compiler, source.text, all, output, stop, end - steadySeconds());
    };
    std::vector<std::string> more;
    if (source.text.find(cPreludeHeaders()) != std::string::npos)
        more = m_headers.flagsFor(key, compiler, flags, folder, stop, timeoutSeconds);
    if (!more.empty()) {
        std::vector<std::string> all = flags;
        all.insert(all.end(), more.begin(), more.end());
        const auto result = done(all);
        if (result || stop.stop_requested() || steadySeconds() >= end)
            return result;
        m_headers.giveUp(key);
    }
    return done(flags);
}

KernelCache::Kept KernelCache::keptIn(const fs::path &folder, const std::string &key,
                                      const CCompiler &compiler, const KernelSource &source,
                                      const std::vector<std::string> &flags, std::stop_token stop,
                                      double timeoutSeconds)
{
    const auto folderFails = [](Error error) {
        return Kept{tl::unexpected(std::move(error)), true};
    };
    if (auto own = makeOwnFolder(folder); !own)
        return folderFails(own.error());
    const fs::path stem = folder / key, library = withExtension(stem, extensionOf(source));
    std::error_code error;
    if (fs::exists(fs::symlink_status(library, error))) {
        const auto sealed = readSealed(library);
        if (sealed) {
            touch(library);
            return {library};
        }
        m_events.rebuilt(sealed.error().text());
        fs::remove_all(library, error);
    }
    const auto work = Temporary::folder(folder);
    if (!work)
        return folderFails(work.error());
    const fs::path built = withExtension(work->path() / "kernel", extensionOf(source)),
                   text = work->path() / "kernel.c";
    if (const auto done = compile(folder, compiler, source, flags, built, stop, timeoutSeconds);
        !done)
        return {tl::unexpected(done.error()), hasNoRoom(folder)};
    const auto image = readFile(built);
    const auto usable = !image ? tl::unexpected(image.error())
                        : source.form == KernelSource::Form::Object
                            ? checkObjectImage(*image)
                            : checkLibraryImage(*image, source.symbols);
    if (!usable)
        return {fail(Error::Kind::Fault,
                     "reported success, but its output " + usable.error().message,
                     compiler.program.string()),
                hasNoRoom(folder)};
    if (const auto sealed = sealFile(built, *image, key); !sealed)
        return folderFails(sealed.error());
    fs::permissions(text, fs::perms(0600), error);
    fs::rename(text, withExtension(stem, ".c"), error);
    if (!error)
        fs::rename(built, library, error); // atomically: nobody sees a part of it
    if (error)
        return folderFails(Error{Error::Kind::Missing, "cannot be put in place: " + error.message(),
                                 library.string(), std::source_location::current()});
    // Scans the folder only now and then, as it may hold thousands of files.
    if ((m_added += image->size() + source.text.size()) > m_limit / 8) {
        m_added = 0;
        removeOldest(key);
    }
    return {library};
}

/// Switches to another folder if `from` fails; returns whether there is one.
bool KernelCache::goElsewhere(const fs::path &from, const Error &reason)
{
    const std::lock_guard lock(m_mutex);
    if (m_folder != from)
        return true; // another thread has switched
    if (!m_events.goesElsewhere || m_temporary)
        return false;
    removeAbandoned(temporaryFolder());
    auto temporary = Temporary::folder(temporaryFolder());
    if (!temporary)
        return false;
    m_folder = temporary->path();
    m_temporary.emplace(*std::move(temporary));
    m_events.goesElsewhere(reason.text());
    return true;
}

bool KernelCache::holds(const CCompiler &compiler, const KernelSource &source,
                        const std::vector<std::string> &flags) const
{
    std::error_code error;
    return fs::exists(
        withExtension(folder() / keyOf(compiler, source.text, flags), extensionOf(source)), error);
}

Result<fs::path> KernelCache::library(const CCompiler &compiler, const KernelSource &source,
                                      const std::vector<std::string> &flags, std::stop_token stop,
                                      double timeoutSeconds)
{
    const std::string key = keyOf(compiler, source.text, flags);
    for (;;) {
        const fs::path where = folder();
        Kept kept = keptIn(where, key, compiler, source, flags, stop, timeoutSeconds);
        if (kept.library && !source.common.empty()) {
            const std::string common = keyOf(compiler, source.common, flags);
            const std::lock_guard lock(m_mutex);
            for (const std::string &symbol : source.symbols)
                m_functions.insert_or_assign(common + symbol,
                                             *kept.library); // the other is gone or damaged
        }
        if (kept.library || !kept.folderFails || !goElsewhere(where, kept.library.error()))
            return std::move(kept.library);
    }
}

std::optional<fs::path> KernelCache::libraryOf(const CCompiler &compiler, const std::string &common,
                                               const std::vector<std::string> &flags,
                                               const std::string &symbol) const
{
    const std::string key = keyOf(compiler, common, flags);
    std::error_code error;
    {
        const std::lock_guard lock(m_mutex);
        if (const auto asked = m_functions.find(key + symbol);
            asked != m_functions.end() && fs::exists(asked->second, error))
            return asked->second;
    }
    const fs::path where = folder();
    const fs::path note = where / noteOf(key, symbol);
    const auto named = readFile(note);
    if (!named || !isKey(*named))
        return std::nullopt;
    const fs::path library = withExtension(where / *named, ".so");
    if (!fs::exists(library, error))
        return std::nullopt;
    touch(note);
    touch(library);
    return library;
}

void KernelCache::note(const CCompiler &compiler, const std::string &common,
                       const std::vector<std::string> &flags,
                       std::span<const std::string> symbols) const
{
    const std::string key = keyOf(compiler, common, flags);
    const std::lock_guard lock(m_mutex);
    const auto work = Temporary::folder(m_folder);
    if (!work)
        return;
    for (const std::string &symbol : symbols) {
        const auto asked = m_functions.find(key + symbol);
        if (asked == m_functions.end() || asked->second.parent_path() != m_folder)
            continue;
        // Not waited for until it is on the disk: a library has a checksum, and whoever opens it
        // looks for the function there.
        const fs::path written = work->path() / "at";
        std::error_code error;
        if (!(std::ofstream(written, std::ios::binary)
              << asked->second.stem().string() << std::flush))
            continue;
        fs::permissions(written, fs::perms(0600), error); // whatever the umask is
        if (!error)
            fs::rename(written, m_folder / noteOf(key, symbol), error);
    }
}

std::vector<Result<fs::path>> KernelCache::libraries(const CCompiler &compiler,
                                                     std::span<const KernelSource> sources,
                                                     const std::vector<std::string> &flags,
                                                     unsigned threads, std::stop_token stop,
                                                     double timeoutSeconds)
{
    std::vector<Result<fs::path>> results(sources.size());
    std::atomic<std::size_t> next = 0;
    const double begin = steadySeconds();
    const auto build = [&] {
        for (std::size_t i = next++; i < sources.size(); i = next++) {
            const double left = timeoutSeconds - (steadySeconds() - begin);
            results[i] = left > 0 ? library(compiler, sources[i], flags, stop, left)
                                  : fail(Error::Kind::Fault,
                                         "did not run: other kernels used up the compile time",
                                         compiler.program.string());
        }
    };
    // Plain threads suffice, as they only wait for compilers.
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < std::min<std::size_t>(threads, sources.size()); ++i)
        helpers.emplace_back(build);
    build();
    helpers.clear();
    return results;
}

/// Shrinks the folder to seven eighths of the limit, which then holds until the next scan.
void KernelCache::removeOldest(const std::string &kept) const
{
    struct Entry {
        fs::file_time_type used = fs::file_time_type::min();
        std::uint64_t bytes = 0;
        std::vector<fs::path> paths;
    };
    std::map<std::string, Entry> entries; // library, source and rehearsal results together
    std::error_code error;
    std::uint64_t total = 0;
    const auto dayAgo = fs::file_time_type::clock::now() - std::chrono::hours(24);
    const fs::path where = folder();
    removeAbandoned(where);
    for (fs::directory_iterator file(where, error), end; !error && file != end;
         file.increment(error)) {
        std::error_code gone; // another process may remove the file meanwhile
        const auto used = fs::last_write_time(file->path(), gone);
        if (gone)
            continue;
        if (file->is_directory(gone)) { // left by an earlier version that was killed
            if (used < dayAgo && !file->path().filename().native().starts_with('.'))
                fs::remove_all(file->path(), gone);
            continue;
        }
        const std::uint64_t bytes = file->file_size(gone);
        if (gone || !isKernelFile(file->path()))
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

} // namespace graphloom

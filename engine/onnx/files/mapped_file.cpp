// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/files/mapped_file.h"

#include "engine/base/hash.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <mutex>
#include <set>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace graphloom {

namespace {

struct OpenFiles {
    std::mutex change;
    std::set<const MappedFile *> files;

    static OpenFiles &instance()
    {
        static auto *open = new OpenFiles; // files may be closed by destructors of statics
        return *open;
    }
    /// Returns the file that contains the first byte. Requires the lock.
    const MappedFile *holding(std::span<const std::byte> bytes) const
    {
        const auto inside = [&](const MappedFile *file) {
            const auto all = file->bytes();
            return !std::less<>()(bytes.data(), all.data()) &&
                   std::less<>()(bytes.data(), all.data() + all.size());
        };
        const auto found = std::ranges::find_if(files, inside);
        return found == files.end() ? nullptr : *found;
    }
};

} // namespace

Descriptor::~Descriptor()
{
    if (m_number >= 0)
        ::close(m_number);
}

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::filesystem::path &path,
                                                           std::uint64_t mostBytes,
                                                           std::optional<std::uint64_t> identity)
{
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file.valid())
        return fail(Error::Kind::Model, std::string("cannot be opened: ") + std::strerror(errno),
                    path.string());
    struct stat facts = {};
    if (::fstat(file.number(), &facts) == 0 && std::uint64_t(facts.st_size) > mostBytes)
        return fail(Error::Kind::Model,
                    "has " + std::to_string(facts.st_size) + " bytes; the limit is " +
                        std::to_string(mostBytes) +
                        " (larger models keep their weights in external data)",
                    path.string());
    return map(file, path, identity);
}

Result<std::shared_ptr<const MappedFile>> MappedFile::map(const Descriptor &file,
                                                          const std::filesystem::path &path,
                                                          std::optional<std::uint64_t> identity)
{
    struct stat facts = {};
    if (::fstat(file.number(), &facts) != 0)
        return fail(Error::Kind::Model, std::string("cannot be read: ") + std::strerror(errno),
                    path.string());
    if (!S_ISREG(facts.st_mode))
        return fail(Error::Kind::Model,
                    S_ISDIR(facts.st_mode) ? "is a folder" : "is not a regular file",
                    path.string());
    std::shared_ptr<MappedFile> mapped(new MappedFile);
    mapped->m_path = path;
    const auto size = std::size_t(facts.st_size);
    if (size > 0) {
        void *at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
        if (at == MAP_FAILED)
            return fail(Error::Kind::Model,
                        std::string("cannot be mapped into memory: ") + std::strerror(errno),
                        path.string());
        mapped->m_bytes = {static_cast<const std::byte *>(at), size};
        mapped->m_guard.emplace(at, size);
    }
    for (const std::uint64_t fact :
         {std::uint64_t(facts.st_dev), std::uint64_t(facts.st_ino), std::uint64_t(facts.st_size),
          std::uint64_t(facts.st_mtim.tv_sec), std::uint64_t(facts.st_mtim.tv_nsec)})
        mapped->m_version = combine(mapped->m_version, fact);
    mapped->m_identity = identity.value_or(mapped->m_version);
    OpenFiles &open = OpenFiles::instance();
    const std::lock_guard lock(open.change);
    open.files.insert(mapped.get());
    return mapped;
}

MappedFile::~MappedFile()
{
    {
        OpenFiles &open = OpenFiles::instance();
        const std::lock_guard lock(open.change);
        open.files.erase(this);
    }
    // Remove the guard before unmapping: afterwards the range may belong to another mapping.
    m_guard.reset();
    if (!m_bytes.empty())
        ::munmap(const_cast<std::byte *>(m_bytes.data()), m_bytes.size());
}

std::uint64_t MappedFile::identity(std::uint64_t offset, std::uint64_t length) const
{
    return combine(combine(m_identity, offset), length);
}

std::optional<std::filesystem::path> shrunkFileOf(std::span<const std::byte> bytes)
{
    OpenFiles &open = OpenFiles::instance();
    const std::lock_guard lock(open.change);
    const MappedFile *file = open.holding(bytes);
    return file && file->shrunk() ? std::optional(file->path()) : std::nullopt;
}

std::optional<FileRange> fileRangeOf(std::span<const std::byte> bytes)
{
    OpenFiles &open = OpenFiles::instance();
    const std::lock_guard lock(open.change);
    const MappedFile *found = open.holding(bytes);
    auto file = found ? found->weak_from_this().lock() : nullptr; // its destructor may be running
    if (!file)
        return std::nullopt;
    const auto offset = std::uint64_t(bytes.data() - file->bytes().data());
    return FileRange{std::move(file), offset};
}

} // namespace graphloom

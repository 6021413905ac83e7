// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/onnx/files/mapping_guard.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace graphloom {

/// Owns an open file descriptor.
class Descriptor {
public:
    explicit Descriptor(int number = -1) : m_number(number) {}
    Descriptor(Descriptor &&other) noexcept : m_number(std::exchange(other.m_number, -1)) {}
    Descriptor &operator=(Descriptor &&other) noexcept
    {
        std::swap(m_number, other.m_number);
        return *this;
    }
    ~Descriptor();

    bool valid() const { return m_number >= 0; }
    int number() const { return m_number; }

private:
    int m_number;
};

/// Represents a regular file, mapped read-only. It may be truncated while it is mapped: the missing
/// part then reads as zeros, and shrunk() says so.
class MappedFile : public std::enable_shared_from_this<MappedFile> {
public:
    /// Opens a file that the user named; links are followed. Fails (Model) if it cannot be opened,
    /// is no regular file, or is larger than `mostBytes`. `identity` stands for its content; by
    /// default version().
    static Result<std::shared_ptr<const MappedFile>>
    open(const std::filesystem::path &path, std::uint64_t mostBytes,
         std::optional<std::uint64_t> identity = std::nullopt);
    /// Maps the whole of an open regular file; messages call it `path`.
    static Result<std::shared_ptr<const MappedFile>>
    map(const Descriptor &file, const std::filesystem::path &path,
        std::optional<std::uint64_t> identity = std::nullopt);
    ~MappedFile();
    MappedFile(const MappedFile &) = delete;
    MappedFile &operator=(const MappedFile &) = delete;

    const std::filesystem::path &path() const { return m_path; }
    std::span<const std::byte> bytes() const { return m_bytes; }
    /// Returns a number that stands for the content of a part of the file: a hash of identity(),
    /// which usually is version(), and the position of the part.
    std::uint64_t identity(std::uint64_t offset, std::uint64_t length) const;
    /// Returns a number that stands for the content of the whole file.
    std::uint64_t identity() const { return m_identity; }
    /// Returns a number that stands for which file it is, its length and when it was last changed.
    std::uint64_t version() const { return m_version; }
    bool shrunk() const { return m_guard && m_guard->wasHit(); }

private:
    MappedFile() = default;

    std::filesystem::path m_path;
    std::span<const std::byte> m_bytes;
    std::uint64_t m_identity = 0, m_version = 0;
    std::optional<MappingGuard> m_guard;
};

/// Returns the mapped file that holds these bytes, if it was found to be truncated since it was
/// opened: what is read from it cannot be relied on. Returns nothing for intact files and for bytes
/// of no mapped file.
std::optional<std::filesystem::path> shrunkFileOf(std::span<const std::byte> bytes);

/// Tells where in a mapped file bytes are.
struct FileRange {
    std::shared_ptr<const MappedFile> file;
    std::uint64_t offset = 0;
};
/// Returns the position of bytes in their mapped file; nothing for bytes of no mapped file.
std::optional<FileRange> fileRangeOf(std::span<const std::byte> bytes);

} // namespace graphloom

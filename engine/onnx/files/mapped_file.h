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

/// An open file descriptor.
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

/// A regular file, mapped read-only. It may be cut short while it is mapped: what is missing
/// then reads as zeros, and shrunk() says so.
class MappedFile : public std::enable_shared_from_this<MappedFile> {
public:
    /// Opens a file that the user named; links are followed. Fails (Model) when it cannot be
    /// opened, is no regular file, or is larger than `mostBytes`.
    /// `identity` stands for its content; none: its own.
    static Result<std::shared_ptr<const MappedFile>>
    open(const std::filesystem::path &path, std::uint64_t mostBytes,
         std::optional<std::uint64_t> identity = std::nullopt);
    /// Maps the whole of an open regular file; `path` is what messages call it.
    static Result<std::shared_ptr<const MappedFile>>
    map(const Descriptor &file, const std::filesystem::path &path,
        std::optional<std::uint64_t> identity = std::nullopt);
    ~MappedFile();
    MappedFile(const MappedFile &) = delete;
    MappedFile &operator=(const MappedFile &) = delete;

    const std::filesystem::path &path() const { return m_path; }
    std::span<const std::byte> bytes() const { return m_bytes; }
    /// Stands for the content of a part of the file: a hash of identity(), which as a rule is
    /// version(), and the part's place.
    std::uint64_t identity(std::uint64_t offset, std::uint64_t length) const;
    /// Stands for the content of the whole.
    std::uint64_t identity() const { return m_identity; }
    /// Stands for which file it is, how long it is and when it was last changed.
    std::uint64_t version() const { return m_version; }
    bool shrunk() const { return m_guard && m_guard->wasHit(); }

private:
    MappedFile() = default;

    std::filesystem::path m_path;
    std::span<const std::byte> m_bytes;
    std::uint64_t m_identity = 0, m_version = 0;
    std::optional<MappingGuard> m_guard;
};

/// The mapped file that holds these bytes, if it was found cut short since it was opened: what
/// is read of it cannot be relied on. None for intact files and for bytes of no mapped file.
std::optional<std::filesystem::path> shrunkFileOf(std::span<const std::byte> bytes);

/// Where in a mapped file bytes are.
struct FileRange {
    std::shared_ptr<const MappedFile> file;
    std::uint64_t offset = 0;
};
/// None for bytes of no mapped file.
std::optional<FileRange> fileRangeOf(std::span<const std::byte> bytes);

} // namespace graphloom

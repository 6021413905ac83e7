// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/build/sealed_file.h"

#include "engine/system/write_fully.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

namespace graphloom {

namespace {

/// Follows the checksum, which is in hexadecimal.
constexpr std::string_view sealMark = "graphloom-sealed";
constexpr std::size_t checksumDigits = 32;
constexpr std::size_t sealBytes = checksumDigits + sealMark.size();
constexpr std::size_t mostSealedBytes = std::size_t{1} << 30;

struct OpenFile {
    int number = -1;
    ~OpenFile()
    {
        if (number >= 0)
            ::close(number);
    }
};

bool readFully(int file, std::string &bytes)
{
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t count = ::read(file, bytes.data() + done, bytes.size() - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        done += std::size_t(count);
    }
    return true;
}

} // namespace

std::string checksumOf(std::string_view content, std::string_view name)
{
    const XXH64_hash_t seed = XXH3_64bits(name.data(), name.size());
    const XXH128_hash_t hash = XXH3_128bits_withSeed(content.data(), content.size(), seed);
    std::array<char, checksumDigits + 1> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx%016llx",
                  static_cast<unsigned long long>(hash.high64),
                  static_cast<unsigned long long>(hash.low64));
    return digits.data();
}

Result<void> sealFile(const std::filesystem::path &file, std::string_view content,
                      std::string_view name)
{
    const OpenFile open{::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)};
    const std::string seal = checksumOf(content, name) + std::string(sealMark);
    if (open.number < 0 || ::fchmod(open.number, 0600) != 0 || !writeFully(open.number, seal) ||
        ::fsync(open.number) != 0)
        return fail(Error::Kind::Missing, "cannot be written: " + std::string(std::strerror(errno)),
                    file.string());
    return {};
}

Result<SealedContent> readSealed(const std::filesystem::path &file)
{
    const auto damaged = [&](const char *how) {
        return fail(Error::Kind::Fault, how, file.string());
    };
    const OpenFile open{::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)};
    struct stat status = {};
    if (open.number < 0 || ::fstat(open.number, &status) != 0)
        return fail(Error::Kind::Missing, "cannot be read: " + std::string(std::strerror(errno)),
                    file.string());
    if (!S_ISREG(status.st_mode))
        return damaged("is not a file");
    if (status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return damaged("may have been written by another user");
    const auto size = std::size_t(status.st_size);
    if (size < sealBytes || size > mostSealedBytes)
        return damaged("has no checksum");
    std::string bytes(size, '\0');
    if (!readFully(open.number, bytes))
        return damaged("cannot be read completely");
    const std::string_view seal = std::string_view(bytes).substr(size - sealBytes);
    if (!seal.ends_with(sealMark))
        return damaged("has no checksum");
    SealedContent sealed;
    sealed.checksum = seal.substr(0, checksumDigits);
    bytes.resize(size - sealBytes);
    if (checksumOf(bytes, file.stem().native()) != sealed.checksum)
        return damaged("differs from what was written");
    sealed.content = std::move(bytes);
    return sealed;
}

} // namespace graphloom

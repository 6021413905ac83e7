// SPDX-License-Identifier: Apache-2.0
#include "engine/system/scratch_file.h"

#include "engine/system/write_fully.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace graphloom {

namespace {

/// Opens a file without a name; returns -1 on failure.
int openNameless()
{
    const char *folder = std::getenv("TMPDIR");
    if (!folder || !*folder)
        folder = "/var/tmp"; // on disk, while /tmp may be in memory
    const int file = ::open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return file;
    std::string name = std::string(folder) + "/graphloom-XXXXXX"; // without O_TMPFILE
    const int named = ::mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0)
        ::unlink(name.c_str());
    return named;
}

bool write(int file, std::span<const std::byte> bytes)
{
    // Allocate space first: a dirty page that cannot be written back would be lost.
    return ::posix_fallocate(file, 0, off_t(bytes.size())) == 0 &&
           writeFully(file, {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
}

} // namespace

std::shared_ptr<const ScratchFile> ScratchFile::of(std::span<const std::byte> bytes)
{
    const int file = bytes.empty() ? -1 : openNameless();
    if (file < 0)
        return nullptr;
    void *at = MAP_FAILED;
    if (write(file, bytes))
        at = ::mmap(nullptr, bytes.size(), PROT_READ, MAP_SHARED, file, 0);
    ::close(file); // the mapping keeps the file
    if (at == MAP_FAILED)
        return nullptr;
    return std::shared_ptr<const ScratchFile>(
        new ScratchFile({static_cast<const std::byte *>(at), bytes.size()}));
}

ScratchFile::~ScratchFile()
{
    ::munmap(const_cast<std::byte *>(m_bytes.data()), m_bytes.size());
}

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#include "engine/system/atomic_file.h"

#include "engine/system/stream_path.h"
#include "engine/system/temporary.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace graphloom {

namespace {

std::string lastReason()
{
    return std::strerror(errno);
}

/// Returns the umask of the process. umask(2) would change it for other threads for a moment.
mode_t currentMask()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (unsigned mask = 0; std::sscanf(line.c_str(), "Umask: %o", &mask) == 1)
            return mode_t(mask);
    return 077; // unknown: for the owner only
}

/// Sets the permissions of the file that is replaced, or the default ones of a new file.
void setMode(int descriptor, const std::filesystem::path &target)
{
    struct stat old = {};
    ::fchmod(descriptor,
             ::stat(target.c_str(), &old) == 0 ? old.st_mode & 07777 : 0666 & ~currentMask());
}

} // namespace

Result<void>
fillFileAtomically(const std::filesystem::path &path,
                   const std::function<Result<void>(const std::filesystem::path &temporary)> &fill,
                   Links links)
{
    if (links == Links::Follow && isStream(path))
        return fail(Error::Kind::Usage, "is not a file that can be replaced", path.string());
    std::error_code ignored;
    const auto target = links == Links::Follow && std::filesystem::is_symlink(path, ignored)
                            ? std::filesystem::weakly_canonical(path, ignored)
                            : path;
    removeAbandoned(target.parent_path());
    auto temporary = Temporary::file(target.parent_path());
    if (!temporary)
        return fail(Error::Kind::Missing, temporary.error().message, path.string());
    setMode(temporary->descriptor(), target);
    GL_TRY_CONST(filled, fill(temporary->path()));
    if (::fsync(temporary->descriptor()) != 0)
        return fail(Error::Kind::Missing, "writing failed: " + lastReason(), path.string());
    if (::rename(temporary->path().c_str(), target.c_str()) != 0)
        return fail(Error::Kind::Missing, "cannot replace the file: " + lastReason(),
                    path.string());
    temporary->keep();
    return {};
}

Result<void> writeFileAtomically(const std::filesystem::path &path,
                                 const std::function<bool(std::ostream &)> &write, Links links)
{
    const auto failed = [&] {
        return fail(Error::Kind::Missing,
                    "writing failed" + (errno == 0 ? std::string() : ": " + lastReason()),
                    path.string());
    };
    if (links == Links::Follow && isStream(path)) {
        std::ostringstream stream;
        errno = 0;
        return write(stream) && stream ? writeToStream(path, stream.view()) : failed();
    }
    const auto fill = [&](const std::filesystem::path &temporary) -> Result<void> {
        errno = 0; // may be set by earlier calls
        std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
        if (!stream || !write(stream) || !stream.flush())
            return failed();
        return {};
    };
    return fillFileAtomically(path, fill, links);
}

Result<void> writeFileAtomically(const std::filesystem::path &path, std::string_view content)
{
    return writeFileAtomically(path, [&](std::ostream &stream) {
        return bool(stream.write(content.data(), static_cast<std::streamsize>(content.size())));
    });
}

} // namespace graphloom

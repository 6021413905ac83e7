// SPDX-License-Identifier: Apache-2.0
#include "engine/base/atomic_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace graphloom {

namespace {

/// Removes the temporary file unless the rename made it permanent.
struct TemporaryFile {
    std::string path;
    ~TemporaryFile()
    {
        if (!path.empty())
            ::unlink(path.c_str());
    }
};

} // namespace

Result<void>
fillFileAtomically(const std::filesystem::path &path,
                   const std::function<Result<void>(const std::filesystem::path &temporary)> &fill,
                   Links links)
{
    const auto reason = [] { return std::string(std::strerror(errno)); };
    std::error_code ignored;
    const auto target = links == Links::Follow && std::filesystem::is_symlink(path, ignored)
                            ? std::filesystem::weakly_canonical(path, ignored)
                            : path;
    std::string pattern = target.string() + ".XXXXXX";
    const int descriptor = ::mkstemp(pattern.data());
    if (descriptor < 0)
        return fail(Error::Kind::Missing, "cannot write here: " + reason(), path.string());
    TemporaryFile temporary{pattern};
    struct stat old = {};
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(descriptor, ::stat(target.c_str(), &old) == 0 ? old.st_mode & 07777 : 0666 & ~mask);
    const auto filled = fill(pattern);
    const bool synced = filled && ::fsync(descriptor) == 0;
    const std::string problem = synced ? std::string() : reason();
    ::close(descriptor);
    if (!filled)
        return filled;
    if (!synced)
        return fail(Error::Kind::Missing, "writing failed: " + problem, path.string());
    if (::rename(pattern.c_str(), target.c_str()) != 0)
        return fail(Error::Kind::Missing, "cannot replace the file: " + reason(), path.string());
    temporary.path.clear();
    return {};
}

Result<void> writeFileAtomically(const std::filesystem::path &path,
                                 const std::function<bool(std::ostream &)> &write, Links links)
{
    const auto fill = [&](const std::filesystem::path &temporary) -> Result<void> {
        std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
        if (!stream || !write(stream) || !stream.flush())
            return fail(Error::Kind::Missing,
                        std::string("writing failed: ") + std::strerror(errno), path.string());
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

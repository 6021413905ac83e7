// SPDX-License-Identifier: Apache-2.0
#include "engine/system/stream_path.h"

#include "engine/system/write_fully.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace graphloom {

namespace fs = std::filesystem;

namespace {

/// Returns the descriptor of standard output or error if the path names it, and -1 otherwise. It
/// may be a file that others write to as well.
int descriptorNamed(const fs::path &path)
{
    return path == "/dev/stdout" ? STDOUT_FILENO : path == "/dev/stderr" ? STDERR_FILENO : -1;
}

/// Writes and closes; an error that only close() reports counts, too.
bool writeAndClose(int descriptor, std::string_view content)
{
    if (writeFully(descriptor, content))
        return ::close(descriptor) == 0;
    const int reason = errno;
    ::close(descriptor);
    errno = reason;
    return false;
}

} // namespace

bool isStream(const fs::path &path)
{
    if (descriptorNamed(path) >= 0)
        return true;
    std::error_code ignored;
    const fs::file_type type = fs::status(path, ignored).type();
    return type == fs::file_type::character || type == fs::file_type::fifo ||
           type == fs::file_type::socket || type == fs::file_type::block;
}

Result<void> writeToStream(const fs::path &path, std::string_view content)
{
    const int named = descriptorNamed(path);
    const int descriptor = named >= 0 ? ::dup(named) : ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0 || !writeAndClose(descriptor, content))
        return fail(Error::Kind::Missing, "writing failed: " + std::string(std::strerror(errno)),
                    path.string());
    return {};
}

} // namespace graphloom

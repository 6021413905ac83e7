// SPDX-License-Identifier: Apache-2.0
#include "engine/system/temporary.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace graphloom {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view temporaryPrefix = ".graphloom-tmp-";
constexpr std::string_view exportPrefix = ".graphloom-export-"; // of earlier versions
constexpr std::string_view randomPart = "XXXXXX";

/// Returns the name of the temporary file or folder that a file belongs to: its own name, or
/// without the suffix of a journal. Returns an empty name if it is not temporary.
std::string_view temporaryName(std::string_view name)
{
    for (const std::string_view begin : {temporaryPrefix, exportPrefix})
        if (name.starts_with(begin) && name.size() >= begin.size() + randomPart.size())
            return name.substr(0, begin.size() + randomPart.size());
    return {};
}

/// Locks a new file or folder. Another process that removes abandoned ones may have been faster and
/// have removed it. Without locks in the file system, no process can take it for abandoned.
bool isOurs(int descriptor)
{
    struct stat status = {};
    while (::flock(descriptor, LOCK_EX) != 0 && errno == EINTR) {
    }
    return ::fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

constexpr int mostTries = 100;

/// Creates a locked file or folder; `make` returns a descriptor of what it has created from the
/// pattern, or -1 and sets errno.
template <class Make> Result<std::pair<fs::path, int>> makeLocked(const fs::path &folder, Make make)
{
    for (int i = 0; i < mostTries; ++i) {
        std::string pattern = (folder / temporaryPrefix).string();
        pattern += randomPart;
        const int descriptor = make(pattern);
        if (descriptor < 0 && errno != ENOENT)
            break;
        if (descriptor >= 0 && isOurs(descriptor))
            return std::pair(fs::path(pattern), descriptor);
        if (descriptor >= 0)
            ::close(descriptor);
        std::error_code ignored;
        if (!fs::exists(folder, ignored)) {
            errno = ENOENT;
            break;
        }
    }
    return fail(Error::Kind::Missing, "cannot write here: " + std::string(std::strerror(errno)),
                folder.string());
}

/// Removes a file or folder, unless a process holds it or it belongs to another user.
void removeUnlessHeld(const fs::path &path)
{
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0)
        return;
    struct stat status = {};
    const bool removable = ::fstat(descriptor, &status) == 0 && status.st_uid == ::geteuid() &&
                           (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) &&
                           ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    std::error_code ignored;
    if (removable)
        fs::remove_all(path, ignored);
    ::close(descriptor);
}

} // namespace

Result<Temporary> Temporary::file(const fs::path &folder)
{
    const auto file = makeLocked(folder.empty() ? "." : folder, [](std::string &pattern) {
        return ::mkostemp(pattern.data(), O_CLOEXEC);
    });
    if (!file)
        return tl::unexpected(file.error());
    return Temporary(file->first, file->second);
}

Result<Temporary> Temporary::folder(const fs::path &folder)
{
    const auto made = makeLocked(folder.empty() ? "." : folder, [](std::string &pattern) {
        return ::mkdtemp(pattern.data())
                   ? ::open(pattern.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                   : -1;
    });
    if (!made)
        return tl::unexpected(made.error());
    return Temporary(made->first, made->second);
}

Temporary::Temporary(Temporary &&other) noexcept
    : m_path(std::exchange(other.m_path, {})), m_descriptor(std::exchange(other.m_descriptor, -1))
{
}

Temporary::~Temporary()
{
    std::error_code ignored;
    if (!m_path.empty())
        fs::remove_all(m_path, ignored);
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

/// Removes the temporaries that this process still holds open.
void removeOwnTemporaries(const fs::path &folder)
{
    std::error_code ignored;
    const fs::path place = fs::weakly_canonical(folder.empty() ? "." : folder, ignored);
    std::vector<fs::path> held;
    for (const auto &descriptor : fs::directory_iterator("/proc/self/fd", ignored)) {
        const fs::path path = fs::read_symlink(descriptor.path(), ignored);
        const std::string name = path.filename().string();
        if (path.parent_path() == place && !name.empty() && temporaryName(name) == name)
            held.push_back(path);
    }
    for (const fs::path &path : held)
        fs::remove_all(path, ignored);
}

void removeAbandoned(const fs::path &folder)
{
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end;
         !error && entry != end; entry.increment(error))
        if (!temporaryName(entry->path().filename().native()).empty())
            found.push_back(entry->path());
    for (const fs::path &path : found) {
        const fs::path owner = path.parent_path() / temporaryName(path.filename().native());
        std::error_code ignored;
        if (owner == path || !fs::exists(fs::symlink_status(owner, ignored)))
            removeUnlessHeld(path);
    }
}

fs::path temporaryFolder()
{
    const char *named = std::getenv("TMPDIR");
    return named && *named ? named : "/tmp";
}

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/build/kernel_folder.h"

#include "engine/system/private_folder.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace graphloom {

namespace fs = std::filesystem;

namespace {

tl::unexpected<Error> notHere(const fs::path &folder, const std::string &reason)
{
    return fail(Error::Kind::Missing,
                "cannot store compiled kernels here: " + reason +
                    "; set XDG_CACHE_HOME to use another folder",
                folder.string());
}

bool isCompiled(const fs::path &file)
{
    return file.extension() == ".so" || file.extension() == ".o";
}

/// Calls `take` with each file that belongs to a kernel, and its size. Returns why not all could be
/// listed, if so.
template <class Take> std::error_code eachKernelFile(const fs::path &folder, Take take)
{
    std::error_code error;
    for (fs::directory_iterator file(folder, error), end; !error && file != end;
         file.increment(error)) {
        std::error_code gone; // another process may remove the file meanwhile
        if (!isKernelFile(file->path()) || !file->is_regular_file(gone))
            continue;
        if (const std::uint64_t bytes = file->file_size(gone); !gone)
            take(file->path(), bytes);
    }
    return error;
}

} // namespace

bool isKernelFile(const fs::path &file)
{
    const auto extension = file.extension();
    return isCompiled(file) || extension == ".c" || extension == ".ran" || extension == ".at";
}

KernelFolderUse useOf(const fs::path &folder)
{
    KernelFolderUse use;
    eachKernelFile(folder, [&use](const fs::path &file, std::uint64_t bytes) {
        use.kernels += isCompiled(file);
        use.bytes += bytes;
    });
    return use;
}

Result<KernelFolderUse> clearKernels(const fs::path &folder)
{
    KernelFolderUse removed;
    std::vector<std::pair<fs::path, std::uint64_t>> files;
    const auto unlisted =
        eachKernelFile(folder, [&files](const fs::path &file, std::uint64_t bytes) {
            files.emplace_back(file, bytes);
        });
    if (unlisted && unlisted != std::errc::no_such_file_or_directory)
        return fail(Error::Kind::Missing, "cannot be listed: " + unlisted.message(),
                    folder.string());
    for (const auto &[file, bytes] : files) {
        std::error_code error;
        if (!fs::remove(file, error)) {
            if (error)
                return fail(Error::Kind::Missing, "cannot be removed: " + error.message(),
                            file.string());
            continue; // by another process
        }
        removed.kernels += isCompiled(file);
        removed.bytes += bytes;
    }
    return removed;
}

Result<void> makeOwnFolder(const fs::path &folder)
{
    if (const auto failed = makePrivateFolders(folder))
        return notHere(folder, failed.message());
    struct stat status = {};
    if (::stat(folder.c_str(), &status) != 0)
        return notHere(folder, std::strerror(errno));
    if (status.st_uid != ::geteuid())
        return notHere(folder, "the folder belongs to another user");
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return notHere(folder, "other users can write to the folder, whose content is executed; "
                               "remove it, or deny them access (chmod 700)");
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
        return notHere(folder, std::strerror(errno));
    return {};
}

Result<fs::path> defaultKernelFolder(const std::string &xdgCacheHome, const std::string &home)
{
    fs::path folder = xdgCacheHome;
    if (!folder.is_absolute()) {
        if (home.empty())
            return fail(Error::Kind::Missing,
                        "there is no home folder to store compiled kernels in; set XDG_CACHE_HOME");
        folder = fs::path(home) / ".cache";
    }
    return folder / "graphloom" / "kernels";
}

} // namespace graphloom

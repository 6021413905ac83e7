// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/build/kernel_folder.h"

#include "engine/system/private_folder.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

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

} // namespace

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

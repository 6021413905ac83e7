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
                "compiled kernels cannot be kept here: " + reason +
                    "; another folder is taken when XDG_CACHE_HOME names one",
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
        return notHere(folder, "other users may write to the folder, and what is in it is run; "
                               "remove it, or keep them out (chmod 700) if nobody has");
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
                        "there is no home folder to keep compiled kernels in; set XDG_CACHE_HOME");
        folder = fs::path(home) / ".cache";
    }
    return folder / "graphloom" / "kernels";
}

} // namespace graphloom

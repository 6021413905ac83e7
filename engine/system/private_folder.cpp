// SPDX-License-Identifier: Apache-2.0
#include "engine/system/private_folder.h"

#include <cerrno>
#include <sys/stat.h>

namespace graphloom {

std::error_code makePrivateFolders(const std::filesystem::path &folder)
{
    std::filesystem::path made;
    struct stat status = {};
    for (const std::filesystem::path &part : folder) {
        made /= part;
        if (::stat(made.c_str(), &status) == 0)
            continue;
        if (::mkdir(made.c_str(), 0700) != 0 && errno != EEXIST)
            return {errno, std::generic_category()};
    }
    if (!folder.empty() && (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)))
        return {ENOTDIR, std::generic_category()};
    return {};
}

} // namespace graphloom

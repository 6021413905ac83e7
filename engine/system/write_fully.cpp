// SPDX-License-Identifier: Apache-2.0
#include "engine/system/write_fully.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <unistd.h>

namespace graphloom {

bool writeFully(int descriptor, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes.remove_prefix(std::size_t(written));
    }
    return true;
}

Result<void> writeFile(const std::filesystem::path &path, std::string_view content)
{
    std::error_code failed;
    std::filesystem::create_directories(path.parent_path(), failed);
    std::ofstream file(path, std::ios::binary);
    file.write(content.data(), std::streamsize(content.size()));
    file.close();
    if (!file)
        return fail(Error::Kind::Missing, std::string("cannot be written: ") + std::strerror(errno),
                    path.string());
    return {};
}

} // namespace graphloom

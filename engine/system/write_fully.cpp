// SPDX-License-Identifier: Apache-2.0
#include "engine/system/write_fully.h"

#include <cerrno>
#include <cstddef>
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

} // namespace graphloom

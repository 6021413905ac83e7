// SPDX-License-Identifier: Apache-2.0
#include "engine/base/read_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace graphloom {

Result<std::string> readFile(const std::filesystem::path &path)
{
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream content;
    // Of an empty file nothing can be copied, which is no failure.
    if (stream && stream.peek() != std::ifstream::traits_type::eof())
        content << stream.rdbuf();
    if (!stream.is_open() || stream.bad() || content.fail())
        return fail(Error::Kind::Missing, std::string("cannot be read: ") + std::strerror(errno),
                    path.string());
    return std::move(content).str();
}

} // namespace graphloom

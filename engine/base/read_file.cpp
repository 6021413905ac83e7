// SPDX-License-Identifier: Apache-2.0
#include "engine/base/read_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace graphloom {

Result<std::string> readFile(const std::filesystem::path &path, std::uintmax_t most)
{
    const auto unreadable = [&](const std::string &reason) {
        return fail(Error::Kind::Missing, "cannot be read: " + reason, path.string());
    };
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status))
        return unreadable(std::strerror(error ? error.value() : ENOENT));
    if (!std::filesystem::is_regular_file(status))
        return unreadable("it is no regular file");
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
        return unreadable(std::strerror(errno));
    // It may grow meanwhile: what counts is what was read.
    std::string content;
    const auto size = std::filesystem::file_size(path, error);
    const auto tooLarge = [&] {
        return fail(Error::Kind::Model,
                    "the file is larger than the " + std::to_string(most) + " bytes that are read",
                    path.string());
    };
    if (!error && size > most)
        return tooLarge();
    std::array<char, 65536> part;
    while (stream.read(part.data(), part.size()), stream.gcount() > 0) {
        content.append(part.data(), std::size_t(stream.gcount()));
        if (content.size() > most)
            return tooLarge();
    }
    if (stream.bad())
        return unreadable(std::strerror(errno));
    return content;
}

} // namespace graphloom

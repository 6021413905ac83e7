// SPDX-License-Identifier: Apache-2.0
#include "engine/system/read_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <unistd.h>

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
        return unreadable("it is not a regular file");
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
        return unreadable(std::strerror(errno));
    // The file may grow meanwhile, so the limit is checked against the bytes read.
    std::string content;
    const auto size = std::filesystem::file_size(path, error);
    const auto tooLarge = [&] {
        return fail(Error::Kind::Model,
                    "the file is larger than the limit of " + std::to_string(most) + " bytes",
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

Result<std::string> readFileOrStream(const std::filesystem::path &path, std::stop_token stop,
                                     std::uintmax_t most)
{
    std::error_code error;
    const auto type = std::filesystem::status(path, error).type();
    if (type != std::filesystem::file_type::fifo && type != std::filesystem::file_type::character &&
        type != std::filesystem::file_type::socket)
        return readFile(path, most);
    const auto unreadable = [&](const std::string &reason) {
        return fail(Error::Kind::Missing, "cannot be read: " + reason, path.string());
    };
    // Opening a pipe and reading from it would block until somebody writes to it.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return unreadable(std::strerror(errno));
    const struct Closing {
        int descriptor;
        ~Closing() { ::close(descriptor); }
    } closing{descriptor};
    std::string content;
    std::array<char, 65536> part;
    constexpr int slice = 50; // milliseconds
    while (!stop.stop_requested()) {
        pollfd ready = {descriptor, POLLIN, 0};
        const int waited = ::poll(&ready, 1, slice);
        if (waited < 0 && errno != EINTR)
            return unreadable(std::strerror(errno));
        if (waited <= 0) // also before a pipe has a writer
            continue;
        const ssize_t count = ::read(descriptor, part.data(), part.size());
        if (count == 0)
            return content;
        if (count < 0 && errno != EAGAIN && errno != EINTR)
            return unreadable(std::strerror(errno));
        if (count > 0)
            content.append(part.data(), std::size_t(count));
        if (content.size() > most)
            return fail(Error::Kind::Model,
                        "the input is larger than the limit of " + std::to_string(most) + " bytes",
                        path.string());
    }
    return fail(Error::Kind::Stopped, "cancelled before it was read", path.string());
}

} // namespace graphloom

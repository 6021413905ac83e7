// SPDX-License-Identifier: Apache-2.0
#include "engine/worker/frame_socket.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>

namespace graphloom {

namespace {

constexpr std::size_t headBytes = 1 + sizeof(std::uint64_t);
constexpr std::size_t pieceBytes = std::size_t{1} << 16;

} // namespace

bool FrameSocket::write(std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t sent = ::send(m_descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return false;
        bytes.remove_prefix(std::size_t(std::max<ssize_t>(sent, 0)));
    }
    return true;
}

bool FrameSocket::send(FrameKind kind, std::string_view content)
{
    char head[headBytes];
    head[0] = char(kind);
    const std::uint64_t length = content.size();
    std::memcpy(head + 1, &length, sizeof length);
    const std::lock_guard lock(m_sending);
    return write({head, sizeof head}) && write(content);
}

FrameSocket::Event FrameSocket::receive(FrameKind &kind, std::string &content,
                                        Clock::time_point deadline)
{
    for (;;) {
        const std::size_t known = m_buffer.size() - m_begin;
        if (known >= headBytes) {
            std::uint64_t length = 0;
            std::memcpy(&length, m_buffer.data() + m_begin + 1, sizeof length);
            if (known - headBytes >= length) {
                kind = FrameKind(m_buffer[m_begin]);
                content = m_buffer.substr(m_begin + headBytes, std::size_t(length));
                m_begin += headBytes + std::size_t(length);
                if (m_begin == m_buffer.size() || m_begin > pieceBytes) {
                    m_buffer.erase(0, m_begin);
                    m_begin = 0;
                }
                return Event::Frame;
            }
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        pollfd ready = {m_descriptor, POLLIN, 0};
        const int polled =
            ::poll(&ready, 1, int(std::clamp<std::int64_t>(left.count(), 0, INT_MAX)));
        if (polled == 0)
            return Event::Late;
        if (polled < 0)
            continue;
        const std::size_t end = m_buffer.size();
        m_buffer.resize(end + pieceBytes);
        const ssize_t count = ::recv(m_descriptor, m_buffer.data() + end, pieceBytes, 0);
        m_buffer.resize(end + std::size_t(std::max<ssize_t>(count, 0)));
        if (count == 0 || (count < 0 && errno != EINTR))
            return Event::Closed;
    }
}

} // namespace graphloom

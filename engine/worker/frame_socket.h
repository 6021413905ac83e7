// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace graphloom {

/// What the program and its worker say to each other. To the worker: objects of the plan, what to
/// run, and while it runs to hold, to go on or to stop. From it: objects, progress, what the search
/// has done, plans on the way, warnings, and in the end a plan or an error.
enum class FrameKind : std::uint8_t {
    Object = 1,
    Run,
    Hold,
    GoOn,
    Stop,
    Progress,
    Search,
    Preview,
    Warning,
    Done,
    Failed,
};

/// Messages over a stream socket, each as a whole: kind, length, content. Sending is possible from
/// several threads, receiving from one.
class FrameSocket {
public:
    using Clock = std::chrono::steady_clock;

    /// The descriptor stays its owner's.
    explicit FrameSocket(int descriptor) : m_descriptor(descriptor) {}

    /// False when nobody listens any more.
    bool send(FrameKind kind, std::string_view content);

    enum class Event { Frame, Late, Closed };
    Event receive(FrameKind &kind, std::string &content, Clock::time_point deadline);

private:
    bool write(std::string_view bytes);

    const int m_descriptor;
    std::mutex m_sending;
    std::string m_buffer; // received, but not given out
    std::size_t m_begin = 0;
};

} // namespace graphloom

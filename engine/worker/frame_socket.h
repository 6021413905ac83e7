// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace graphloom {

/// Names the messages between the program and its worker. To the worker: objects of the plan, what
/// to run, and, during the run, requests to hold, to go on or to stop. From the worker: objects,
/// progress, the state of the search, intermediate plans, warnings, and at the end a plan or an
/// error.
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

/// Sends and receives messages over a stream socket, each as a whole: kind, length, content.
/// Several threads may send, one thread may receive.
class FrameSocket {
public:
    using Clock = std::chrono::steady_clock;

    /// Uses the descriptor, which remains owned by the caller.
    explicit FrameSocket(int descriptor) : m_descriptor(descriptor) {}

    /// Sends a message. Returns false if the other side no longer listens.
    bool send(FrameKind kind, std::string_view content);

    enum class Event { Frame, Late, Closed };
    Event receive(FrameKind &kind, std::string &content, Clock::time_point deadline);

private:
    bool write(std::string_view bytes);

    const int m_descriptor;
    std::mutex m_sending;
    std::string m_buffer; // received, but not yet returned
    std::size_t m_begin = 0;
};

} // namespace graphloom

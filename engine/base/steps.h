// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <algorithm>
#include <cstdint>
#include <stop_token>
#include <utility>

namespace graphloom {

/// Counts the steps of a long computation, and asks between them whether it is to stop. A step is
/// what takes well below a microsecond or little more: a node, a term or a line looked at. How many
/// there are says how the computation grows, how many lie between two questions how long it may
/// take to stop. Belongs to one thread.
class Steps {
public:
    explicit Steps(std::stop_token stop = {}) : m_stop(std::move(stop)) {}

    void add(std::uint64_t steps = 1) { m_open += steps; }
    /// Asks.
    bool stopped()
    {
        m_total += m_open;
        m_longest = std::max(m_longest, std::exchange(m_open, 0));
        return m_stop.stop_requested();
    }

    const std::stop_token &token() const { return m_stop; }
    std::uint64_t total() const { return m_total + m_open; }
    /// The most steps without a question.
    std::uint64_t longest() const { return std::max(m_longest, m_open); }

private:
    std::stop_token m_stop;
    std::uint64_t m_total = 0, m_open = 0, m_longest = 0;
};

/// What a computation that was stopped gives.
inline tl::unexpected<Error>
stoppedError(std::source_location raised = std::source_location::current())
{
    return fail(Error::Kind::Stopped, "stopped before it was finished", {}, raised);
}
inline bool isStopped(const Error &error)
{
    return error.kind == Error::Kind::Stopped;
}

} // namespace graphloom

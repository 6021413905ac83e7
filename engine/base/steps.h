// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <algorithm>
#include <cstdint>
#include <stop_token>
#include <utility>

namespace graphloom {

/// Counts the steps of a long computation and asks between them whether it is to stop. A step takes
/// well below a microsecond or little more: a node, a term or a line looked at. The total number of
/// steps tells how the computation grows; the number between two checks bounds how long it may take
/// to stop. Belongs to one thread.
class Steps {
public:
    explicit Steps(std::stop_token stop = {}) : m_stop(std::move(stop)) {}

    void add(std::uint64_t steps = 1) { m_open += steps; }
    /// Tells whether a stop has been requested; this is one check.
    bool stopped()
    {
        m_total += m_open;
        m_longest = std::max(m_longest, std::exchange(m_open, 0));
        return m_stop.stop_requested();
    }

    const std::stop_token &token() const { return m_stop; }
    std::uint64_t total() const { return m_total + m_open; }
    /// Returns the largest number of steps between two checks.
    std::uint64_t longest() const { return std::max(m_longest, m_open); }

private:
    std::stop_token m_stop;
    std::uint64_t m_total = 0, m_open = 0, m_longest = 0;
};

/// Returns the error of a computation that was stopped.
inline tl::unexpected<Error>
stoppedError(std::source_location raised = std::source_location::current())
{
    return fail(Error::Kind::Stopped, "cancelled before it finished", {}, raised);
}
inline bool isStopped(const Error &error)
{
    return error.kind == Error::Kind::Stopped;
}

} // namespace graphloom

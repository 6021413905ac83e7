// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>

namespace graphloom::magis {

/// Divides the seconds of a whole run of the pass among preparing, searching, and making the plan
/// of the result. Time counts from the construction of this object.
class TimeBudget {
public:
    /// Takes a limit in seconds; 0 means no limit.
    TimeBudget(std::function<double()> clock, double seconds)
        : m_clock(std::move(clock)), m_start(m_clock()), m_seconds(seconds)
    {
    }
    double elapsed() const { return m_clock() - m_start; }
    /// Returns the fraction of the seconds that is spent, 0 without a limit.
    double fractionSpent() const { return m_seconds > 0 ? std::min(1.0, elapsed() / m_seconds) : 0; }
    /// Tells whether preparing should come to an end, so that the rest of the time is left for the
    /// search.
    bool isLateToPrepare() const { return m_seconds > 0 && elapsed() > mostToPrepare * m_seconds; }
    /// Returns how many seconds the search may take, given the seconds that preparing took and
    /// those that are needed after the search; 0 means no limit.
    double toSearch(double prepared, double behind) const
    {
        return m_seconds > 0 ? std::max(leastToSearch * m_seconds, m_seconds - prepared - behind)
                             : 0;
    }

private:
    static constexpr double mostToPrepare = 0.3, leastToSearch = 0.1;

    std::function<double()> m_clock;
    double m_start, m_seconds;
};

} // namespace graphloom::magis

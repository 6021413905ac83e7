// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>

namespace graphloom::magis {

/// The seconds of a whole run of the pass: preparing, searching, and making the plan of what was
/// found. Counted from when it is made.
class TimeBudget {
public:
    /// No seconds: no limit.
    TimeBudget(std::function<double()> clock, double seconds)
        : m_clock(std::move(clock)), m_start(m_clock()), m_seconds(seconds)
    {
    }
    double elapsed() const { return m_clock() - m_start; }
    /// Should preparing come to an end? What is left is for the search.
    bool isLateToPrepare() const { return m_seconds > 0 && elapsed() > mostToPrepare * m_seconds; }
    /// How long the search may take of a run that was prepared in some seconds, where so many are
    /// needed behind it; 0: no limit.
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

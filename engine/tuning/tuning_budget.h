// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steady_clock.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <utility>

namespace graphloom {

/// Limits the time and trials of a tuner, from its construction on, and tells how much is left.
class TuningBudget {
public:
    /// `trials` is the most trials, or 0 for as many as there is time for. `clock` returns seconds
    /// since an arbitrary moment.
    TuningBudget(double seconds, std::int64_t trials, std::stop_token stop,
                 std::function<double()> clock = steadySeconds)
        : m_seconds(seconds), m_most(trials > 0 ? trials : unlimited), m_stop(std::move(stop)),
          m_clock(std::move(clock))
    {
    }

    /// Returns a separate budget with this fraction of what is left.
    TuningBudget shareOfRest(double fraction) const
    {
        TuningBudget part(fraction * secondsLeft(), 0, m_stop, m_clock);
        if (hasTrialLimit())
            part.m_most = std::int64_t(fraction * double(trialsLeft())); // may be 0
        return part;
    }

    void count() { ++m_trials; }
    std::int64_t trials() const { return m_trials; } // counted so far
    bool hasTrialLimit() const { return m_most != unlimited; }
    std::int64_t trialsLeft() const { return std::max<std::int64_t>(m_most - m_trials, 0); }
    double secondsSpent() const { return m_clock() - m_begin; }
    double secondsLeft() const { return std::max(m_seconds - secondsSpent(), 0.0); }
    bool isStopped() const { return m_stop.stop_requested(); }
    bool isOver() const { return isStopped() || secondsLeft() <= 0 || trialsLeft() == 0; }
    /// Returns the fraction spent of time or trials, whichever is greater, in 0..1.
    double fractionSpent() const
    {
        const double time = m_seconds > 0 ? std::min(1.0, secondsSpent() / m_seconds) : 1;
        return std::max(time, m_most > 0 ? std::min(1.0, double(m_trials) / double(m_most)) : 1);
    }

private:
    static constexpr auto unlimited = std::int64_t{1} << 60; // sums and shares of it have room

    double m_seconds;
    std::int64_t m_most;
    std::stop_token m_stop;
    std::int64_t m_trials = 0;
    std::function<double()> m_clock;
    double m_begin = m_clock();
};

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/gain_curve.h"

#include <algorithm>

namespace graphloom {

void GainCurve::note(std::int64_t trials, double bestSeconds)
{
    if (m_points.empty())
        m_points.push_back({trials, bestSeconds});
    else
        m_points.push_back({std::max(trials, m_points.back().trials),
                            std::min(bestSeconds, m_points.back().seconds)});
}

double GainCurve::before(int trials) const
{
    double seconds = 0;
    for (const Point &point : m_points)
        if (point.trials <= m_points.back().trials - trials)
            seconds = point.seconds;
    return seconds;
}

double GainCurve::expectedGain(const StableTimes &stable) const
{
    if (m_points.empty())
        return 0;
    constexpr double optimism = 0.1; // of the time, by as many trials again
    const double hoped = optimism * best() / double(1 + trials());
    const int last = int(std::min<std::int64_t>(stable.trials, trials() - m_points.front().trials));
    if (last <= 0)
        return hoped;
    return std::max(hoped, (before(last) - best()) / last);
}

bool GainCurve::isStable(const StableTimes &stable) const
{
    const double from = before(stable.trials);
    return from > 0 && from - best() < stable.gain * from;
}

} // namespace graphloom

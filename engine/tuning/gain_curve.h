// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace graphloom {

/// Tells when further trials of a kernel are no longer expected to gain much.
struct StableTimes {
    double gain = 0.02; // share of the time by which it fell over the last trials
    int trials = 24;    // the last trials
};

/// Records how the best time of something that is tuned falls with its trials, and estimates what
/// the next trial gains.
class GainCurve {
public:
    /// Notes the best time after so many trials in all; both only ever change for the better.
    void note(std::int64_t trials, double bestSeconds);

    std::int64_t trials() const { return m_points.empty() ? 0 : m_points.back().trials; }
    double best() const { return m_points.empty() ? 0 : m_points.back().seconds; }
    /// Returns the seconds that the next trial is expected to gain: by the slope of the curve over
    /// the last trials, or, where that is more, by the assumption that as many trials again as
    /// there were gain a certain share of the time. Both estimates are those of Ansor's task
    /// scheduler (Zheng et al., OSDI 2020, section 6.2), on whose tuner AGO is built.
    double expectedGain(const StableTimes &stable) const;
    /// Tells whether the best time fell by less than a share of itself over the last trials.
    bool isStable(const StableTimes &stable) const;

private:
    struct Point {
        std::int64_t trials;
        double seconds;
    };
    /// Returns the best time before the last `trials` trials; 0 if there were not as many.
    double before(int trials) const;

    std::vector<Point> m_points;
};

} // namespace graphloom

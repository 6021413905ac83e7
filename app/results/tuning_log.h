// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "engine/target/target.h"

#include <QList>
#include <QPointF>

#include <map>

namespace graphloom {

/// How long a tuner may look for schedules.
struct TuneLimits {
    int seconds = 60; // for all kernels together
    int trials = 0;   // at most, all kernels together; 0: as many as there is time for
};

/// What a tuner tried, in its order, and what came of it so far. Times are those of one call in a
/// process of its own: they compare ways to compute one kernel, not kernels.
class TuningLog {
public:
    /// A loop nest, or a few that run together, or a block as a whole, whose ways to compute are
    /// compared; equal ones are tuned as one.
    struct Kernel {
        KernelPlace place;
        int uses = 1;
        double startMs = 0, bestMs = 0; // by default, and the least so far; 0: not measured
        std::vector<std::size_t> trials;
    };
    struct Trial {
        std::size_t kernel = 0; // of kernels()
        TuningTrial what;
        double startMs = 0, bestMs = 0; // of the kernel, as known with this trial
        double whole = 0;               // as whole(), with this trial
    };

    void add(TuningTrial trial);

    const std::vector<Kernel> &kernels() const { return m_kernels; }
    const std::vector<Trial> &trials() const { return m_trials; }
    bool isEmpty() const { return m_trials.empty(); }
    std::size_t failures() const { return m_failures; }
    /// Best time of all kernels together, relative to what they are without tuning: 1 at the start,
    /// and for none. Where a block was tried as a whole, its nests gain upon what it gained.
    double whole() const;
    /// Of a trial's time, relative to the default schedule of its kernel as known then; none when
    /// one of the two is not known.
    std::optional<double> relative(std::size_t trial) const;
    /// None where the kernel was not tried.
    std::optional<std::size_t> kernelAt(const KernelPlace &place) const;

private:
    /// Of a block: milliseconds by default and at best, as often as it is used.
    struct Sums {
        double start = 0, best = 0;
    };
    Sums sumsOf(std::uint32_t block) const;

    std::vector<Kernel> m_kernels;
    std::vector<Trial> m_trials;
    std::map<KernelPlace, std::size_t> m_places;
    Sums m_sums; // of all blocks
    std::size_t m_failures = 0;
};
using TuningLogPointer = std::shared_ptr<const TuningLog>;

/// Positions of at most about `most` of the values, in their order, such that a plot of them looks
/// like that of all: of stretches of equal length the first of the least and of the greatest.
std::vector<std::size_t> decimated(const std::vector<double> &values, std::size_t most);

/// What is drawn of a log: trials from 1 over their number, milliseconds when it is of one kernel,
/// or else times relative to the start of each one's kernel.
struct TuningSeries {
    QList<QPointF> measured; // those that are not beyond the top
    QList<QPointF> slower;   // beyond the top: drawn on the edge
    QList<QPointF> failed;   // on the edge, too
    QList<QPointF> best;     // of its kernel so far, as a line of steps
    QList<QPointF> whole;    // TuningLog::whole() as such a line; empty for one kernel
    double low = 0, high = 1, step = 0.25; // of the vertical axis, and what its labels are apart
    std::vector<std::size_t> trials;       // of the log, by number - 1
};

/// `kernel`: none for all. Each list has at most about `most` points.
TuningSeries tuningSeriesOf(const TuningLog &log, std::optional<std::size_t> kernel,
                            std::size_t most);

} // namespace graphloom

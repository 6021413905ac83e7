// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "engine/target/target.h"

#include <QList>
#include <QPointF>

#include <map>

namespace graphloom {

/// Limits of a tuner's search for schedules.
struct TuneLimits {
    int seconds = 60; // for all kernels together
    int trials = 0;   // for all kernels together; 0: as many as time allows
};

/// Records the trials of a tuner in their order, and the results so far. Times are those of one
/// call in a process of its own: they compare ways to compute one kernel, not kernels with each
/// other.
class TuningLog {
public:
    /// A loop nest, a few nests that run together, or a whole block, for which ways to compute it
    /// are compared. Equal ones are tuned as one.
    struct Kernel {
        KernelPlace place;
        int uses = 1;
        double startMs = 0, bestMs = 0; // default schedule, and least so far; 0: unknown
        std::vector<std::size_t> trials;
    };
    struct Trial {
        std::size_t kernel = 0; // of kernels()
        TuningTrial what;
        double startMs = 0, bestMs = 0; // of the kernel, including this trial
        double whole = 0;               // whole() including this trial
    };

    void add(TuningTrial trial);

    const std::vector<Kernel> &kernels() const { return m_kernels; }
    const std::vector<Trial> &trials() const { return m_trials; }
    bool isEmpty() const { return m_trials.empty(); }
    std::size_t failures() const { return m_failures; }
    /// Returns the best time of all kernels together, relative to the time without tuning: 1 at the
    /// start, and without kernels. Where a block was tried as a whole, the gain of its nests
    /// multiplies the gain of the block.
    double whole() const;
    /// Returns a trial's time relative to that of the default schedule of its kernel, as known
    /// then, or nothing when one of the two is unknown.
    std::optional<double> relative(std::size_t trial) const;
    /// Returns the kernel at a place, or nothing when it was not tried.
    std::optional<std::size_t> kernelAt(const KernelPlace &place) const;

private:
    /// Milliseconds of a block with the default and the best schedule, times the number of its
    /// uses.
    struct Sums {
        double start = 0, best = 0;
    };
    Sums sumsOf(std::uint32_t block) const;

    std::vector<Kernel> m_kernels;
    std::vector<Trial> m_trials;
    std::map<KernelPlace, std::size_t> m_places;
    Sums m_sums; // over all blocks
    std::size_t m_failures = 0;
};
using TuningLogPointer = std::shared_ptr<const TuningLog>;

/// Returns the positions, in order, of at most about `most` of the values, such that a plot of them
/// looks like a plot of all: the first least and the first greatest value of each of several
/// stretches of equal length.
std::vector<std::size_t> decimated(const std::vector<double> &values, std::size_t most);

/// Series for a chart of a log. The horizontal axis is the number of the trial, from 1. The
/// vertical axis is in milliseconds for one kernel, or else relative to the start time of each
/// trial's kernel.
struct TuningSeries {
    QList<QPointF> measured; // trials below the top of the chart
    QList<QPointF> slower;   // trials beyond the top, drawn at the top edge
    QList<QPointF> failed;   // failed trials, also at the top edge
    QList<QPointF> best;     // best of the trial's kernel so far, as a step line
    QList<QPointF> whole;    // TuningLog::whole() as a step line; empty for one kernel
    QList<QPointF> earlier;  // the same of an earlier log
    double low = 0, high = 1, step = 0.25; // vertical axis and distance of its labels
    std::vector<std::size_t> trials;       // indices into the log, by number - 1
};

/// Makes the series of one kernel, or of all if `kernel` is not given; these are compared with an
/// earlier log, which may be empty. Each list has at most about `most` points.
TuningSeries tuningSeriesOf(const TuningLog &log, std::optional<std::size_t> kernel,
                            std::size_t most, const TuningLog &earlier = {});

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/results/plan_run.h"

#include <QString>

#include <algorithm>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace graphloom {

/// `Lanes` hold what each thread did during one run of a plan, and during one run of the plan that
/// it was compared with, on one scale of time. They are immutable, made on a worker thread, and
/// shared by view and table. Times are in seconds since a run began.
struct Lanes {
    static constexpr std::uint32_t noSlice = ~0U;
    /// Describes a step of a run, whichever threads took part.
    struct Step {
        QString name;                       // "12 Conv + Clip"
        QString computed;                   // PlanStep::text
        QString reason;                     // why it is interpreted; empty: a kernel
        std::optional<std::uint32_t> block; // as in PlanStep
        /// Holds its nodes: of the plan's graph; for the original, of the model as it was opened.
        std::vector<NodeId> nodes;
        OperatorClass operatorClass = OperatorClass::Movement; // of its node with the most work
        MappingType mapping = MappingType::Reorganize;
        double start = 0, seconds = 0; // from its first slice to the end of its last
        double flops = 0, bytes = 0;   // 0: not known
        double usual = 0;              // median seconds of the timed runs
        double busy = 0;               // seconds of all threads together
        unsigned threads = 0;          // that took part
        std::uint32_t slice = noSlice; // the first one
        /// These are known of the first step of a block: median seconds that the run before took
        /// for what the block computes, and those of all steps of the block. Nothing if there is no
        /// run before, or if the work of the block cannot be told from that of others.
        std::optional<double> before, now;

        /// Returns how many of them were done in a second, or 0 if that is not known.
        double rateOf(double amount) const
        {
            return seconds > 0 && reason.isEmpty() ? amount / seconds : 0;
        }
    };
    /// Describes what a thread did in a step. Slices of a lane do not overlap.
    struct Slice {
        std::uint32_t lane = 0, step = 0;
        double start = 0, seconds = 0;
        double idle = 0; // seconds since the slice before it in the lane

        double end() const { return start + seconds; }
    };
    /// Describes what one thread did in a run.
    struct Lane {
        std::uint32_t run = 0;
        unsigned thread = 0;
        std::uint32_t first = 0, end = 0; // its slices, ordered by time
        double busy = 0;                  // seconds
    };
    /// Describes a run: its steps, its lanes, and where its time went.
    struct Run {
        enum class Kind : std::uint8_t { Plan, BeforeTuning, Original };
        Kind kind = Kind::Plan;
        std::vector<Step> steps;
        std::uint32_t firstLane = 0, endLane = 0;
        double seconds = 0;                  // of the traced run
        double kernels = 0, interpreted = 0; // seconds of all threads
        double gaps = 0;                     // seconds in which no thread worked
        double usual = 0;                    // median seconds of whole runs

        unsigned threads() const { return endLane - firstLane; }
        /// Returns the share of a time in that of all threads.
        double shareOf(double threadSeconds) const
        {
            return seconds > 0 ? threadSeconds / (seconds * threads()) : 0;
        }
        /// Returns the share of the time of a step in which threads of the run had nothing to do.
        double idleShareOf(const Step &step) const
        {
            return step.seconds > 0 ? std::max(0.0, 1 - step.busy / (step.seconds * threads())) : 0;
        }
        double idleShare() const { return 1 - shareOf(kernels + interpreted); }
    };

    PlanRunPointer of;
    std::vector<Run> runs; // that before, if there is one, then that of the plan
    std::vector<Lane> lanes;
    std::vector<Slice> slices; // by lane, then by time
    double seconds = 0;        // of the longest run

    const Run &runOf(const Lane &lane) const { return runs[lane.run]; }
    const Lane &laneOf(const Slice &slice) const { return lanes[slice.lane]; }
    const Step &stepOf(const Slice &slice) const { return runOf(laneOf(slice)).steps[slice.step]; }
    /// Returns the slice of a lane at a time, or else the nearest one; the lane must have one.
    std::uint32_t nearest(const Lane &lane, double time) const;
    /// Returns the first slice of a lane that ends after a time; the end of the lane if none does.
    std::uint32_t firstAfter(const Lane &lane, double time) const;
};
using LanesPointer = std::shared_ptr<const Lanes>;

/// Makes the lanes of a run. Returns null for a run that was not traced, and when stopped.
LanesPointer lanesOf(const PlanRunPointer &run, std::stop_token stop);

/// Sets for each block what the run before took for it: Step::before and Step::now.
void compareSteps(Lanes &lanes);

/// Returns the name of a run: "Plan", "Original, each node a kernel".
QString nameOf(Lanes::Run::Kind kind);
/// Returns what a run is made of, in figures: "5.12 ms on 2 threads · kernels 91.2 % · …".
QString summaryOf(const Lanes::Run &run);

} // namespace graphloom

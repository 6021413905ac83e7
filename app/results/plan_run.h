// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/results/tuning_log.h"
#include "app/snapshot/snapshot.h"
#include "engine/target/plan_measurement.h"

#include <QStringList>

#include <functional>

namespace graphloom {

/// Options for measuring a plan.
struct RunOptions {
    int runs = 50;        // timed runs, after some to warm up
    unsigned threads = 0; // 0: one per core
    double seconds = 20;  // after which fewer runs suffice: MeasureOptions::seconds
    bool beside = false;  // in alternation with the original, each node a kernel of its own
};

/// A `PlanRun` holds a plan that was built and measured on a target, with everything that views
/// show of it. It is immutable and shared by all views. A session keeps the measurement.
struct PlanRun : PlanMeasurement {
    TuningLogPointer tuning; // what was tried for it; null: nothing in this run
    QStringList warnings;    // from the target, while it built the plan
    bool elsewhere = false;  // measured on another machine than this one

    // Made by planRunOf().
    std::vector<std::vector<NodeId>> blocks;     // kernelBlocksOf(plan)
    std::vector<std::uint32_t> blockOf;          // by node; none: Partition::none
    double stepMs = 0;                           // of all steps together
    std::vector<std::optional<double>> beforeMs; // by step; empty when nothing is compared

    const std::vector<PlanStep> &steps() const { return outcome.steps; }
    const Times &timesOf(std::size_t step) const { return outcome.after->steps[step]; }
    /// Returns the share of a step in the time of all steps, 0 to 1.
    double shareOf(std::size_t step) const;
    /// Returns the rate of a step, or 0 for a step that is interpreted or took no measurable time.
    double flopsPerSecond(std::size_t step) const;
    double bytesPerSecond(std::size_t step) const;
    /// Returns the milliseconds of a step before tuning, measured in alternation with the others,
    /// or nothing when they were not compared.
    std::optional<double> beforeOf(std::size_t step) const;
    /// Returns the result of tuning a step, or null when the step was not tuned.
    const NestKernel *tunedOf(std::size_t step) const;
    /// Tells whether the plan's kernels were tuned on another machine than the one that this run is
    /// of: the times of tuning are not to be compared with those of the run.
    bool tunedElsewhere() const;
    /// Returns the fusion block or node that a step belongs to, or an empty item for a copy of an
    /// input.
    Item itemOf(std::size_t step) const;
    /// Returns the block of an item, which is one or a node in one, or Partition::none.
    std::uint32_t blockOfItem(const Item &item) const;
    /// Returns for each block the step of it that takes longest by `seconds`; -1: it has none.
    std::vector<int> longestSteps(const std::function<double(std::size_t)> &seconds) const;
    /// Returns blockOperators() of a step, or an empty string for a copy of an input.
    QString operatorsOf(std::size_t step) const;
    /// Returns the generated code of a step, or null when the step is interpreted.
    const SourceFile *sourceOf(std::size_t step) const;
    /// Tells whether the other plan has the same kernels. Then its nodes and blocks are the same,
    /// too.
    bool isOf(const Plan &other) const;
    /// Returns the device that it was measured on, as for --target: "host:cpu".
    QString deviceName() const;
    /// Returns how its times were obtained: "host", and of another machine its name: "host, AMD
    /// EPYC 7B13, 8 cores".
    QString provenance() const;
    /// Returns where and when it was measured: "on AMD EPYC 7B13, 8 cores, 3 May 2026 14:05". Empty
    /// if that is not known.
    QString origin() const;
};
using PlanRunPointer = std::shared_ptr<const PlanRun>;

/// Returns where and when something was measured; see PlanRun::origin().
QString originText(const MeasuredAt &at);

/// These return rich text about a run, or an empty string: that it is of another plan than the one
/// that is shown (`stale`) or was measured on another machine; and how the plan compares with the
/// one that was measured in alternation with it, with the times of both runs' medians.
QString noticeOf(const PlanRun &run, bool stale);
QString speedupOf(const PlanRun &run);

/// Returns the operators of a block in topological order: "Conv + Clip", or for a long block with
/// their counts.
QString blockOperators(const Graph &graph, const std::vector<NodeId> &nodes);

/// Completes a run with what is derived from its outcome. Requires that the outcome was measured.
PlanRunPointer planRunOf(PlanRun run);

/// Tells how the time of a run is spread over the items that are drawn.
class Heat {
public:
    explicit Heat(PlanRunPointer run);

    /// Returns the share of an item in the time, 0 to 1: of a fusion block, of the block that a
    /// node is in, or of all blocks that begin in a subgraph. Returns nothing for items without a
    /// kernel and for items of another plan.
    std::optional<double> of(const Snapshot &snapshot, const Item &item) const;
    /// Returns the largest share of a single block.
    double most() const { return m_most; }
    QString provenance() const { return m_run->provenance(); }
    const PlanRunPointer &run() const { return m_run; }

private:
    PlanRunPointer m_run;
    std::vector<double> m_shares; // by block
    double m_most = 0;
};
using HeatPointer = std::shared_ptr<const Heat>;

} // namespace graphloom

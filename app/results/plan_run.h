// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/results/tuning_log.h"
#include "app/snapshot/snapshot.h"
#include "engine/target/target_report.h"

#include <QStringList>

namespace graphloom {

/// How a plan is to be measured.
struct RunOptions {
    int runs = 50;        // that are timed, after some to warm up
    unsigned threads = 0; // 0: one per core
    double seconds = 20;  // after which fewer runs are enough: MeasureOptions::seconds
};

/// A plan that was built and measured on a target, with everything that views show of it:
/// immutable, shared by all views.
struct PlanRun {
    std::shared_ptr<const Plan> plan;
    TargetOutcome outcome; // with `after`; with `before` of the same plan before it was tuned
    std::vector<SourceFile> sources;
    TuningLogPointer tuning;      // what was tried for it; null: nothing now
    std::optional<Device> device; // with its measured peaks
    QString noDevice;             // why there is none
    QStringList warnings;         // of the target, while the plan was built

    // Made by planRunOf().
    std::vector<std::vector<NodeId>> blocks;     // kernelBlocksOf(plan)
    std::vector<std::uint32_t> blockOf;          // by node; none: Partition::none
    double stepMs = 0;                           // of all steps together
    std::vector<std::optional<double>> beforeMs; // by step; empty when nothing is compared

    const std::vector<PlanStep> &steps() const { return outcome.steps; }
    const Times &timesOf(std::size_t step) const { return outcome.after->steps[step]; }
    /// Of the time of all steps, 0 to 1.
    double shareOf(std::size_t step) const;
    /// 0 for a step that is interpreted or took no time that a clock shows.
    double flopsPerSecond(std::size_t step) const;
    double bytesPerSecond(std::size_t step) const;
    /// Milliseconds before tuning, measured in turns with these; none: not compared.
    std::optional<double> beforeOf(std::size_t step) const;
    /// What tuning said of the step; null: it was not tuned.
    const NestKernel *tunedOf(std::size_t step) const;
    /// The fusion block or the node that a step belongs to; none for a copy of an input.
    Item itemOf(std::size_t step) const;
    /// As blockOperators(); empty for a copy of an input.
    QString operatorsOf(std::size_t step) const;
    /// The generated code; null where the step is interpreted.
    const SourceFile *sourceOf(std::size_t step) const;
    /// Are the kernels of this plan the same? Then nodes and blocks are, too.
    bool isOf(const Plan &other) const;
};
using PlanRunPointer = std::shared_ptr<const PlanRun>;

/// The operators of a block in their order: "Conv + Clip"; of a long one with their counts.
QString blockOperators(const Graph &graph, const std::vector<NodeId> &nodes);

/// Requires that the outcome was measured.
PlanRunPointer planRunOf(PlanRun run);

/// Where the time of a run went, by what is drawn.
class Heat {
public:
    explicit Heat(PlanRunPointer run);

    /// The share of the time, 0 to 1: of a fusion block, of the block that a node is in, of all
    /// blocks that begin in a subgraph. None for what has no kernel, and for another plan's items.
    std::optional<double> of(const Snapshot &snapshot, const Item &item) const;
    /// The largest share of one block.
    double most() const { return m_most; }
    Provenance provenance() const { return m_run->outcome.provenance; }
    const PlanRunPointer &run() const { return m_run; }

private:
    PlanRunPointer m_run;
    std::vector<double> m_shares; // by block
    double m_most = 0;
};
using HeatPointer = std::shared_ptr<const Heat>;

} // namespace graphloom

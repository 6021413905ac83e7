// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/results/plan_run.h"
#include "engine/plan/memory_plan.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace graphloom {

/// Latency and memory of one way to run a graph.
struct ParetoPoint {
    double ms = 0;
    std::int64_t bytes = 0;
    QString origin;
    int front = -1; // its place in MemoryPlan::front; -1: none
};

/// Points of one kind and one provenance.
struct ParetoSeries {
    enum class Kind { Front, Baseline, Before, Rewritten, After, Measured };
    Kind kind = Kind::Front;
    QString name;
    Provenance provenance = Provenance::Modelled;
    std::vector<ParetoPoint> points; // in the order of latencies, or of what a baseline varies
    /// Of baselines: the name of what they vary, the same for those on the graph as it came and on
    /// the rewritten one.
    QString means = {};
    bool onRewritten = false;
    /// Of the graph before the pass, what its ratios are to; none: it has none, since nothing of
    /// the same provenance was there before.
    std::optional<MemoryPoint> before = std::nullopt;
    /// Of the fastest graph that rewriting alone makes, as `before`.
    std::optional<MemoryPoint> rewritten = std::nullopt;
};

/// What is shown together: immutable.
struct ParetoData {
    std::vector<ParetoSeries> series;
    QString device; // that the modelled ones are for

    struct Place {
        std::size_t series = 0, point = 0;
    };
    std::size_t size() const;
    /// By number, from the first point of the first series on. Requires number < size().
    Place placeOf(std::size_t number) const;
    const ParetoPoint &point(std::size_t number) const;
    const ParetoSeries &seriesOf(std::size_t number) const;
    /// The number of a point of the front; none when it has no such point.
    std::optional<std::size_t> numberOfFront(int front) const;
    /// The number of what a baseline varies, from 0 on.
    std::size_t meansOf(std::size_t baseline) const;
    /// Is there the same baseline on the rewritten graph?
    bool hasTwin(const ParetoSeries &baseline) const;
};
using ParetoPointer = std::shared_ptr<const ParetoData>;

/// Front, baselines, and the graph before and after, all modelled. `plan` goes before the names,
/// where several plans are shown.
std::vector<ParetoSeries> paretoOf(const MemoryPlan &memory, const QString &plan = {});
/// Plans that were run, by what measured them: latencies in the median, bytes of their arenas.
std::vector<ParetoSeries> paretoOf(const std::vector<PlanRunPointer> &runs);

} // namespace graphloom

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

/// The latency and memory of one way to run a graph.
struct ParetoPoint {
    double ms = 0;
    std::int64_t bytes = 0;
    QString origin;
    int front = -1;               // index into MemoryPlan::front; -1: none
    PlanRunPointer run = nullptr; // that measured it; null: it is modelled
    /// Of measured runs, the least latency and the 95th percentile; of a bracket, its bounds.
    double leastMs = 0, mostMs = 0;
    double joules = 0; // of a measured run; 0: its device did not tell
};

/// Points of one kind and one provenance.
struct ParetoSeries {
    enum class Kind { Front, Baseline, Before, Rewritten, After, Measured };
    Kind kind = Kind::Front;
    QString name;
    Provenance provenance = Provenance::Modelled;
    std::vector<ParetoPoint> points; // by latency, or by the parameter of a baseline
    /// Names the technique of a baseline; it is the same on the original and on the rewritten
    /// graph.
    QString means = {};
    bool onRewritten = false;
    bool hasWeights = false; // bytes of measured runs include those of weights
    bool isBracket = false;  // latencies are between modelled bounds
    /// Latency and memory of the graph before the pass, to which ratios are relative. Nothing:
    /// there are no ratios, since the graph before was not obtained with the same provenance.
    std::optional<MemoryPoint> before = std::nullopt;
    /// Latency and memory of the fastest graph that rewriting alone makes, with the same conditions
    /// as `before`.
    std::optional<MemoryPoint> rewritten = std::nullopt;
};

/// A `ParetoData` holds all series that are shown together. Immutable.
struct ParetoData {
    std::vector<ParetoSeries> series;
    QString device; // device that modelled points are for

    struct Place {
        std::size_t series = 0, point = 0;
    };
    std::size_t size() const;
    /// Returns the place of a point by its number, counted from the first point of the first
    /// series. Requires number < size().
    Place placeOf(std::size_t number) const;
    const ParetoPoint &point(std::size_t number) const;
    const ParetoSeries &seriesOf(std::size_t number) const;
    /// Returns the number of a point of the front, or nothing when there is no such point.
    std::optional<std::size_t> numberOfFront(int front) const;
    /// Returns the number of the technique of a baseline, from 0, counting distinct techniques.
    std::size_t meansOf(std::size_t baseline) const;
    /// Returns the number of a series among those of measured runs, from 0.
    std::size_t numberOfMeasured(std::size_t measured) const;
    /// Returns the number of a run's point, or nothing when there is no such point.
    std::optional<std::size_t> numberOfRun(const PlanRunPointer &run) const;
    /// Tells whether the energy of any point is known.
    bool hasEnergy() const;
    /// Tells whether there is the same baseline on the rewritten graph.
    bool hasTwin(const ParetoSeries &baseline) const;
};
using ParetoPointer = std::shared_ptr<const ParetoData>;

/// Returns the series of a plan with a memory plan, all modelled: the front, the baselines, and the
/// graph before and after. `name` is put in front of their names when several plans are shown.
std::vector<ParetoSeries> paretoOf(const Plan &plan, const QString &name = {});
/// Returns the series of measured runs, one for each device and provenance, with and without
/// weights: median latencies with their spread, and bytes of their arenas.
std::vector<ParetoSeries> paretoOf(const std::vector<PlanRunPointer> &runs);

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/snapshot/snapshot.h"

#include <QString>
#include <QStringList>

#include <map>

namespace graphloom {

/// A `MemoryTimeline` holds what is in memory while a graph runs, step by step. It is immutable,
/// made on a worker thread, and shared by chart and tables.
struct MemoryTimeline {
    enum class Class : std::uint8_t { Activation, Input, Output, Gradient, Update };
    static constexpr std::size_t classCount = 5;

    /// One lifetime of a tensor. A tensor that is swapped or recomputed has several.
    struct Tensor {
        QString name;
        Item item;                         // empty: not in the shown graph
        NodeId producer;                   // in the shown graph; invalid: none
        QString madeBy;                    // text of the node; empty for inputs
        std::uint32_t first = 0, last = 0; // steps
        std::int64_t bytes = 0;
        std::int64_t offset = -1; // in the arena; -1: not placed
        /// Bytes that another tensor has already taken over at its last step.
        std::int64_t takenOver = 0;
        Class kind = Class::Activation;
        bool swapped = false, again = false; // stored or loaded; recomputed
        bool hot = false;                    // alive when memory is at its peak

        std::int64_t bytesAt(std::uint32_t step) const
        {
            return bytes - (step == last ? takenOver : 0);
        }
        std::uint32_t steps() const { return last - first + 1; }
    };
    struct Step {
        QString node; // text of the node
        Item item;    // empty: not in the shown graph
        double startMs = 0, ms = 0;
        std::int64_t bytes = 0; // including weights
        bool again = false;     // recomputes what was dropped before
        /// The part of `bytes` that belongs to no tensor: parts of fissions, and their copies.
        std::int64_t extra = 0;
    };
    struct Transfer {
        QString tensor;
        bool load = false; // false: a store
        double startMs = 0, endMs = 0;
        std::uint32_t first = 0, last = 0; // steps that run during the transfer
    };

    /// A tensor that has no memory of its own, but shares that of another.
    struct View {
        TensorId tensor;
        NodeId producer;
        std::uint32_t of; // index into `tensors`
    };

    std::vector<Tensor> tensors;
    std::vector<View> views;
    std::vector<Step> steps;
    std::vector<Transfer> transfers;
    std::size_t weights = 0;                // number of constants, which are in memory all the time
    std::int64_t residentBytes = 0;         // of the weights
    std::optional<std::int64_t> arenaBytes; // memory without weights, with tensors at their offsets
    bool timed = false;                     // steps have milliseconds, which are modelled
    QString origin;                         // origin of the schedule: "magis, phone-cpu"
    QStringList notes;                      // what was not counted and why

    // Made by finished().
    std::int64_t peakBytes = 0;
    std::uint32_t peakStep = 0;
    std::vector<std::uint32_t> hotSpots; // steps with distinct high peaks, highest first
    /// Tensors from the bottom of a stack to its top. Those with long lifetimes come first, so that
    /// what lies on them seldom jumps.
    std::vector<std::uint32_t> stack;
    std::map<TensorId, std::vector<std::uint32_t>> byTensor;
    std::map<NodeId, std::vector<std::uint32_t>> byProducer;

    std::uint32_t stepCount() const { return std::uint32_t(steps.size()); }
    bool isEmpty() const { return steps.empty(); }
    /// Returns the first step with the most memory, from `first` to `last`.
    std::uint32_t highest(std::uint32_t first, std::uint32_t last) const;
    /// Returns where a step begins on an axis of steps or of milliseconds. For stepCount(), returns
    /// the end of the axis.
    double beginOf(std::uint32_t step, bool inTime) const;
    /// Returns the step at a place on that axis.
    std::uint32_t stepAt(double place, bool inTime) const;
    /// Returns the lifetimes of an item: of a tensor, or of the outputs of a node, block or other
    /// group.
    std::vector<std::uint32_t> of(const Snapshot &snapshot, const Item &item) const;

    std::vector<std::vector<std::uint32_t>> highestOf; // by level: highest of 2, 4, 8… steps
};
using TimelinePointer = std::shared_ptr<const MemoryTimeline>;

/// Returns the class of a tensor in words.
QString nameOf(MemoryTimeline::Class kind);
/// Returns in words whether a tensor was recomputed or swapped; empty if it was neither.
QString fateOf(const MemoryTimeline::Tensor &tensor);

/// Completes a timeline with what is derived from its tensors and steps.
TimelinePointer finished(MemoryTimeline timeline);

/// Makes the timeline of a snapshot from the plan's MemoryPlan. For a plan without one, and for
/// nested graphs, it follows from the graph, its topological order and the fusion blocks
/// (engine/plan/memory/live_tensors.h). Returns null when stopped.
TimelinePointer timelineOf(const Snapshot &snapshot, std::stop_token stop);
/// Returns the timeline of the graph before the pass from a plan's MemoryPlan, with steps only.
/// Returns null without a MemoryPlan.
TimelinePointer timelineBefore(const Plan &plan);

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/snapshot/snapshot.h"

#include <QString>
#include <QStringList>

#include <map>

namespace graphloom {

/// What is in memory while a graph runs, step by step: immutable, made on a thread, shared by chart
/// and tables.
struct MemoryTimeline {
    enum class Class : std::uint8_t { Activation, Input, Output, Gradient, Update };
    static constexpr std::size_t classCount = 5;

    /// One life of a tensor: one that is swapped or computed again has several.
    struct Tensor {
        QString name;
        Item item;                         // none: the shown graph has it not
        NodeId producer;                   // in the shown graph; not valid: none
        QString madeBy;                    // the node in words; empty for inputs
        std::uint32_t first = 0, last = 0; // steps
        std::int64_t bytes = 0;
        std::int64_t offset = -1; // in the arena; -1: not placed
        /// Of its bytes, what another tensor has already taken over at its last step.
        std::int64_t takenOver = 0;
        Class kind = Class::Activation;
        bool swapped = false, again = false; // stored or loaded; computed a second time
        bool hot = false;                    // there when memory is at its peak

        std::int64_t bytesAt(std::uint32_t step) const
        {
            return bytes - (step == last ? takenOver : 0);
        }
        std::uint32_t steps() const { return last - first + 1; }
    };
    struct Step {
        QString node; // in words
        Item item;    // none: the shown graph has it not
        double startMs = 0, ms = 0;
        std::int64_t bytes = 0; // with weights
        bool again = false;     // computes what was dropped before
        /// Of `bytes`, what is of no tensor: parts of fissions, and what they are copied to.
        std::int64_t extra = 0;
    };
    struct Transfer {
        QString tensor;
        bool load = false; // else a store
        double startMs = 0, endMs = 0;
        std::uint32_t first = 0, last = 0; // steps that run meanwhile
    };

    /// A tensor that has no memory of its own, but that of another one.
    struct View {
        TensorId tensor;
        NodeId producer;
        std::uint32_t of; // tensors
    };

    std::vector<Tensor> tensors;
    std::vector<View> views;
    std::vector<Step> steps;
    std::vector<Transfer> transfers;
    std::size_t weights = 0;                // constants that take memory all the time
    std::int64_t residentBytes = 0;         // of those
    std::optional<std::int64_t> arenaBytes; // of all but weights, at the offsets
    bool timed = false;                     // steps have milliseconds, which are modelled
    QString origin;                         // whose schedule it is: "magis, phone-cpu"
    QStringList notes;                      // what was not counted and why

    // Made by finished().
    std::int64_t peakBytes = 0;
    std::uint32_t peakStep = 0;
    std::vector<std::uint32_t> hotSpots; // steps with high and separate peaks, highest first
    /// Tensors from the bottom of a stack to its top: those that live long come first, so that
    /// what lies on them jumps seldom.
    std::vector<std::uint32_t> stack;
    std::map<TensorId, std::vector<std::uint32_t>> byTensor;
    std::map<NodeId, std::vector<std::uint32_t>> byProducer;

    std::uint32_t stepCount() const { return std::uint32_t(steps.size()); }
    bool isEmpty() const { return steps.empty(); }
    /// The first step with the most memory of those from `first` to `last`.
    std::uint32_t highest(std::uint32_t first, std::uint32_t last) const;
    /// Where a step begins on an axis of steps or of milliseconds; of stepCount(): its end.
    double beginOf(std::uint32_t step, bool inTime) const;
    /// The step at a place on that axis.
    std::uint32_t stepAt(double place, bool inTime) const;
    /// Lives of what is selected: of a tensor, or of what a node, block or subgraph gives.
    std::vector<std::uint32_t> of(const Snapshot &snapshot, const Item &item) const;

    std::vector<std::vector<std::uint32_t>> highestOf; // by level: of 2, 4, 8… steps
};
using TimelinePointer = std::shared_ptr<const MemoryTimeline>;

/// The class of a tensor in words.
QString nameOf(MemoryTimeline::Class kind);
/// What became of a tensor's life, in words; empty when nothing did.
QString fateOf(const MemoryTimeline::Tensor &tensor);

/// Adds what is derived from tensors and steps.
TimelinePointer finished(MemoryTimeline timeline);

/// As the plan's MemoryPlan says; of a plan without one, and of nested graphs, as follows from the
/// graph, its order and the fusion blocks (engine/plan/memory/live_tensors.h). Null when stopped.
TimelinePointer timelineOf(const Snapshot &snapshot, std::stop_token stop);
/// What a plan's MemoryPlan says of the graph before the pass: steps alone. Null without one.
TimelinePointer timelineBefore(const Plan &plan);

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/app/made_timelines.h"

#include <map>

namespace graphloom::test {

namespace {

using test::below;
using test::chance;

/// Adds up the bytes of the live tensors of every step.
void addUp(MemoryTimeline &timeline)
{
    for (MemoryTimeline::Step &step : timeline.steps)
        step.bytes = timeline.residentBytes + step.extra;
    for (const MemoryTimeline::Tensor &tensor : timeline.tensors) {
        for (std::size_t s = tensor.first; s <= tensor.last; ++s)
            timeline.steps[s].bytes += tensor.bytes;
        timeline.steps[tensor.last].bytes -= tensor.takenOver;
    }
}

} // namespace

MemoryTimeline randomTimeline(test::Random &random, std::uint32_t tensors, std::uint32_t steps)
{
    MemoryTimeline timeline;
    timeline.timed = true;
    timeline.residentBytes = 5000;
    double now = 0;
    for (std::uint32_t s = 0; s < steps; ++s) {
        const double ms = double(below(random, 9)) / 4;
        timeline.steps.push_back({QStringLiteral("Op n%1").arg(s), Item::of(NodeId{s}), now, ms, 0,
                                  chance(random, 0.02),
                                  chance(random, 0.05) ? std::int64_t(below(random, 300)) : 0});
        now += ms;
    }
    std::int64_t offset = 0;
    std::map<std::uint32_t, std::uint32_t> ends; // by step: the last tensor that ends there
    for (std::uint32_t t = 0; t < tensors; ++t) {
        MemoryTimeline::Tensor tensor;
        tensor.name = QStringLiteral("t%1").arg(t);
        tensor.item = Item::tensor(TensorId{t});
        tensor.producer = NodeId{std::uint32_t(below(random, steps))};
        tensor.first = tensor.producer.index;
        const bool isLong = chance(random, 0.1);
        tensor.last = std::uint32_t(std::min<std::uint64_t>(
            steps - 1, tensor.first + below(random, isLong ? steps : 1 + steps / 50)));
        tensor.bytes = std::int64_t(below(random, isLong ? 4000 : 1500));
        tensor.kind = MemoryTimeline::Class(below(random, MemoryTimeline::classCount));
        tensor.swapped = chance(random, 0.03);
        tensor.offset = offset; // a poor arena, but an arena
        offset = (offset + tensor.bytes) % 2'000'000;
        if (const auto from = ends.find(tensor.first); from != ends.end() && chance(random, 0.3)) {
            MemoryTimeline::Tensor &taken = timeline.tensors[from->second];
            taken.takenOver = std::min(taken.bytes, tensor.bytes);
            ends.erase(from);
        }
        ends[tensor.last] = t;
        timeline.tensors.push_back(std::move(tensor));
    }
    for (std::uint32_t i = 0; i < tensors / 50; ++i) {
        const auto first = std::uint32_t(below(random, steps));
        const double start = timeline.steps[first].startMs;
        timeline.transfers.push_back(
            {QStringLiteral("t%1").arg(i), chance(random, 0.5), start, start + 1, first, first});
    }
    timeline.arenaBytes = 2'004'000;
    addUp(timeline);
    return timeline;
}

MemoryTimeline smallTimeline()
{
    MemoryTimeline timeline;
    timeline.timed = true;
    timeline.origin = QStringLiteral("made by a test");
    const auto tensor = [&](const char *name, std::uint32_t id, std::uint32_t first,
                            std::uint32_t last, std::int64_t bytes, std::int64_t offset) {
        MemoryTimeline::Tensor made;
        made.name = QLatin1String(name);
        made.item = Item::tensor(TensorId{id});
        made.producer = NodeId{id};
        made.madeBy = QStringLiteral("Op n%1").arg(id);
        made.first = first;
        made.last = last;
        made.bytes = bytes;
        made.offset = offset;
        timeline.tensors.push_back(std::move(made));
    };
    tensor("in", 0, 0, 1, 10, 20);
    tensor("kept", 1, 1, 3, 20, 0);
    tensor("top", 2, 2, 2, 20, 20);
    for (std::uint32_t s = 0; s < 4; ++s)
        timeline.steps.push_back({QStringLiteral("Op n%1").arg(s), Item::of(NodeId{s}), double(s),
                                  s == 3 ? 3.0 : 1.0, 0, false});
    timeline.arenaBytes = 40;
    addUp(timeline);
    return timeline;
}

} // namespace graphloom::test

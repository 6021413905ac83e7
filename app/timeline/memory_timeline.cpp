// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/timeline/memory_timeline.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace graphloom {

namespace {

struct MemoryTimelineText {
    Q_DECLARE_TR_FUNCTIONS(MemoryTimeline)
};

constexpr std::size_t mostHotSpots = 8;
constexpr double leastHotSpot = 0.75; // of the peak
constexpr double leastValley = 0.1;   // of the peak, between two hot spots

/// Marks tensors that are live at the peak: only they can lower it.
void markHot(MemoryTimeline &timeline)
{
    for (MemoryTimeline::Tensor &tensor : timeline.tensors)
        tensor.hot = tensor.first <= timeline.peakStep && timeline.peakStep <= tensor.last;
}

/// Finds the first of the highest steps between each two valleys.
void findHotSpots(MemoryTimeline &timeline)
{
    const double peak = double(timeline.peakBytes - timeline.residentBytes);
    const auto height = [&](std::uint32_t step) {
        return double(timeline.steps[step].bytes - timeline.residentBytes);
    };
    std::uint32_t top = 0;
    double valley = 0; // since the last hot spot
    bool rising = true;
    const auto end = [&] {
        if (rising && height(top) >= leastHotSpot * peak)
            timeline.hotSpots.push_back(top);
    };
    for (std::uint32_t step = 0; step < timeline.stepCount(); ++step) {
        const double now = height(step);
        if (rising) {
            if (now > height(top))
                top = step;
            if (now < height(top) - leastValley * peak) {
                end();
                rising = false;
                valley = now;
            }
        } else {
            valley = std::min(valley, now);
            if (now > valley + leastValley * peak) {
                rising = true;
                top = step;
            }
        }
    }
    end();
    std::ranges::stable_sort(timeline.hotSpots, std::ranges::greater{}, height);
    if (timeline.hotSpots.size() > mostHotSpots)
        timeline.hotSpots.resize(mostHotSpots);
}

void makeLevels(MemoryTimeline &timeline)
{
    std::vector<std::uint32_t> below(timeline.steps.size());
    std::iota(below.begin(), below.end(), 0U);
    while (below.size() > 1) {
        std::vector<std::uint32_t> level;
        for (std::size_t i = 0; i < below.size(); i += 2) {
            const std::uint32_t a = below[i], b = i + 1 < below.size() ? below[i + 1] : a;
            level.push_back(timeline.steps[b].bytes > timeline.steps[a].bytes ? b : a);
        }
        below = level;
        timeline.highestOf.push_back(std::move(level));
    }
}

} // namespace

QString nameOf(MemoryTimeline::Class kind)
{
    switch (kind) {
    case MemoryTimeline::Class::Input:
        return MemoryTimelineText::tr("input");
    case MemoryTimeline::Class::Output:
        return MemoryTimelineText::tr("output");
    case MemoryTimeline::Class::Gradient:
        return MemoryTimelineText::tr("gradient");
    case MemoryTimeline::Class::Update:
        return MemoryTimelineText::tr("update");
    case MemoryTimeline::Class::Activation:
        break;
    }
    return MemoryTimelineText::tr("activation");
}

QString fateOf(const MemoryTimeline::Tensor &tensor)
{
    QStringList fates;
    if (tensor.again)
        fates << MemoryTimelineText::tr("recomputed");
    if (tensor.swapped)
        fates << MemoryTimelineText::tr("swapped");
    return fates.join(QStringLiteral(", "));
}

std::uint32_t MemoryTimeline::highest(std::uint32_t first, std::uint32_t last) const
{
    std::uint32_t best = first;
    const auto consider = [&](std::uint32_t step) {
        if (steps[step].bytes > steps[best].bytes ||
            (steps[step].bytes == steps[best].bytes && step < best))
            best = step;
    };
    // Go from single steps to ever larger groups within the range, as in a segment tree.
    std::uint32_t from = first, to = last + 1;
    for (std::size_t level = 0; from < to; ++level) {
        const auto at = [&](std::uint32_t i) { return level == 0 ? i : highestOf[level - 1][i]; };
        if (from % 2 != 0)
            consider(at(from++));
        if (to % 2 != 0 && from < to)
            consider(at(--to));
        from /= 2;
        to /= 2;
    }
    return best;
}

double MemoryTimeline::beginOf(std::uint32_t step, bool inTime) const
{
    if (!inTime)
        return step;
    return step < stepCount() ? steps[step].startMs
           : steps.empty()    ? 0
                              : steps.back().startMs + steps.back().ms;
}

std::uint32_t MemoryTimeline::stepAt(double place, bool inTime) const
{
    const double last = steps.empty() ? 0 : double(stepCount() - 1);
    if (!inTime)
        return std::uint32_t(std::clamp(std::floor(place), 0.0, last));
    const auto after = std::ranges::upper_bound(steps, place, {}, &Step::startMs);
    return after == steps.begin() ? 0 : std::uint32_t(after - steps.begin()) - 1;
}

std::vector<std::uint32_t> MemoryTimeline::of(const Snapshot &snapshot, const Item &item) const
{
    std::vector<std::uint32_t> lives;
    const auto addAll = [&](const auto &map, const auto &key) {
        if (const auto at = map.find(key); at != map.end())
            lives.insert(lives.end(), at->second.begin(), at->second.end());
    };
    if (item.isTensor()) {
        addAll(byTensor, item.tensor());
    } else if (item.kind == Item::Kind::Node) {
        addAll(byProducer, item.node());
    } else if (item.isGroup() && snapshot.contains(item)) {
        for (const NodeId id : snapshot.nodesOf(item))
            addAll(byProducer, id);
    }
    return lives;
}

TimelinePointer finished(MemoryTimeline timeline)
{
    makeLevels(timeline);
    if (!timeline.isEmpty()) {
        timeline.peakStep = timeline.highest(0, timeline.stepCount() - 1);
        timeline.peakBytes = timeline.steps[timeline.peakStep].bytes;
        markHot(timeline);
        findHotSpots(timeline);
    }
    timeline.stack.resize(timeline.tensors.size());
    std::iota(timeline.stack.begin(), timeline.stack.end(), 0U);
    std::ranges::stable_sort(timeline.stack, [&](std::uint32_t a, std::uint32_t b) {
        const MemoryTimeline::Tensor &x = timeline.tensors[a], &y = timeline.tensors[b];
        return x.steps() != y.steps() ? x.steps() > y.steps() : x.first < y.first;
    });
    for (std::uint32_t t = 0; t < timeline.tensors.size(); ++t) {
        const MemoryTimeline::Tensor &tensor = timeline.tensors[t];
        if (tensor.item)
            timeline.byTensor[tensor.item.tensor()].push_back(t);
        if (tensor.producer.valid())
            timeline.byProducer[tensor.producer].push_back(t);
    }
    for (const MemoryTimeline::View &view : timeline.views) {
        timeline.byTensor[view.tensor].push_back(view.of);
        timeline.byProducer[view.producer].push_back(view.of);
    }
    return std::make_shared<const MemoryTimeline>(std::move(timeline));
}

} // namespace graphloom

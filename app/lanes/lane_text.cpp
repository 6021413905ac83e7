// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lanes/lane_text.h"

#include "app/common/format.h"

#include <QCoreApplication>
#include <QStringList>

namespace graphloom {

namespace {

struct LaneText {
    Q_DECLARE_TR_FUNCTIONS(LaneView)
};

QString rateText(const Lanes::Step &step)
{
    QStringList rates;
    if (const double flops = step.rateOf(step.flops); flops > 0)
        rates << LaneText::tr("%1 GFLOP/s").arg(formatReal(flops / 1e9));
    if (const double bytes = step.rateOf(step.bytes); bytes > 0)
        rates << LaneText::tr("%1 GB/s").arg(formatReal(bytes / 1e9));
    return rates.join(QStringLiteral(", "));
}

/// Returns the text for a time at which a thread does nothing.
QString idleText(const Lanes &lanes, const Lanes::Lane &lane, double time)
{
    const std::uint32_t next = lanes.firstAfter(lane, time);
    const double from = next > lane.first ? lanes.slices[next - 1].end() : 0;
    const double to = next < lane.end ? lanes.slices[next].start : lanes.runOf(lane).seconds;
    if (time > to)
        return LaneText::tr("%1 · after the end of the run").arg(threadText(lane.thread));
    QStringList lines{
        LaneText::tr("%1 · idle for %2").arg(threadText(lane.thread), formatTime(to - from))};
    if (next > lane.first)
        lines << LaneText::tr("after %1").arg(lanes.stepOf(lanes.slices[next - 1]).name);
    if (next < lane.end)
        lines << LaneText::tr("before %1").arg(lanes.stepOf(lanes.slices[next]).name);
    return lines.join('\n');
}

} // namespace

QString threadText(unsigned thread)
{
    return LaneText::tr("Thread %1").arg(thread);
}

QString headerText(const Lanes::Run &run)
{
    return nameOf(run.kind) + QStringLiteral(": ") + summaryOf(run);
}

QString textOf(const Lanes &lanes, std::uint32_t index)
{
    const Lanes::Slice &slice = lanes.slices[index];
    const Lanes::Step &step = lanes.stepOf(slice);
    const Lanes::Run &run = lanes.runOf(lanes.laneOf(slice));
    QStringList lines{step.name};
    if (!step.computed.isEmpty())
        lines << elided(step.computed, 120);
    if (!step.reason.isEmpty())
        lines << LaneText::tr("Interpreted: %1").arg(step.reason);
    lines << LaneText::tr("%1 · %2, from %3 on")
                 .arg(threadText(lanes.laneOf(slice).thread), formatTime(slice.seconds),
                      formatTime(slice.start));
    if (step.threads > 1)
        lines << LaneText::tr("%1 on %2 threads, which were busy for %3")
                     .arg(formatTime(step.seconds))
                     .arg(step.threads)
                     .arg(formatTime(step.busy));
    lines << LaneText::tr("%1 of the run; median of all runs %2")
                 .arg(formatPercent(run.seconds > 0 ? step.seconds / run.seconds : 0),
                      formatTime(step.usual));
    if (const QString rates = rateText(step); !rates.isEmpty())
        lines << rates;
    if (slice.idle > 0)
        lines << LaneText::tr("idle for %1 before it").arg(formatTime(slice.idle));
    return lines.join('\n');
}

QString textOf(const Lanes &lanes, const LanePicture::Hit &hit)
{
    if (!hit.lane)
        return {};
    if (!hit.bar)
        return idleText(lanes, lanes.lanes[*hit.lane], hit.time);
    if (!hit.bar->isMerged())
        return textOf(lanes, hit.bar->slice);
    return LaneText::tr("%1 slices, %2 in total: zoom in to tell them apart. Longest:")
               .arg(hit.bar->count)
               .arg(formatTime(hit.bar->seconds)) +
           '\n' + textOf(lanes, hit.bar->slice);
}

} // namespace graphloom

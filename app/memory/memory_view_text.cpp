// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of the timeline about its contents.
#include "app/memory/memory_view.h"

#include "app/common/format.h"

#include <algorithm>

namespace graphloom {

void MemoryView::describe()
{
    QStringList lines;
    if (m_cursor && m_scene.timeline && *m_cursor < m_scene.timeline->stepCount())
        lines << textOf({TimelinePicture::Hit::Kind::Step, 0, *m_cursor});
    if (!m_marked.empty() && m_scene.timeline &&
        m_marked.front() < m_scene.timeline->tensors.size())
        lines << textOfTensor(m_marked.front());
    setAccessibleDescription(lines.join('\n'));
}

QString MemoryView::textOfTensor(std::uint32_t tensor) const
{
    const MemoryTimeline &timeline = *m_scene.timeline;
    const MemoryTimeline::Tensor &of = timeline.tensors[tensor];
    QStringList lines{of.name};
    lines << (of.bytes > 0 ? tr("%1, %2").arg(formatBytes(double(of.bytes)), nameOf(of.kind))
                           : tr("%1, reuses the memory of a weight").arg(nameOf(of.kind)));
    if (!of.madeBy.isEmpty())
        lines << tr("computed by %1").arg(of.madeBy);
    lines << tr("live from step %1 to %2 (%n step(s))", nullptr, int(of.steps()))
                 .arg(of.first)
                 .arg(of.last);
    lines << (of.kind == MemoryTimeline::Class::Output || of.kind == MemoryTimeline::Class::Update
                  ? tr("kept to the end: graph output")
                  : tr("last read by %1").arg(timeline.steps[of.last].node));
    if (of.takenOver > 0)
        lines << tr("whose result reuses %1 of its memory").arg(formatBytes(double(of.takenOver)));
    if (of.offset >= 0)
        lines << tr("at %1 in the arena").arg(of.offset);
    if (of.again)
        lines << tr("recomputed after it was dropped");
    if (of.swapped)
        lines << tr("swapped to the host's memory and back");
    if (of.hot)
        lines << tr("in memory at the peak");
    return lines.join('\n');
}

QString MemoryView::textOf(const TimelinePicture::Hit &hit) const
{
    using Kind = TimelinePicture::Hit::Kind;
    if (!m_scene.timeline || hit.kind == Kind::None)
        return {};
    const MemoryTimeline &timeline = *m_scene.timeline;
    const MemoryTimeline::Step &step = timeline.steps[hit.step];
    QString text = tr("Step %1: %2, %3 in memory")
                       .arg(hit.step)
                       .arg(step.node, formatBytes(double(step.bytes)));
    if (timeline.timed)
        text += tr(", %1 ms from %2 ms on (modelled)")
                    .arg(formatReal(step.ms), formatReal(step.startMs));
    if (step.again)
        text += tr(", recomputed");
    switch (hit.kind) {
    case Kind::Tensor:
        return textOfTensor(hit.index) + QStringLiteral("\n\n") + text;
    case Kind::Weights:
        return tr("Weights: %1, always in memory")
                   .arg(formatBytes(double(timeline.residentBytes))) +
               QStringLiteral("\n\n") + text;
    case Kind::Transfer: {
        const MemoryTimeline::Transfer &transfer = timeline.transfers[hit.index];
        return (transfer.load ? tr("%1 is loaded from the host's memory")
                              : tr("%1 is stored to the host's memory"))
                   .arg(transfer.tensor) +
               tr("\nfrom %1 to %2 ms (modelled)")
                   .arg(formatReal(transfer.startMs), formatReal(transfer.endMs));
    }
    case Kind::Others: {
        const ColumnIndex column = std::clamp(m_picture.columnAt(m_picture.xOfStep(hit.step)),
                                              ColumnIndex(0), m_picture.window().lastColumn());
        const QString extra =
            step.extra > 0 ? tr(", and %1 for copies of parts").arg(formatBytes(double(step.extra)))
                           : QString();
        return tr("%n tensor(s) too small to be visible: zoom in", nullptr,
                  int(m_picture.bands().hidden[column])) +
               extra + QStringLiteral("\n\n") + text;
    }
    default:
        return text;
    }
}

} // namespace graphloom

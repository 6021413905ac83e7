// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/snapshot/nested_snapshot.h"

#include <algorithm>

namespace graphloom {

namespace {

const QString separator = QStringLiteral(" › ");

const NestedGraph &heldBy(const Snapshot &around, const GraphStep &step)
{
    return *around.facts->nestedAt(step);
}

QString stepTitle(const Snapshot &snapshot)
{
    const Snapshot &around = *snapshot.around;
    const GraphStep &step = snapshot.path.back();
    const NodeFacts &node = around.facts->of(step.node);
    const QString name =
        node.name.isEmpty()
            ? QStringLiteral("%1 #%2").arg(node.op).arg(around.graph().position(step.node))
            : node.name;
    return name + separator + heldBy(around, step).name;
}

} // namespace

SnapshotPointer ownGraph(SnapshotPointer snapshot)
{
    while (snapshot && snapshot->around)
        snapshot = snapshot->around;
    return snapshot;
}

SnapshotPointer insideOf(const SnapshotPointer &around, const GraphStep &step)
{
    const NestedGraph *graph = around->facts->nestedAt(step);
    if (!graph)
        return nullptr;
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->plan = around->plan;
    snapshot->peakBytes = around->peakBytes;
    snapshot->facts = graph->facts;
    snapshot->path = around->path;
    snapshot->path.push_back(step);
    snapshot->nested = graph->graph;
    snapshot->around = around;
    return snapshot;
}

SnapshotPointer graphAt(const SnapshotPointer &own, const GraphPath &path)
{
    SnapshotPointer deepest = own;
    for (const GraphStep &step : path) {
        SnapshotPointer next = insideOf(deepest, step);
        if (!next)
            break;
        deepest = std::move(next);
    }
    return deepest;
}

SnapshotPointer sameGraphIn(const SnapshotPointer &own, const Snapshot &shown)
{
    if (!shown.around)
        return own;
    const GraphStep &step = shown.path.back();
    const SnapshotPointer around = sameGraphIn(own, *shown.around);
    if (around->path != shown.around->path)
        return around;
    const NestedGraph *graph = around->facts->nestedAt(step);
    const bool same = graph && graph->name == heldBy(*shown.around, step).name &&
                      around->facts->of(step.node).op == shown.around->facts->of(step.node).op;
    return same ? insideOf(around, step) : around;
}

TensorId capturedFrom(const Snapshot &snapshot, TensorId captured)
{
    const auto all = snapshot.graph().captured();
    const auto place = std::size_t(std::find(all.begin(), all.end(), captured) - all.begin());
    const GraphStep &step = snapshot.path.back();
    return snapshot.around->graph()
        .node(step.node)
        .captures[heldBy(*snapshot.around, step).firstCapture + place];
}

Item sourceOf(const Snapshot &snapshot, TensorId captured)
{
    const Graph &around = snapshot.around->graph();
    const TensorId id = capturedFrom(snapshot, captured);
    if (const NodeId producer = around.producer(id); producer.valid())
        return Item::of(producer);
    if (around.isInput(id))
        return Item::input(id);
    return around.isExternal(id) ? Item::captured(id) : Item::of(snapshot.path.back().node);
}

QStringList titlesOf(const Snapshot &snapshot)
{
    QStringList titles;
    for (const Snapshot *inner = &snapshot; inner->around; inner = inner->around.get())
        titles.prepend(stepTitle(*inner));
    return titles;
}

QString titleOf(const Snapshot &snapshot)
{
    return titlesOf(snapshot).join(separator);
}

} // namespace graphloom

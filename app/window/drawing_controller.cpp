// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/drawing_controller.h"

#include "app/models/background.h"
#include "app/models/nested_snapshot.h"
#include "app/window/graphviz_layout.h"

namespace graphloom {

namespace {

/// What of another state of the plan stands for what was collapsed.
std::set<Item> collapsedIn(const Snapshot &next, const Snapshot &before,
                           const std::set<Item> &collapsed)
{
    std::set<Item> result;
    for (const Item &group : collapsed)
        if (const Item now = sameItemIn(next, before, group))
            result.insert(now);
    return result;
}

} // namespace

void DrawingController::setSnapshot(const SnapshotPointer &snapshot)
{
    const SnapshotPointer before = std::exchange(m_snapshot, snapshot);
    if (!snapshot) {
        m_worker.abandon();
        m_outdated = false;
        Q_EMIT ready(nullptr, false);
        return;
    }
    const bool otherModel = !before || before->plan->model != snapshot->plan->model;
    const SnapshotPointer own = ownGraph(snapshot);
    if (before && own == std::exchange(m_edited, nullptr))
        m_options.collapsed = collapsedIn(*own, *ownGraph(before), m_options.collapsed);
    else if (otherModel || before->plan->partition != snapshot->plan->partition ||
             before->plan->fusion != snapshot->plan->fusion)
        m_options.collapsed = initiallyCollapsed(*own);
    const bool otherGraph = otherModel || before->path != snapshot->path;
    m_fresh = m_fresh || otherGraph;
    // Graphviz takes too long to wait for.
    if (m_worker.isRunning() && !otherGraph && m_method == LayoutMethod::Layered)
        m_outdated = true;
    else
        redraw();
}

void DrawingController::setGrouping(Grouping grouping)
{
    if (std::exchange(m_options.grouping, grouping) != grouping)
        redraw();
}

void DrawingController::setColumns(bool columns)
{
    if (std::exchange(m_options.columns, columns) != columns)
        redraw();
}

void DrawingController::setMethod(LayoutMethod method)
{
    if (std::exchange(m_method, method) != method)
        redraw();
}

void DrawingController::toggleCollapsed(const Item &group)
{
    if (!m_options.collapsed.erase(group))
        m_options.collapsed.insert(group);
    redraw();
}

void DrawingController::collapseAll(bool collapsed)
{
    m_options.collapsed.clear();
    if (collapsed && m_snapshot)
        m_options.collapsed = allGroups(*ownGraph(m_snapshot));
    redraw();
}

void DrawingController::redraw()
{
    if (!m_snapshot)
        return;
    m_outdated = false;
    Q_EMIT started();
    struct Outcome {
        DrawingPointer drawing;
        QString problem;
    };
    m_worker.start(
        [snapshot = m_snapshot, options = m_options, method = m_method](std::stop_token stop) {
            workInBackground();
            Outcome outcome;
            if (method == LayoutMethod::Graphviz) {
                auto drawing = drawByGraphviz(snapshot, options, stop);
                if (drawing)
                    outcome.drawing = *std::move(drawing);
                else
                    outcome.problem = QString::fromStdString(drawing.error().text());
                if (outcome.drawing || stop.stop_requested())
                    return outcome;
            }
            outcome.drawing = draw(snapshot, options, stop);
            return outcome;
        },
        [this](const Outcome &outcome) {
            if (!outcome.problem.isEmpty())
                Q_EMIT failed(outcome.problem);
            if (outcome.drawing)
                Q_EMIT ready(outcome.drawing, std::exchange(m_fresh, false));
            if (m_outdated)
                redraw();
        });
}

} // namespace graphloom

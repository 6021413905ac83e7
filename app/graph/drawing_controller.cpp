// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graph/drawing_controller.h"

#include "app/common/background.h"
#include "app/graph/graphviz_layout.h"
#include "app/snapshot/nested_snapshot.h"

namespace graphloom {

namespace {

/// Returns the items of another state of the plan that correspond to the collapsed ones.
std::set<Item> collapsedIn(const Snapshot &next, const Snapshot &before,
                           const std::set<Item> &collapsed)
{
    std::set<Item> result;
    for (const Item &group : collapsed)
        if (const Item now = sameItemIn(next, before, group))
            result.insert(now);
    return result;
}

bool isRegrouped(const Snapshot &before, const Snapshot &next)
{
    return before.plan->partition != next.plan->partition ||
           before.plan->fusion != next.plan->fusion || before.modules != next.modules ||
           before.fissions != next.fissions;
}

/// Chooses what is collapsed after a pass. New blocks, subgraphs and regions start as those of a
/// new model; modules, which are mostly the same, keep their state unless too much would be drawn.
std::set<Item> collapsedAfter(const Snapshot &next, const Snapshot &before,
                              const std::set<Item> &collapsed)
{
    std::set<Item> result;
    const std::set<Item> initial = initiallyCollapsed(next);
    const auto isNew = [&](Grouping grouping) {
        return grouping == Grouping::Blocks      ? before.plan->fusion != next.plan->fusion
               : grouping == Grouping::Subgraphs ? before.plan->partition != next.plan->partition
               : grouping == Grouping::Fissions  ? before.fissions != next.fissions
                                                 : false;
    };
    for (const Item &group : initial)
        if (isNew(groupingOf(group)))
            result.insert(group);
    bool any = false;
    for (const Item &group : collapsed)
        if (const Item now = sameItemIn(next, before, group); now && !isNew(groupingOf(group))) {
            result.insert(now);
            any = any || groupingOf(now) == Grouping::Modules;
        }
    if (!any && before.graph().nodeCount() <= mostDrawn)
        for (const Item &group : initial)
            if (groupingOf(group) == Grouping::Modules)
                result.insert(group);
    return result;
}

std::vector<Item> sameItemsIn(const Snapshot &next, const Snapshot &before,
                              const std::vector<Item> &items)
{
    std::vector<Item> result;
    for (const Item &item : items)
        if (const Item now = sameItemIn(next, before, item))
            result.push_back(now);
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
    else if (otherModel)
        m_options.collapsed = initiallyCollapsed(*own);
    else if (const SnapshotPointer was = ownGraph(before); isRegrouped(*was, *own))
        m_options.collapsed = collapsedAfter(*own, *was, m_options.collapsed);
    const bool otherGraph = otherModel || before->path != snapshot->path;
    if (otherGraph)
        m_options.focus = {};
    else
        m_options.focus.around = sameItemsIn(*snapshot, *before, m_options.focus.around);
    m_fresh = m_fresh || otherGraph;
    // Do not wait for Graphviz, which takes too long.
    if (m_worker.isRunning() && !otherGraph && m_method == LayoutMethod::Layered)
        m_outdated = true;
    else
        redraw();
}

void DrawingController::change()
{
    Q_EMIT optionsChanged();
    redraw();
}

Grouping DrawingController::drawn() const
{
    return m_snapshot ? drawnGrouping(*m_snapshot, m_options.grouping) : Grouping::None;
}

void DrawingController::setOptions(ViewOptions options, LayoutMethod method)
{
    if (m_options == options && m_method == method)
        return;
    m_options = std::move(options);
    m_method = method;
    redraw();
}

void DrawingController::setGrouping(Grouping grouping)
{
    if (std::exchange(m_options.grouping, grouping) != grouping)
        change();
}

void DrawingController::setColumns(bool columns)
{
    if (std::exchange(m_options.columns, columns) != columns)
        redraw();
}

void DrawingController::reflow(double aspect)
{
    constexpr double similar = 1.1;
    const double ratio = m_options.aspect / aspect;
    if (ratio > 1 / similar && ratio < similar)
        return;
    m_options.aspect = aspect;
    if (m_options.columns && m_method == LayoutMethod::Layered)
        redraw();
}

void DrawingController::setMethod(LayoutMethod method)
{
    if (std::exchange(m_method, method) != method)
        redraw();
}

void DrawingController::toggleCollapsed(const Item &group)
{
    setCollapsed(group, !m_options.collapsed.contains(group));
}

void DrawingController::setCollapsed(const Item &group, bool collapsed)
{
    if (collapsed)
        m_options.collapsed.insert(group);
    else
        m_options.collapsed.erase(group);
    change();
}

void DrawingController::collapseAll(bool collapsed)
{
    m_options.collapsed.clear();
    if (collapsed && m_snapshot)
        m_options.collapsed = allGroups(*ownGraph(m_snapshot));
    change();
}

/// Groups that are not drawn now stay collapsed.
std::set<Item> DrawingController::ofOtherGroupings() const
{
    std::set<Item> others;
    for (const Item &group : m_options.collapsed)
        if (groupingOf(group) != drawn())
            others.insert(group);
    return others;
}

void DrawingController::showLevels(std::uint32_t levels)
{
    if (!m_snapshot)
        return;
    std::set<Item> collapsed = ofOtherGroupings();
    collapsed.merge(groupsBelow(*m_snapshot, drawn(), levels));
    m_options.collapsed = std::move(collapsed);
    change();
}

void DrawingController::showOnlyWayTo(const Item &item)
{
    if (!m_snapshot)
        return;
    std::set<Item> collapsed = ofOtherGroupings();
    collapsed.merge(groupsBeside(*m_snapshot, drawn(), item));
    m_options.collapsed = std::move(collapsed);
    change();
}

bool DrawingController::openAround(const Item &item)
{
    if (!m_snapshot)
        return false;
    bool opened = false;
    Item group = item.kind == Item::Kind::Node ? m_snapshot->groupOf(item.node(), drawn())
                 : groupingOf(item) == drawn() ? m_snapshot->parentOf(item)
                                               : Item();
    for (; group; group = m_snapshot->parentOf(group))
        opened = m_options.collapsed.erase(group) > 0 || opened;
    if (opened)
        change();
    return opened;
}

void DrawingController::setFocus(Focus focus)
{
    if (m_options.focus == focus)
        return;
    m_options.focus = std::move(focus);
    change();
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
    m_worker.announce(m_jobs, tr("Computing the layout"));
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
            else if (!m_outdated)
                Q_EMIT cancelled();
            if (m_outdated)
                redraw();
        });
}

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sides/sides.h"

#include "app/common/background.h"
#include "app/snapshot/nested_snapshot.h"

#include <QScopedValueRollback>

#include <algorithm>

namespace graphloom {

Sides::Sides(Selection &selection, DrawingController &drawings)
    : m_selection(selection), m_drawings(drawings)
{
    connect(&m_selection, &Selection::changed, this, [this] { follow(Side::Now); });
    connect(&m_otherSelection, &Selection::changed, this, [this] { follow(Side::Before); });
    connect(&m_drawings, &DrawingController::started, this, &Sides::followOptions);
}

void Sides::setJobs(JobList *jobs)
{
    m_jobs = jobs;
    m_other.setJobs(jobs);
}

void Sides::show(SnapshotPointer before, const QString &name,
                 std::optional<MeasuredLatency> measured)
{
    forget();
    m_step = {};
    m_before = std::move(before);
    m_name = name;
    m_measuredBefore = std::move(measured);
    Q_EMIT shownChanged();
    m_other.setSnapshot(m_before);
    followOptions();
    match();
}

void Sides::hide()
{
    if (!isShown())
        return;
    forget();
    m_before = nullptr;
    m_other.setSnapshot(nullptr);
    Q_EMIT counterpartsChanged();
    Q_EMIT shownChanged();
}

/// Forgets what belongs to the other plan. The user's selection in the current one stays.
void Sides::forget()
{
    const QScopedValueRollback following(m_following, true);
    m_otherSelection.clear();
    m_lead = Side::Now;
    m_matcher.abandon();
    m_counterparts = nullptr;
    m_lacking = {};
}

void Sides::setNow(const SnapshotPointer &now, const std::optional<MeasuredLatency> &measured)
{
    const bool wasInside = std::exchange(m_inside, now && now->around);
    m_now = ownGraph(now);
    const auto isSame = [](const MeasuredLatency &a, const MeasuredLatency &b) {
        return a.ms.value == b.ms.value && a.device == b.device;
    };
    m_remeasured = m_remeasured || measured.has_value() != m_measuredNow.has_value() ||
                   (measured && !isSame(*measured, *m_measuredNow));
    m_measuredNow = measured;
    if (!isShown() || !m_now)
        return;
    match();
    if (m_inside != wasInside)
        Q_EMIT counterpartsChanged();
}

/// A matching that runs for an earlier state is finished first, since a pass publishes faster than
/// large graphs can be matched.
void Sides::match()
{
    if (m_matcher.isRunning()) {
        m_outdated = true;
        return;
    }
    m_outdated = false;
    const bool known = m_counterparts && m_counterparts->now->plan == m_now->plan &&
                       m_counterparts->before == m_before && !m_remeasured;
    if (known)
        return;
    m_remeasured = false;
    m_matcher.announce(m_jobs, tr("Matching both plans"));
    m_matcher.start(
        [before = m_before, now = m_now,
         options =
             PlanComparing{m_measuredBefore, m_measuredNow, {}}](std::stop_token stop) mutable {
            workInBackground();
            options.stop = stop;
            return counterpartsOf(before, now, options);
        },
        [this](const CounterpartsPointer &made) {
            if (made)
                m_counterparts = made;
            if (m_outdated)
                match();
            m_step = {};
            Q_EMIT counterpartsChanged();
            follow(m_lead);
            followOptions(); // of the focus
        });
}

void Sides::follow(Side from)
{
    if (m_following || !isShown())
        return;
    m_lead = from;
    if (m_inside || !m_counterparts)
        return;
    m_following = true;
    m_step = {};
    const Selection &source = selection(from);
    const std::vector<Item> items = m_counterparts->of(from, source.items());
    selection(otherSide(from)).select(items);
    m_lacking = source.item() && items.empty() ? std::optional(otherSide(from)) : std::nullopt;
    m_following = false;
    Q_EMIT matched();
}

void Sides::followOptions()
{
    if (!isShown() || !m_now)
        return;
    ViewOptions options = m_drawings.options();
    options.collapsed = collapsedBefore();
    if (options.focus)
        options.focus.around = m_counterparts && !m_inside
                                   ? m_counterparts->of(Side::Now, options.focus.around)
                                   : std::vector<Item>();
    if (!options.focus)
        options.focus = {};
    m_other.setOptions(std::move(options), m_drawings.method());
}

Item Sides::groupNow(const Item &group) const
{
    return m_now ? sameGroupIn(*m_now, *m_before, group) : Item();
}

/// Returns the groups to collapse in the other plan: those whose namesakes are collapsed; blocks,
/// subgraphs and what has no namesake stay as they are.
std::set<Item> Sides::collapsedBefore() const
{
    std::set<Item> collapsed = m_other.options().collapsed;
    const std::set<Item> &now = m_drawings.options().collapsed;
    for (const Grouping grouping : {Grouping::Modules, Grouping::Fissions})
        for (std::uint32_t i = 0; i < m_before->count(grouping); ++i) {
            const Item group = groupItem(grouping, i), same = groupNow(group);
            if (same && now.contains(same))
                collapsed.insert(group);
            else if (same)
                collapsed.erase(group);
        }
    return collapsed;
}

void Sides::toggleCollapsed(const Item &group)
{
    if (const Item same = groupNow(group))
        m_drawings.toggleCollapsed(same);
    else
        m_other.toggleCollapsed(group);
}

bool Sides::openAround(const Item &item)
{
    const Grouping drawn = drawnGrouping(*m_before, m_other.options().grouping);
    bool opened = false;
    Item group = item.kind == Item::Kind::Node ? m_before->groupOf(item.node(), drawn)
                 : groupingOf(item) == drawn   ? m_before->parentOf(item)
                                               : Item();
    for (; group; group = m_before->parentOf(group)) {
        if (!m_other.options().collapsed.contains(group))
            continue;
        opened = true;
        toggleCollapsed(group);
    }
    return opened;
}

void Sides::collapseAll(bool collapsed)
{
    if (isShown())
        m_other.collapseAll(collapsed);
}

void Sides::showLevels(std::uint32_t levels)
{
    if (isShown())
        m_other.showLevels(levels);
}

bool Sides::canStep() const
{
    if (!isShown() || !m_counterparts || m_inside)
        return false;
    const GraphComparison &graphs = m_counterparts->comparison.graphs;
    return graphs.count(Difference::Same) < graphs.nodes.size();
}

/// Returns the index of the difference that is selected, or the number of nodes.
std::size_t Sides::differenceAt() const
{
    const auto &nodes = m_counterparts->comparison.graphs.nodes;
    if (m_step)
        return *m_step;
    const Item &item = (m_lead == Side::Before ? m_otherSelection : m_selection).item();
    if (item.kind != Item::Kind::Node)
        return nodes.size();
    const auto side = m_lead == Side::Before ? &NodeDifference::before : &NodeDifference::now;
    return std::size_t(std::ranges::find(nodes, item.node(), side) - nodes.begin());
}

void Sides::step(int by)
{
    if (!canStep())
        return;
    const auto &nodes = m_counterparts->comparison.graphs.nodes;
    std::size_t at = differenceAt();
    if (at == nodes.size())
        at = by > 0 ? nodes.size() - 1 : 0;
    do
        at = (at + (by > 0 ? 1 : nodes.size() - 1)) % nodes.size();
    while (nodes[at].kind == Difference::Same);
    const Side side = nodes[at].now.valid() ? Side::Now : Side::Before;
    const Item item = Item::of(side == Side::Now ? nodes[at].now : nodes[at].before);
    if (selection(side).items() == std::vector{item})
        follow(side); // it may have been selected through the other side
    else
        selection(side).select(item);
    m_step = at;
    Q_EMIT stepped(side, item);
}

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graph/navigator.h"

namespace graphloom {

Navigator::Navigator(Selection &selection, QObject *parent)
    : QObject(parent), m_selection(selection)
{
    connect(&m_selection, &Selection::changed, this, [this](const Item &item) {
        if (item.isGroup() && isInside())
            go({{}, item}); // groups belong to the model's main graph
    });
}

void Navigator::show(SnapshotPointer next)
{
    std::vector<Item> kept, unchanged;
    if (m_shown && next && m_shown->path == next->path && m_shown->plan->model == next->plan->model)
        for (const Item &item : m_selection.items())
            if (const Item now = sameItemIn(*next, *m_shown, item)) {
                kept.push_back(now);
                if (now == item)
                    unchanged.push_back(item);
            }
    m_selection.select(std::move(unchanged));
    m_shown = std::move(next);
    Q_EMIT shownChanged(m_shown);
    m_selection.select(std::move(kept));
}

/// Drops items that do not exist in the new state of the plan.
void Navigator::select(const Item &item)
{
    m_selection.select(m_shown->contains(item) ? item : Item{});
}

void Navigator::open(const SnapshotPointer &own)
{
    m_back.clear();
    m_forward.clear();
    show(own);
}

void Navigator::update(const SnapshotPointer &own)
{
    const SnapshotPointer before = m_shown;
    show(sameGraphIn(own, *before));
    if (m_shown->path != before->path)
        Q_EMIT left(titleOf(*before));
}

void Navigator::go(const Place &place)
{
    if (place.path != m_shown->path) {
        m_back.push_back(here());
        m_forward.clear();
        show(graphAt(ownGraph(m_shown), place.path));
    }
    if (m_shown->path == place.path)
        select(place.item);
}

void Navigator::goUp()
{
    if (isInside())
        go({m_shown->around->path, Item::of(m_shown->path.back().node)});
}

void Navigator::goBack()
{
    travel(m_back, m_forward);
}

void Navigator::goForward()
{
    travel(m_forward, m_back);
}

void Navigator::travel(std::vector<Place> &from, std::vector<Place> &to)
{
    while (!from.empty()) {
        const Place place = from.back();
        from.pop_back();
        const SnapshotPointer next = graphAt(ownGraph(m_shown), place.path);
        if (next->path != place.path || place.path == m_shown->path)
            continue; // removed, or already shown after an undo
        to.push_back(here());
        show(next);
        select(place.item);
        return;
    }
}

} // namespace graphloom

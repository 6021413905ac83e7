// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/snapshot/selection.h"

#include <algorithm>

namespace graphloom {

void Selection::select(std::vector<Item> items)
{
    // Keep the last one of duplicates.
    std::set<Item> sorted;
    std::vector<Item> unique;
    for (auto it = items.rbegin(); it != items.rend(); ++it)
        if (*it && sorted.insert(*it).second)
            unique.push_back(*it);
    std::reverse(unique.begin(), unique.end());
    if (unique == m_items)
        return;
    m_items = std::move(unique);
    m_sorted = std::move(sorted);
    m_item = m_items.empty() ? Item() : m_items.back();
    Q_EMIT changed(m_item);
}

void Selection::toggle(const Item &item)
{
    std::vector<Item> items = m_items;
    if (std::erase(items, item) == 0)
        items.push_back(item);
    select(std::move(items));
}

} // namespace graphloom

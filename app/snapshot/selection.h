// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/item.h"

#include <QObject>

#include <set>
#include <vector>

namespace graphloom {

/// The one selection that runs through all views: one item, or several of the same graph.
class Selection final : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// The one chosen last, which panels tell about; none when nothing is selected.
    const Item &item() const { return m_item; }
    /// All, each once, the one chosen last at the end.
    const std::vector<Item> &items() const { return m_items; }
    bool contains(const Item &item) const { return m_sorted.contains(item); }

    void select(const Item &item) { select(item ? std::vector{item} : std::vector<Item>()); }
    void select(std::vector<Item> items);
    /// Adds an item, or takes it away.
    void toggle(const Item &item);
    void clear() { select(Item()); }

Q_SIGNALS:
    /// Another item, or others beside it.
    void changed(const graphloom::Item &item);

private:
    Item m_item;
    std::vector<Item> m_items;
    std::set<Item> m_sorted;
};

} // namespace graphloom

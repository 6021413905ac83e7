// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/item.h"

#include <QObject>

#include <set>
#include <vector>

namespace graphloom {

/// Holds the selection that all views share: one item, or several of the same graph.
class Selection final : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Returns the item chosen last, which panels describe, or an empty item when nothing is
    /// selected.
    const Item &item() const { return m_item; }
    /// Returns all selected items, each once, the one chosen last at the end.
    const std::vector<Item> &items() const { return m_items; }
    bool contains(const Item &item) const { return m_sorted.contains(item); }

    void select(const Item &item) { select(item ? std::vector{item} : std::vector<Item>()); }
    void select(std::vector<Item> items);
    /// Adds an item to the selection, or removes it.
    void toggle(const Item &item);
    void clear() { select(Item()); }

Q_SIGNALS:
    /// Emitted when the selected items have changed. `item` is the one chosen last.
    void changed(const graphloom::Item &item);

private:
    Item m_item;
    std::vector<Item> m_items;
    std::set<Item> m_sorted;
};

} // namespace graphloom

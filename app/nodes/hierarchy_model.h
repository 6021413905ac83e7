// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/snapshot/snapshot.h"

#include <QAbstractItemModel>

#include <memory>
#include <set>
#include <vector>

namespace graphloom {

/// The groups of a plan as trees, a section for each grouping that it has, with the nodes as
/// leaves. A group is checked while it is open on the canvas.
class HierarchyModel final : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column { Name, Nodes, Macs, ColumnCount };

    explicit HierarchyModel(QObject *parent = nullptr) : QAbstractItemModel(parent) {}

    void setSnapshot(SnapshotPointer snapshot);
    const SnapshotPointer &snapshot() const { return m_snapshot; }
    /// Those that are drawn as one node.
    void setCollapsed(const std::set<Item> &collapsed);
    /// Shows these nodes alone, what is around them, and all that is in groups whose name has the
    /// text (lower case) in it; null: all.
    struct Filter {
        QString text;
        std::vector<bool> nodes; // by node id
    };
    void setFilter(std::shared_ptr<const Filter> filter);

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &index) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;

    /// None for a section.
    Item itemAt(const QModelIndex &index) const;
    /// Of a group, or of a node in a section; invalid where it is not shown.
    QModelIndex indexOf(const Item &item, Grouping grouping) const;
    /// The section of a grouping; invalid where the plan has none.
    QModelIndex sectionOf(Grouping grouping) const;
    /// How many rows there are in all.
    std::size_t entryCount() const { return m_entries.size(); }
    /// The groups and nodes as a flat table, a group before what is in it: its keys, and the values
    /// of one of the rows, which is none for a section.
    static QStringList rowKeys();
    bool isSection(std::size_t entry) const { return !m_entries[entry].item; }
    std::vector<QVariant> rowValues(std::size_t entry) const;

Q_SIGNALS:
    /// Asked for by the box in front of a group.
    void collapseWanted(const graphloom::Item &group, bool collapsed);

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct Entry {
        Item item;                 // none: a section
        std::uint32_t section = 0; // of m_sections
        std::uint32_t parent = none;
        int row = 0;
        std::vector<std::uint32_t> children;
    };
    /// Of a section: where its groups and nodes are, and the nodes that are in a group (the last
    /// one: in none) but in none inside of it.
    struct Section {
        Grouping grouping = Grouping::None;
        std::uint32_t entry = 0;
        std::vector<std::uint32_t> groups, nodes; // by index; none
        std::vector<std::vector<NodeId>> direct;
    };
    void build();
    void addSection(Grouping grouping);
    void addInside(const Item &group, std::uint32_t place, bool whole);
    void addGroup(const Item &group, std::uint32_t parent, bool whole);
    std::uint32_t add(const Item &item, std::uint32_t parent);
    QString nameOf(const Entry &entry) const;

    SnapshotPointer m_snapshot;
    std::set<Item> m_collapsed;
    std::shared_ptr<const Filter> m_filter;
    std::vector<Entry> m_entries;
    std::vector<Section> m_sections;
};

} // namespace graphloom

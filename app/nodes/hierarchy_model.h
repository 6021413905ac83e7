// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/snapshot/snapshot.h"

#include <QAbstractItemModel>

#include <memory>
#include <set>
#include <vector>

namespace graphloom {

/// A model of the groups of a plan as trees, with a section for each grouping that the plan has and
/// the nodes as leaves. A group is checked while it is expanded on the canvas.
class HierarchyModel final : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column { Name, Nodes, Macs, ColumnCount };

    explicit HierarchyModel(QObject *parent = nullptr) : QAbstractItemModel(parent) {}

    void setSnapshot(SnapshotPointer snapshot);
    const SnapshotPointer &snapshot() const { return m_snapshot; }
    /// Sets the groups that are collapsed, which are drawn as one node.
    void setCollapsed(const std::set<Item> &collapsed);
    /// Shows only these nodes, the groups around them, and everything in groups whose name contains
    /// the text (lower case). Null shows everything.
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

    /// Returns the item at an index, or an empty item for a section.
    Item itemAt(const QModelIndex &index) const;
    /// Returns the index of a group, or of a node in the section of a grouping. Invalid when it is
    /// not shown.
    QModelIndex indexOf(const Item &item, Grouping grouping) const;
    /// Returns the section of a grouping. Invalid when the plan has none.
    QModelIndex sectionOf(Grouping grouping) const;
    /// Returns the total number of rows.
    std::size_t entryCount() const { return m_entries.size(); }
    /// These give the groups and nodes as a flat table, in which a group precedes its content: the
    /// keys of its columns, and the values of an entry, which must not be a section.
    static QStringList rowKeys();
    bool isSection(std::size_t entry) const { return !m_entries[entry].item; }
    std::vector<QVariant> rowValues(std::size_t entry) const;

Q_SIGNALS:
    /// Emitted when the check box of a group was clicked.
    void collapseWanted(const graphloom::Item &group, bool collapsed);

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct Entry {
        Item item;                 // empty: a section
        std::uint32_t section = 0; // index into m_sections
        std::uint32_t parent = none;
        int row = 0;
        std::vector<std::uint32_t> children;
    };
    /// The entries of a section, and by group the nodes that are in the group but in no inner one.
    /// The last entry of `direct` is for nodes in no group.
    struct Section {
        Grouping grouping = Grouping::None;
        std::uint32_t entry = 0;
        std::vector<std::uint32_t> groups, nodes; // by index: entry, or none
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

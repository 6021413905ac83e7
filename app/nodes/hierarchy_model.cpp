// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/nodes/hierarchy_model.h"

#include "app/common/format.h"

#include <QFont>

#include <algorithm>
#include <utility>

namespace graphloom {

namespace {

QString sectionTitle(Grouping grouping)
{
    switch (grouping) {
    case Grouping::Modules:
        return HierarchyModel::tr("Modules");
    case Grouping::Blocks:
        return HierarchyModel::tr("Fusion blocks");
    case Grouping::Subgraphs:
        return HierarchyModel::tr("Subgraphs");
    case Grouping::Fissions:
        return HierarchyModel::tr("Fission regions");
    case Grouping::None:
        break;
    }
    return {};
}

} // namespace

void HierarchyModel::setSnapshot(SnapshotPointer snapshot)
{
    m_snapshot = std::move(snapshot);
    build();
}

void HierarchyModel::setFilter(std::shared_ptr<const Filter> filter)
{
    m_filter = std::move(filter);
    build();
}

void HierarchyModel::setCollapsed(const std::set<Item> &collapsed)
{
    m_collapsed = collapsed;
    // Only the view knows the visible rows; there are few of them.
    if (!m_sections.empty())
        Q_EMIT dataChanged(index(0, 0), index(int(m_sections.size()) - 1, 0),
                           {Qt::CheckStateRole, Qt::ToolTipRole});
}

void HierarchyModel::build()
{
    beginResetModel();
    m_entries.clear();
    m_sections.clear();
    if (m_snapshot)
        for (const Grouping grouping :
             {Grouping::Modules, Grouping::Blocks, Grouping::Subgraphs, Grouping::Fissions})
            addSection(grouping);
    endResetModel();
}

std::uint32_t HierarchyModel::add(const Item &item, std::uint32_t parent)
{
    const auto place = std::uint32_t(m_entries.size());
    Entry entry;
    entry.item = item;
    entry.section = std::uint32_t(m_sections.size() - 1);
    entry.parent = parent;
    if (parent == none) {
        entry.row = int(entry.section);
    } else {
        entry.row = int(m_entries[parent].children.size());
        m_entries[parent].children.push_back(place);
    }
    m_entries.push_back(std::move(entry));
    if (item)
        (item.isGroup() ? m_sections.back().groups : m_sections.back().nodes)[item.index] = place;
    return place;
}

void HierarchyModel::addSection(Grouping grouping)
{
    const std::size_t count = m_snapshot->count(grouping);
    if (count == 0)
        return;
    const Graph &graph = m_snapshot->graph();
    Section section;
    section.grouping = grouping;
    section.entry = std::uint32_t(m_entries.size());
    section.groups.assign(count, none);
    section.nodes.assign(graph.nodeBound(), none);
    section.direct.resize(count + 1);
    for (const NodeId id : graph.order()) {
        const Item group = m_snapshot->groupOf(id, grouping);
        section.direct[group ? group.index : count].push_back(id);
    }
    m_sections.push_back(std::move(section));
    addInside({}, add({}, none), false);
    m_sections.back().direct.clear();
}

/// Returns the groups and nodes in a group, or at the top level, in the order of the graph.
void HierarchyModel::addInside(const Item &group, std::uint32_t place, bool whole)
{
    const Section &section = m_sections.back();
    const GroupForest *forest = m_snapshot->forest(section.grouping);
    const Graph &graph = m_snapshot->graph();
    std::vector<std::pair<std::uint32_t, Item>> inside;
    const auto addInner = [&](std::uint32_t index) {
        const Item inner = groupItem(section.grouping, index);
        inside.emplace_back(graph.position(m_snapshot->nodesOf(inner).front()), inner);
    };
    if (group && forest) {
        for (const std::uint32_t child : forest->groups[group.index].children)
            addInner(child);
    } else if (!group) {
        for (std::uint32_t g = 0; g < section.groups.size(); ++g)
            if (!m_snapshot->parentOf(groupItem(section.grouping, g)))
                addInner(g);
    }
    for (const NodeId id : section.direct[group ? group.index : section.groups.size()])
        if (whole || !m_filter || m_filter->nodes[id.index])
            inside.emplace_back(graph.position(id), Item::of(id));
    if (forest) // other groups have numbers instead of titles
        std::ranges::sort(inside);
    for (const auto &[position, item] : inside) {
        if (item.isGroup())
            addGroup(item, place, whole);
        else
            add(item, place);
    }
}

/// Omits the entry if the filter excludes all of it; `whole`: everything in it is shown.
void HierarchyModel::addGroup(const Item &group, std::uint32_t parent, bool whole)
{
    whole = whole || (m_filter && !m_filter->text.isEmpty() &&
                      m_snapshot->titleOf(group).contains(m_filter->text, Qt::CaseInsensitive));
    const std::uint32_t place = add(group, parent);
    addInside(group, place, whole);
    if (!m_filter || whole || m_entries.size() > place + 1)
        return;
    m_sections.back().groups[group.index] = none;
    m_entries.pop_back();
    m_entries[parent].children.pop_back();
}

QModelIndex HierarchyModel::index(int row, int column, const QModelIndex &parent) const
{
    if (row < 0 || row >= rowCount(parent) || column < 0 || column >= ColumnCount)
        return {};
    return createIndex(
        row, column,
        quintptr(parent.isValid()
                     ? m_entries[std::size_t(parent.internalId())].children[std::size_t(row)]
                     : m_sections[std::size_t(row)].entry));
}

QModelIndex HierarchyModel::parent(const QModelIndex &index) const
{
    if (!index.isValid())
        return {};
    const std::uint32_t parent = m_entries[std::size_t(index.internalId())].parent;
    return parent == none ? QModelIndex() : createIndex(m_entries[parent].row, 0, quintptr(parent));
}

int HierarchyModel::rowCount(const QModelIndex &parent) const
{
    if (!parent.isValid())
        return int(m_sections.size());
    return parent.column() > 0 ? 0
                               : int(m_entries[std::size_t(parent.internalId())].children.size());
}

int HierarchyModel::columnCount(const QModelIndex &) const
{
    return ColumnCount;
}

QString HierarchyModel::nameOf(const Entry &entry) const
{
    if (!entry.item) {
        const Grouping grouping = m_sections[entry.section].grouping;
        return QStringLiteral("%1 (%2)")
            .arg(sectionTitle(grouping))
            .arg(m_snapshot->count(grouping));
    }
    if (entry.item.kind == Item::Kind::Block)
        return QStringLiteral("%1 %2").arg(entry.item.index).arg(m_snapshot->titleOf(entry.item));
    if (entry.item.isGroup())
        return m_snapshot->titleOf(entry.item);
    const NodeFacts &facts = m_snapshot->facts->of(entry.item.node());
    const QString own = facts.name.section('/', -1);
    return own.isEmpty() || own == facts.op ? facts.op : facts.op + QStringLiteral(" · ") + own;
}

QVariant HierarchyModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Entry &entry = m_entries[std::size_t(index.internalId())];
    const bool isGroup = entry.item.isGroup();
    switch (role) {
    case Qt::DisplayRole:
        if (index.column() == Name)
            return nameOf(entry);
        if (!entry.item)
            return {};
        if (index.column() == Nodes)
            return isGroup ? QString::number(m_snapshot->factsOf(entry.item).nodes) : QString();
        {
            const Dim &macs = isGroup ? m_snapshot->factsOf(entry.item).macs
                                      : m_snapshot->facts->of(entry.item.node()).macs;
            return macs == Dim(0) ? QString() : formatDim(macs);
        }
    case Qt::CheckStateRole:
        if (!isGroup || index.column() != Name)
            return {};
        return m_collapsed.contains(entry.item) ? Qt::Unchecked : Qt::Checked;
    case Qt::TextAlignmentRole:
        return int((index.column() == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        if (isGroup)
            return QStringLiteral("%1\n%2").arg(m_snapshot->titleOf(entry.item),
                                                m_snapshot->factsOf(entry.item).operators);
        return entry.item ? m_snapshot->facts->of(entry.item.node()).name : QString();
    case Qt::AccessibleTextRole:
        if (isGroup && index.column() == Name)
            return nameOf(entry) + QStringLiteral(", ") +
                   (m_collapsed.contains(entry.item) ? tr("collapsed on the canvas")
                                                     : tr("expanded on the canvas"));
        return data(index, Qt::DisplayRole);
    case Qt::FontRole:
        if (!entry.item) {
            QFont font;
            font.setBold(true);
            return font;
        }
        return {};
    default:
        return {};
    }
}

QStringList HierarchyModel::rowKeys()
{
    return {QStringLiteral("grouping"),  QStringLiteral("depth"), QStringLiteral("kind"),
            QStringLiteral("number"),    QStringLiteral("name"),  QStringLiteral("inside"),
            QStringLiteral("operator"),  QStringLiteral("nodes"), QStringLiteral("macs"),
            QStringLiteral("provenance")};
}

std::vector<QVariant> HierarchyModel::rowValues(std::size_t entry) const
{
    static const char *const groupings[] = {"", "blocks", "subgraphs", "modules", "fissions"};
    const Entry &of = m_entries[entry];
    int depth = 0;
    for (std::uint32_t at = of.parent; m_entries[at].item; at = m_entries[at].parent)
        ++depth;
    const Item &around = m_entries[of.parent].item;
    const bool group = of.item.isGroup();
    const NodeFacts *node = group ? nullptr : &m_snapshot->facts->of(of.item.node());
    return {QString::fromLatin1(groupings[int(m_sections[of.section].grouping)]),
            depth,
            group ? QStringLiteral("group") : QStringLiteral("node"),
            group ? of.item.index : m_snapshot->graph().position(of.item.node()),
            group ? m_snapshot->titleOf(of.item) : node->name,
            around ? QVariant(m_snapshot->titleOf(around)) : QVariant(),
            node ? QVariant(node->op) : QVariant(),
            group ? qulonglong(m_snapshot->factsOf(of.item).nodes) : qulonglong(1),
            valueOf(group ? m_snapshot->factsOf(of.item).macs : node->macs),
            QStringLiteral("modelled")};
}

bool HierarchyModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    const Item item = itemAt(index);
    if (role != Qt::CheckStateRole || !item.isGroup())
        return false;
    Q_EMIT collapseWanted(item, value.toInt() == int(Qt::Unchecked));
    return true;
}

QVariant HierarchyModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::DisplayRole)
        return section == Name ? tr("Name") : section == Nodes ? tr("Nodes") : tr("MACs");
    if (role == Qt::ToolTipRole && section == Name)
        return tr("Checked if the group is expanded on the canvas");
    return {};
}

Qt::ItemFlags HierarchyModel::flags(const QModelIndex &index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    const Item item = itemAt(index);
    Qt::ItemFlags flags = Qt::ItemIsEnabled;
    if (item)
        flags |= Qt::ItemIsSelectable;
    if (item.isGroup() && index.column() == Name)
        flags |= Qt::ItemIsUserCheckable;
    if (item && !item.isGroup())
        flags |= Qt::ItemNeverHasChildren;
    return flags;
}

Item HierarchyModel::itemAt(const QModelIndex &index) const
{
    return index.isValid() ? m_entries[std::size_t(index.internalId())].item : Item();
}

QModelIndex HierarchyModel::indexOf(const Item &item, Grouping grouping) const
{
    if (item.isGroup())
        grouping = groupingOf(item);
    for (const Section &section : m_sections) {
        const auto &places = item.isGroup() ? section.groups : section.nodes;
        if (section.grouping != grouping || item.isTensor() || item.index >= places.size() ||
            !item || places[item.index] == none)
            continue;
        return createIndex(m_entries[places[item.index]].row, 0, quintptr(places[item.index]));
    }
    return {};
}

QModelIndex HierarchyModel::sectionOf(Grouping grouping) const
{
    for (std::size_t row = 0; row < m_sections.size(); ++row)
        if (m_sections[row].grouping == grouping)
            return index(int(row), 0);
    return {};
}

} // namespace graphloom

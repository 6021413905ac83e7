// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/properties/property_model.h"

#include "app/common/glossary.h"

namespace graphloom {

void PropertyModel::setSections(std::vector<PropertySection> sections)
{
    beginResetModel();
    m_sections = std::move(sections);
    endResetModel();
}

QModelIndex PropertyModel::index(int row, int column, const QModelIndex &parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, quintptr(parent.isValid() ? parent.row() + 1 : 0));
}

QModelIndex PropertyModel::parent(const QModelIndex &index) const
{
    if (!index.isValid() || index.internalId() == 0)
        return {};
    return createIndex(int(index.internalId()) - 1, 0, quintptr(0));
}

int PropertyModel::rowCount(const QModelIndex &parent) const
{
    if (!parent.isValid())
        return int(m_sections.size());
    if (parent.internalId() != 0 || parent.column() != 0)
        return 0;
    return int(m_sections[std::size_t(parent.row())].properties.size());
}

int PropertyModel::columnCount(const QModelIndex &) const
{
    return ColumnCount;
}

const Property &PropertyModel::propertyAt(const QModelIndex &index) const
{
    return m_sections[std::size_t(index.internalId() - 1)].properties[std::size_t(index.row())];
}

std::optional<Place> PropertyModel::linkAt(const QModelIndex &index) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || index.internalId() == 0)
        return std::nullopt;
    return propertyAt(index).link;
}

QVariant PropertyModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (index.internalId() == 0) {
        if (role == Qt::DisplayRole && index.column() == Name)
            return m_sections[std::size_t(index.row())].title;
        return {};
    }
    const Property &property = propertyAt(index);
    switch (role) {
    case Qt::ToolTipRole:
        if (index.column() == Name && *property.term)
            return explained({}, QLatin1String(property.term));
        [[fallthrough]];
    case Qt::DisplayRole:
        return index.column() == Name ? property.name : property.value;
    case Qt::WhatsThisRole:
        return *property.term ? explained({}, QLatin1String(property.term)) : QVariant();
    case Qt::TextAlignmentRole:
        return int(Qt::AlignLeft | Qt::AlignTop);
    case CodeRole:
        return property.code && index.column() == Value;
    case LinkRole:
        return property.link && index.column() == Value;
    default:
        return {};
    }
}

QVariant PropertyModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Name ? tr("Property") : section == Value ? tr("Value") : QVariant();
}

} // namespace graphloom

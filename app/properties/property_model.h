// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/properties/properties.h"

#include <QAbstractItemModel>

namespace graphloom {

/// The properties of the selected item: sections, and in each its lines of name and value.
class PropertyModel final : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column { Name, Value, ColumnCount };
    enum Role {
        CodeRole = Qt::UserRole, // bool: wants a fixed-width font
        LinkRole,                // bool: the value leads somewhere
    };

    using QAbstractItemModel::QAbstractItemModel;

    void setSections(std::vector<PropertySection> sections);
    /// Where the value at an index leads; none where it leads nowhere.
    std::optional<Place> linkAt(const QModelIndex &index) const;

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &index) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    const Property &propertyAt(const QModelIndex &index) const;

    // The internal id of a line is its section's row + 1, of a section 0.
    std::vector<PropertySection> m_sections;
};

} // namespace graphloom

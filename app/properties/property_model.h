// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/properties/properties.h"

#include <QAbstractItemModel>

namespace graphloom {

/// A model of the properties of the selected item: sections, each with lines of a name and a value.
class PropertyModel final : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column { Name, Value, ColumnCount };
    enum Role {
        CodeRole = Qt::UserRole, // bool: shown in a fixed-width font
        LinkRole,                // bool: the value is a link
    };

    using QAbstractItemModel::QAbstractItemModel;

    void setSections(std::vector<PropertySection> sections);
    /// Returns the target of the value at an index, or nothing when it is not a link.
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

    // The internal id of a line is its section's row + 1; that of a section is 0.
    std::vector<PropertySection> m_sections;
};

} // namespace graphloom

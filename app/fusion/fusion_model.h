// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/snapshot/group_model.h"

namespace graphloom {

/// Lists the blocks of a plan's fusion plan, one a row.
class FusionModel final : public GroupModel {
    Q_OBJECT

public:
    enum Column {
        Index,
        Mapping,
        Pattern,
        Locked,
        Layouts,
        Nodes,
        Inputs,
        Outputs,
        Removed,
        Operators,
        ColumnCount
    };
    enum Role { MappingRole = Qt::UserRole }; // MappingType as int

    explicit FusionModel(QObject *parent = nullptr);
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

protected:
    QString toolTip(int row, int column) const override;

private:
    /// Returns the layout that was chosen for the block in words, or nothing without one.
    QString layoutAt(int row) const;
    const FusionBlock &blockAt(int row) const { return snapshot()->block(itemAt(row)); }
};

} // namespace graphloom

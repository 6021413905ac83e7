// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/snapshot/group_model.h"

namespace graphloom {

/// Lists the subgraphs of a plan's partition, one a row.
class PartitionModel final : public GroupModel {
    Q_OBJECT

public:
    enum Column { Index, Locked, Nodes, Weight, Macs, Operators };

    explicit PartitionModel(QObject *parent = nullptr);

protected:
    QString toolTip(int row, int column) const override;
};

} // namespace graphloom

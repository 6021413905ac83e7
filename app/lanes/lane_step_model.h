// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "app/lanes/lanes.h"

namespace graphloom {

/// Lists the steps of the plan in a traced run, one a row.
class LaneStepModel final : public RowsModel<Lanes::Step> {
    Q_OBJECT

public:
    enum Column {
        Name,
        Start,
        Time,
        Share,
        Median,
        Before,
        Now,
        Ratio,
        Gflops,
        Bandwidth,
        Threads,
        Idle,
        Interpreted,
        ColumnCount
    };

    explicit LaneStepModel(QObject *parent = nullptr);

    /// Sets the lanes; null for none. `linked` tells that the graph that is shown is the one that
    /// was run, so that rows stand for its items.
    void setLanes(LanesPointer lanes, bool linked);
    /// Tells whether there are values for a column: the plan may not have been compared.
    bool isUsed(Column column) const;

    Item itemAt(int row) const override;
    /// Returns the row of an item; if a block has several steps, that of the longest one.
    int rowOf(const Item &item) const override;
    QString provenance(int row) const override;

protected:
    std::span<const Lanes::Step> allRows() const override
    {
        return m_lanes ? std::span(m_lanes->runs.back().steps) : std::span<const Lanes::Step>();
    }

private:
    LanesPointer m_lanes;
    std::vector<int> m_rows; // by block
    bool m_linked = false;
};

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "app/results/plan_run.h"

namespace graphloom {

/// Lists the steps of a run, one a row: a loop nest of a block's kernel, or a block that is
/// interpreted.
class KernelModel final : public RowsModel<PlanStep> {
    Q_OBJECT

public:
    enum Column {
        Block,
        Operators,
        Time,
        Before,
        Ratio,
        Share,
        Gflops,
        Bytes,
        Bandwidth,
        Kernel,
        Schedule,
        Trials,
        Default,
        Best,
        Interpreted,
        ColumnCount
    };

    explicit KernelModel(QObject *parent = nullptr);

    /// Sets the run; null for none. `linked` tells that the graph that is shown is the one that was
    /// run, so that rows stand for its items.
    void setRun(PlanRunPointer run, bool linked);
    const PlanRunPointer &run() const { return m_run; }
    /// Tells whether the run has values for a column. It may not have been tuned, or not compared.
    bool isUsed(Column column) const;

    Item itemAt(int row) const override;
    /// Returns the row of an item; if a block has several steps, that of the longest one.
    int rowOf(const Item &item) const override;
    QString provenance(int row) const override;

protected:
    std::span<const PlanStep> allRows() const override
    {
        return m_run ? std::span(m_run->steps()) : std::span<const PlanStep>();
    }

private:
    QString timeToolTip(int row) const;
    QString tuningToolTip(int row) const;

    PlanRunPointer m_run;
    std::vector<int> m_rows; // by block
    bool m_linked = false;
};

} // namespace graphloom

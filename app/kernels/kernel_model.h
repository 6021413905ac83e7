// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "app/results/plan_run.h"

namespace graphloom {

/// The steps of a run: one loop nest of a block's kernel each, or a block that is interpreted.
class KernelModel final : public TableModel {
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

    /// Null for none. `linked`: the graph that is shown is the one that was run, so that rows
    /// stand for its items.
    void setRun(PlanRunPointer run, bool linked);
    const PlanRunPointer &run() const { return m_run; }
    /// Has the run anything to say in a column? It may not have been tuned, or not compared.
    bool isUsed(Column column) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    Item itemAt(int row) const override;
    /// Of several steps of a block the one that takes longest.
    int rowOf(const Item &item) const override;
    QVariant value(int row, int column) const override;
    QString provenance(int row) const override;

protected:
    QString text(int row, int column) const override;
    QString toolTip(int row, int column) const override;

private:
    const PlanStep &stepAt(int row) const { return m_run->steps()[std::size_t(row)]; }
    /// NaN where there is none.
    double number(int row, int column) const;
    QString tuningToolTip(int row) const;

    PlanRunPointer m_run;
    bool m_linked = false;
};

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "app/results/tuning_log.h"
#include "engine/plan/plan.h"

namespace graphloom {

/// The trials of a tuner, one a row; grows while it works.
class TrialModel final : public TableModel {
    Q_OBJECT

public:
    enum Column { Number, Block, Operators, Time, Relative, Schedule, Problem, ColumnCount };

    explicit TrialModel(QObject *parent = nullptr);

    /// Begins anew, for the kernels of a plan; null: of none.
    void begin(std::shared_ptr<const Plan> plan);
    void add(std::vector<TuningTrial> trials);
    const TuningLog &log() const { return m_log; }

    /// "12", "12.3" for a loop nest that is not the block's first, "12 whole".
    static QString nameOf(const KernelPlace &place);
    /// Of the block that a kernel is of: "Conv + Clip".
    QString operatorsOf(std::uint32_t block) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant value(int row, int column) const override;
    QString provenance(int row) const override;
    bool isLess(int row, int other, int column) const override;

protected:
    QString text(int row, int column) const override;
    QString toolTip(int row, int column) const override;

private:
    const TuningTrial &trialAt(int row) const { return m_log.trials()[std::size_t(row)].what; }

    TuningLog m_log;
    std::shared_ptr<const Plan> m_plan;
    std::vector<std::vector<NodeId>> m_blocks; // kernelBlocksOf(m_plan)
};

} // namespace graphloom

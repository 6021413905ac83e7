// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "app/results/tuning_log.h"
#include "engine/plan/plan.h"

namespace graphloom {

/// Lists the trials of a tuner, one a row, and grows while the tuner works.
class TrialModel final : public RowsModel<TuningLog::Trial> {
    Q_OBJECT

public:
    enum Column { Number, Block, Operators, Time, Relative, Schedule, Problem };

    explicit TrialModel(QObject *parent = nullptr);

    /// Starts again with an empty list for the kernels of a plan; null for none.
    void begin(std::shared_ptr<const Plan> plan);
    void add(std::vector<TuningTrial> trials);
    const TuningLog &log() const { return m_log; }

    /// Returns the name of a kernel: "12", "12.3" for a loop nest that is not the block's first, or
    /// "12 whole".
    static QString nameOf(const KernelPlace &place);
    /// Returns the operators of a block: "Conv + Clip".
    QString operatorsOf(std::uint32_t block) const;

    QString provenance(int row) const override;

protected:
    std::span<const TuningLog::Trial> allRows() const override { return m_log.trials(); }

private:
    /// Returns the tooltip of the times of a trial.
    QString timesOf(const TuningLog::Trial &trial) const;

    TuningLog m_log;
    std::shared_ptr<const Plan> m_plan;
    std::vector<std::vector<NodeId>> m_blocks; // kernelBlocksOf(m_plan)
};

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/blocks/block_cost.h"
#include "engine/tuning/block_trial.h"
#include "engine/tuning/plan_tuner.h"
#include "engine/tuning/reformer/tuned_plan.h"
#include "engine/tuning/tuning_budget.h"

#include <set>

namespace graphloom {

/// Times kernels that run one after the other, as trials of a budget. Every time is kept in the
/// profile database; what is found there is not timed again.
class SequenceTimer {
public:
    struct Time {
        BlockSeconds least; // 0 seconds: not measured
        bool known = false; // from the database
    };

    /// All must outlive this object; `options.database` is not null.
    SequenceTimer(const TuningTarget &target, const PlanTunerOptions &options,
                  TuningBudget &budget);

    /// Finds out which sequences the database has, so that without time only these are asked for.
    Result<void> readDatabase();
    bool knowsAny() const { return !m_known.empty(); }
    /// Tells whether the database may know these kernels, perhaps with others after them.
    bool mayKnow(const KernelSequence &kernels) const;

    /// Sets the bytes that one run of the plan moves, as bytesOfOneRun() returns them.
    void setBytesOfOneRun(std::int64_t bytes) { m_bytesOfOneRun = bytes; }
    /// Returns the least times of two sequences that compute the same. They are timed in turns
    /// unless the database knows both, as far as the budget allows. Trials are told to belong to
    /// `place`. Fails as measureInTurns().
    Result<std::pair<Time, Time>> compare(const KernelSequence &first, const KernelSequence &second,
                                          const KernelPlace &place);

private:
    Result<Time> known(const KernelSequence &kernels) const;

    const TuningTarget &m_target;
    const PlanTunerOptions &m_options;
    TuningBudget &m_budget;
    std::int64_t m_bytesOfOneRun = 0;
    std::set<std::string> m_known; // structures
};

} // namespace graphloom

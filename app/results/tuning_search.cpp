// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/results/tuning_search.h"

#include <algorithm>
#include <limits>

namespace graphloom {

std::span<const Parameter> tuningParameters()
{
    constexpr double most = std::numeric_limits<int>::max();
    static const Parameter table[] = {
        {.name = "seconds",
         .help = "Time limit for all kernels together, in seconds",
         .kind = Parameter::Kind::Integer,
         .initial = 0,
         .least = 0,
         .most = most},
        {.name = "trials",
         .help = "Maximum number of trials; 0: limited only by time",
         .kind = Parameter::Kind::Integer,
         .initial = 0,
         .least = 0,
         .most = most},
        {.name = "threads",
         .help = "Number of threads that run kernels; 0: one per core",
         .kind = Parameter::Kind::Integer,
         .initial = 0,
         .least = 0,
         .most = most},
    };
    return table;
}

void TuningSearch::take(const TuningLog &log, double seconds)
{
    m_record.cost =
        "time of all kernels, relative to their default schedules (measured one by one)";
    m_record.seconds = seconds;
    for (std::size_t i = m_record.generated; i < log.trials().size(); ++i) {
        const TuningLog::Trial &trial = log.trials()[i];
        if (!trial.what.problem.empty()) {
            const std::string reason = trial.what.problem.substr(0, trial.what.problem.find('\n'));
            auto &refusal = m_refusals[reason];
            if (refusal.count++ == 0)
                refusal = {reason, 1, trial.what.schedule};
        } else if (m_record.history.empty() || trial.whole < m_record.history.back().cost) {
            m_record.history.push_back({seconds, trial.whole});
        }
    }
    m_record.generated = log.trials().size();
}

std::shared_ptr<const SearchRecord> TuningSearch::record() const
{
    auto record = std::make_shared<SearchRecord>(m_record);
    for (const auto &[reason, refusal] : m_refusals)
        record->refusals.push_back(refusal);
    std::ranges::stable_sort(record->refusals, std::ranges::greater{},
                             &SearchRecord::Refusal::count);
    return record;
}

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/results/pass_run.h"
#include "app/results/tuning_log.h"

#include <map>

namespace graphloom {

/// Name and parameters of runs that tune kernels.
inline constexpr std::string_view tuningName = "tuning";
std::span<const Parameter> tuningParameters();

/// Presents the trials of a tuner as the record of a search: schedules are its states, its cost is
/// the time of all kernels relative to the default schedules, and schedules that could not be
/// measured are refused.
class TuningSearch {
public:
    /// Takes the trials that were added to the log since the last call. `seconds` is the time since
    /// tuning began.
    void take(const TuningLog &log, double seconds);
    std::shared_ptr<const SearchRecord> record() const;

private:
    SearchRecord m_record;
    std::map<std::string, SearchRecord::Refusal> m_refusals; // by reason
};

} // namespace graphloom

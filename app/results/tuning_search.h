// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/results/pass_run.h"
#include "app/results/tuning_log.h"

#include <map>

namespace graphloom {

/// What runs are called that tune kernels, and what they may be told.
inline constexpr std::string_view tuningName = "tuning";
std::span<const Parameter> tuningParameters();

/// The trials of a tuner as the record of a search: schedules are its states, the time of all
/// kernels relative to what they take by default is its cost, and those that could not be measured
/// are refused.
class TuningSearch {
public:
    /// Takes what the log has got since it was taken last; `seconds`: since tuning began.
    void take(const TuningLog &log, double seconds);
    std::shared_ptr<const SearchRecord> record() const;

private:
    SearchRecord m_record;
    std::map<std::string, SearchRecord::Refusal> m_refusals; // by reason
};

} // namespace graphloom

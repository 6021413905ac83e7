// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/compare/plan_metrics.h"

#include <QString>

namespace graphloom {

/// Returns a value in its unit: "1.50 MiB", "3.2 ms", "1234".
QString metricAmount(double value, const std::string &unit);
/// Returns a figure of a plan with its provenance: "3.2 ms (modelled, phone-cpu)"; "–" for none.
QString metricText(const std::optional<PlanMetric::Side> &side);

} // namespace graphloom

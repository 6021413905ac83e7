// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/schedule/schedule_target.h"
#include "engine/package/package.h"

namespace graphloom {

/// Implements Target::package(): generates the kernels of the plan for these vectors, and computes
/// the package's test by the interpreter. Of the content, the test, the model and `partial` are
/// ignored: the options tell them.
Result<PackageFacts> packagePlan(const Plan &plan, const ScheduleTarget &target,
                                 PackageContent content, const PackageOptions &options,
                                 const std::filesystem::path &folder);

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/cost/device.h"
#include "engine/plan/plan.h"

#include <memory>
#include <stop_token>

namespace graphloom {

/// Returns the plan for another device: costs of its blocks and layouts are those on the device,
/// while all decisions stay. Memory plans and tuned kernels stay as they are and name the device
/// that they were made for. Fails as Ecg::of() does.
Result<Plan> pricedFor(Plan plan, std::shared_ptr<const Device> device,
                       const std::stop_token &stop = {});

} // namespace graphloom

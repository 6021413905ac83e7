// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"
#include "plugins/magis/variants/measuring.h"

namespace graphloom::magis {

/// Holds what calls are priced by: the description of a device and, for the device that runs them,
/// measured times.
struct Pricing {
    Device device;
    std::unique_ptr<Measuring> measuring; // null: the device is only described
};

/// Returns the pricing of the device that the settings ask for. Fails as deviceFor() does, (Usage)
/// if calls are to be timed on a device that is only described, and (Missing) if nothing can time
/// them.
Result<Pricing> pricingOf(const Plan &plan, const Context &context);

} // namespace graphloom::magis

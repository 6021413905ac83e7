// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"
#include "plugins/magis/variants/measuring.h"

namespace graphloom::magis {

/// Holds what calls are priced by: the description of a device and, for the device that runs them,
/// measured times.
struct Pricing {
    Device device;
    std::unique_ptr<Measuring> measuring; // null: all is modelled
};

/// Returns the pricing that the settings ask for. Fails (Missing) if calls are to be timed and
/// nothing can do that.
Result<Pricing> pricingOf(const Context &context);

} // namespace graphloom::magis

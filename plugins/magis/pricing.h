// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"
#include "plugins/magis/variants/measuring.h"

namespace graphloom::magis {

/// What calls are priced by: a description, and for the device that runs them, times.
struct Pricing {
    Device device;
    std::unique_ptr<Measuring> measuring; // null: all is modelled
};

/// As the settings say. Fails (Missing) where calls are to be timed and nothing can do that.
Result<Pricing> pricingOf(const Context &context);

} // namespace graphloom::magis

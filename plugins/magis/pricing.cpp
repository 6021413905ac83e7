// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/pricing.h"

#include "engine/pass/device_parameter.h"

namespace graphloom::magis {

Result<Pricing> pricingOf(const Plan &plan, const Context &context)
{
    GL_TRY_CONST(device, deviceFor(plan, context));
    Pricing pricing{**device, nullptr};
    const double seconds = context.settings.real("measure-seconds");
    if (pricing.device.target.empty() && seconds > 0)
        return fail(Error::Kind::Usage,
                    "\"measure-seconds\" needs a device that plans can be run on, but " +
                        pricing.device.name + " is only described");
    if (pricing.device.target.empty())
        return pricing;
    GL_TRY_RESULT(timer, context.timers(pricing.device.target));
    pricing.measuring = std::make_unique<Measuring>(
        *std::move(timer),
        MeasuringOptions{.seconds = seconds, .stop = context.stop, .progress = context.progress});
    return pricing;
}

} // namespace graphloom::magis

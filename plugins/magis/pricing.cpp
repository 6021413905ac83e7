// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/pricing.h"

#include "plugins/magis/parameters.h"

namespace graphloom::magis {

Result<Pricing> pricingOf(const Context &context)
{
    if (const Device *described = describedDevice(context.settings))
        return Pricing{*described, nullptr};
    GL_TRY_RESULT(timer, context.timers(thisMachine));
    context.progress(0, "measuring the device");
    GL_TRY_RESULT(device, (*timer)->device(context.stop));
    return Pricing{
        *std::move(device),
        std::make_unique<Measuring>(
            *std::move(timer), MeasuringOptions{.seconds = context.settings.real("measure-seconds"),
                                                .stop = context.stop,
                                                .progress = context.progress})};
}

} // namespace graphloom::magis

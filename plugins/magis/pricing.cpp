// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/pricing.h"

#include "plugins/magis/parameters.h"

namespace graphloom::magis {

Result<Pricing> pricingOf(const Context &context)
{
    if (const Device *described = describedDevice(context.settings))
        return Pricing{*described, nullptr};
    auto timer = context.timers(thisMachine);
    if (!timer)
        return tl::unexpected(timer.error());
    context.progress(0, "measuring the device");
    auto device = (*timer)->device(context.stop);
    if (!device)
        return tl::unexpected(device.error());
    return Pricing{
        *std::move(device),
        std::make_unique<Measuring>(
            *std::move(timer), MeasuringOptions{.seconds = context.settings.real("measure-seconds"),
                                                .stop = context.stop,
                                                .progress = context.progress})};
}

} // namespace graphloom::magis

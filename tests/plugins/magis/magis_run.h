// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/magis_pass.h"

#include <QtGlobal>

namespace graphloom::test {

/// The settings of magis for the device of the paper.
inline Settings magisSettings()
{
    Settings settings(magis::MagisPass().parameters());
    if (!settings.set("device", "rtx-3090"))
        qFatal("the device is not described");
    return settings;
}

/// The plan that magis makes of a plan; ends the test where it fails.
inline Plan optimized(const Plan &plan, const Context &context)
{
    auto result = runPass(magis::MagisPass(), plan, context);
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return *std::move(result);
}

} // namespace graphloom::test

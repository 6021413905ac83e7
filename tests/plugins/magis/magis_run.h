// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/magis_pass.h"

#include <QtGlobal>

namespace graphloom::test {

/// The plan that magis makes of a plan; ends the test where it fails.
inline Plan optimized(const Plan &plan, const Context &context)
{
    auto result = runPass(magis::MagisPass(), plan, context);
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return *std::move(result);
}

} // namespace graphloom::test

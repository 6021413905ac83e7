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

/// So many states, and no limit in time: the result depends on the seed alone.
inline Context contextOf(int states, const Objective &objective, unsigned threads = 1)
{
    Context context;
    context.settings = magisSettings();
    const auto set = [&](std::string_view name, double value) {
        if (!context.settings.set(name, value))
            qFatal("no such setting");
    };
    set("seconds", 0);
    set("states", states);
    context.objective = objective;
    context.threads = threads;
    context.seed = 1;
    return context;
}

inline Objective objectiveOf(Objective::Mode mode, std::optional<MemoryLimit> memory = {},
                             std::optional<double> latency = {})
{
    return {mode, memory, latency};
}
inline const Objective leastMemory = objectiveOf(Objective::Mode::Memory, {}, 1.10);

/// The plan that magis makes of a plan; ends the test where it fails.
inline Plan optimized(const Plan &plan, const Context &context)
{
    auto result = runPass(magis::MagisPass(), plan, context);
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return *std::move(result);
}

} // namespace graphloom::test

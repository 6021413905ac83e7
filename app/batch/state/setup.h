// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/arguments/command_line.h"
#include "app/batch/gates/expression.h"
#include "engine/pass/plugins.h"
#include "engine/target/target_plugins.h"

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stop_token>
#include <vector>

namespace graphloom {

/// Holds a requested pass with its settings.
struct ChosenPass {
    std::shared_ptr<const Pass> pass;
    Settings settings;
};

/// Holds what was requested, checked before any work is done.
struct Setup {
    std::vector<ChosenPass> passes;
    std::optional<ChosenTarget> target;
    std::vector<ChosenTarget> otherTargets; // BatchOptions::otherTargets
    /// The device that passes plan for: a described one, or one of a target; neither if no pass
    /// plans for the plan's device.
    const Device *described = nullptr;
    std::optional<ChosenTarget> plannedOn;
    std::vector<Expression> assertions;
    std::shared_ptr<const nlohmann::ordered_json> baseline; // null: none to compare with
};

/// Checks the paths of the outputs. Fails (Usage) if one would overwrite an input or another
/// output, and (Missing) if its folder does not exist or cannot be written.
Result<void> checkPlaces(const BatchOptions &options);

/// Tells whether the plan has to be built for the target. Kernel sources and tuning by modelled
/// times alone need no compiler.
bool buildsPlan(const BatchOptions &options);

/// Checks the options and returns what they request. Fails (Usage) for an unknown pass, parameter,
/// target or device, two options that choose the device, a budget or tolerance without a use, an
/// assertion that cannot be parsed, and a baseline that is no report; fails as
/// Target::checkDevice() if kernels are to run.
Result<Setup> setUp(const BatchOptions &options, const std::vector<PassPlugin> &passes,
                    const std::vector<TargetPlugin> &targets, std::stop_token stop = {});

} // namespace graphloom

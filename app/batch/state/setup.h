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

/// A pass that was asked for, with its settings.
struct ChosenPass {
    std::shared_ptr<const Pass> pass;
    Settings settings;
};

/// Everything that can be wrong with what was asked for, looked at before any work is done.
struct Setup {
    std::vector<ChosenPass> passes;
    std::optional<ChosenTarget> target;
    std::vector<Expression> assertions;
    std::shared_ptr<const nlohmann::ordered_json> baseline; // null: compared with none
};

/// Fails (Usage) for outputs that would overwrite an input or each other, (Missing) for one whose
/// folder is not there or cannot be written.
Result<void> checkPlaces(const BatchOptions &options);

/// Is the plan to be built for the target? Texts of kernels alone need no compiler.
bool buildsPlan(const BatchOptions &options);

/// Fails (Usage) for a pass, parameter, target, device, budget or tolerance that belongs to
/// nothing, an assertion that cannot be read, and a baseline that is no report; as
/// Target::checkDevice() where kernels are to run.
Result<Setup> setUp(const BatchOptions &options, const std::vector<PassPlugin> &passes,
                    const std::vector<TargetPlugin> &targets, std::stop_token stop = {});

} // namespace graphloom

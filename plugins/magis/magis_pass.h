// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"

namespace graphloom::magis {

/// Implements MAGIS (ASPLOS 2024): trades peak memory for latency by fission, re-materialization,
/// swapping and re-ordering.
class MagisPass final : public Pass {
public:
    std::string_view name() const override { return "magis"; }
    std::string_view help() const override;
    std::span<const Parameter> parameters() const override;
    std::span<const RuleFacts> rules() const override;
    bool usesObjective() const override { return true; }
    bool editsFissions() const override { return true; }
    bool measures(const Settings &settings) const override;
    std::vector<std::string_view> creates(const Settings &settings) const override;
    Result<Plan> run(Plan plan, const Context &context) const override;
};

} // namespace graphloom::magis

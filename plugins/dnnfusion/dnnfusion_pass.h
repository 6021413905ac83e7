// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"

namespace graphloom::dnnfusion {

/// Implements DNNFusion (PLDI 2021): rewriting by algebraic rules, then fusion blocks from mapping
/// types.
class DnnFusionPass final : public Pass {
public:
    std::string_view name() const override { return "dnnfusion"; }
    std::string_view help() const override;
    std::span<const Parameter> parameters() const override;
    std::span<const RuleFacts> rules() const override;
    std::vector<std::string_view> creates(const Settings &settings) const override;
    bool measures(const Settings &settings) const override;
    Result<Plan> run(Plan plan, const Context &context) const override;
};

} // namespace graphloom::dnnfusion

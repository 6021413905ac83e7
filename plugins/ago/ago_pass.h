// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"

namespace graphloom::ago {

/// Implements AGO: its graph partitioning (section IV), the partition of Relay that its evaluation
/// compares with, and the fusion inside of subgraphs (section III).
class AgoPass final : public Pass {
public:
    std::string_view name() const override { return "ago"; }
    std::string_view help() const override;
    std::span<const Parameter> parameters() const override;
    std::vector<std::string_view> creates(const Settings &settings) const override;
    Result<Plan> run(Plan plan, const Context &context) const override;
};

} // namespace graphloom::ago

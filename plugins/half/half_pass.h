// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"

namespace graphloom::half {

/// Brings a plan to half precision: every tensor that may have elements of float16 by the
/// definitions of the operators gets these. The inputs and outputs of the graph keep their types.
class HalfPass final : public Pass {
public:
    std::string_view name() const override { return "half"; }
    std::string_view help() const override;
    std::span<const Parameter> parameters() const override { return {}; }
    Result<Plan> run(Plan plan, const Context &context) const override;
};

/// Returns a constant with elements of float16. Numbers beyond its range become its largest.
TensorData halfOf(const TensorData &constant);
/// Tells whether half precision makes zero of an element that is not zero.
bool vanishes(const TensorData &constant);

} // namespace graphloom::half

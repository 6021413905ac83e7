// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/analysis.h"

#include <span>
#include <string>
#include <vector>

namespace graphloom {

/// Describes an operator where there is no model. The facts are derived from the example call of
/// its entry in the operator table.
struct OperatorFacts {
    const Operator *entry = nullptr;
    /// Newest operator set that has this form; 0 if no later form is known.
    std::int64_t until = 0;
    /// True if forms of operator sets before entry->since are read too, and upgraded to this one.
    bool readsOlder = false;
    MappingType mapping = MappingType::Opaque;
    OperatorClass operatorClass = OperatorClass::Opaque;
    std::string opaque;                // why there are no stages; empty when there are
    std::vector<std::string> formulas; // of the stages (formulaOf): x0, x1 are inputs, y0 outputs
    /// True if its example call has a gradient with respect to at least one of its inputs
    /// (adjoint.h).
    bool hasGradient = false;
    /// True if it can be computed here: from its stages or by a reference kernel.
    bool hasKernel = false;

    bool isOpaque() const { return !opaque.empty(); }
};

/// Returns the facts of all operators, in the order of the table.
std::span<const OperatorFacts> operatorFacts();

/// Returns the operator sets of its domain in which an operator is known: "up to 22", "17 to 22",
/// "from 1".
std::string operatorSetsOf(const OperatorFacts &facts);

/// Returns the name with the domain where needed: "Conv", "com.microsoft.Gelu".
std::string qualifiedName(const Operator &entry);

} // namespace graphloom

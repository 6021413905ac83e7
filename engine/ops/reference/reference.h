// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/analysis.h"

#include <span>
#include <string>
#include <vector>

namespace graphloom {

/// What is said of an operator where there is no model: derived from the example call of its
/// entry in the operator table.
struct OperatorFacts {
    const Operator *entry = nullptr;
    /// Newest operator set that has this form; 0: no later form is known.
    std::int64_t until = 0;
    /// Forms of operator sets before entry->since are read too, and brought to this one.
    bool readsOlder = false;
    MappingType mapping = MappingType::Opaque;
    OperatorClass operatorClass = OperatorClass::Opaque;
    std::string opaque;                // why there are no stages; empty when there are
    std::vector<std::string> formulas; // of the stages (formulaOf): x0, x1 are inputs, y0 outputs
    /// Its example call has a gradient by one of its inputs at least (adjoint.h).
    bool hasGradient = false;
    /// It can be computed here: from its stages or by a reference kernel.
    bool hasKernel = false;

    bool isOpaque() const { return !opaque.empty(); }
};

/// Of all operators, in the order of the table.
std::span<const OperatorFacts> operatorFacts();

/// The operator sets of its domain in which an operator is known: "up to 22", "17 to 22", "from 1".
std::string operatorSetsOf(const OperatorFacts &facts);

/// "Conv", "com.microsoft.Gelu".
std::string qualifiedName(const Operator &entry);

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/interpreter/compare.h"
#include "engine/interpreter/fill_weights.h"
#include "engine/plan/verification.h"

#include <functional>
#include <string>
#include <vector>

namespace graphloom {

/// Returns the values of a graph's inputs, whose order may differ from the original's, which
/// `values` follow, one for each of them. Fails (Fault) if the original lacks one of the inputs.
Result<std::vector<DataValue>> inputsFor(const Runnable &runnable, const Graph &original,
                                         const std::vector<DataValue> &values);

/// Compares all outputs of a run with the expected ones, and adds the result to the verification.
/// `drawn` names what draws the random numbers that each depends on, if any.
void compareOutputs(Verification &verification, const Runnable &runnable,
                    const std::vector<DataValue> &expected, const std::vector<DataValue> &actual,
                    const std::vector<std::string> &drawn,
                    const std::function<bool(const Comparison &)> &accepts);

/// Adds a run that ended with an error, which counts as failed.
void includeFailure(Verification &verification, const Error &error);

} // namespace graphloom

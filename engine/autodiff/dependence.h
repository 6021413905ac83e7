// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <stop_token>
#include <vector>

namespace graphloom {

/// Tells for each output and input of one call whether the output has a derivative by the input
/// that is not 0 everywhere. For an opaque call, every pair of real values counts.
class Derivatives {
public:
    Derivatives(const Description &description, const Call &call);

    bool has(std::size_t output, std::size_t input) const
    {
        return output < m_byOutput.size() && m_byOutput[output][input];
    }
    bool hasAny(std::size_t input) const;

private:
    std::vector<std::vector<bool>> m_byOutput;
};
Result<Derivatives> derivativesOf(const Graph &graph, NodeId node, const Opsets &opsets);

/// Tells, by tensor, whether it depends on elements of the graph's inputs. Weights, and tensors
/// computed from them alone, do not. stoppedError() if stopped.
Result<std::vector<bool>> dataOf(const Graph &graph, const Opsets &opsets,
                                 const std::stop_token &stop = {});

/// Tells whether the call copies elements of an input unchanged, to other places or more than once.
bool isCopied(const Description &description, int input);
/// Tells whether the results are elements of an input, each times a factor and plus a term that do
/// not depend on that input.
bool isAffine(const Description &description, int input);
/// Tells whether the call reads elements of the input, and not just its extents.
bool isRead(const Description &description, int input);
/// Tells whether the element of the input that is read depends on the position in the result.
bool isLookedUpByAxis(const Description &description, int input);

} // namespace graphloom

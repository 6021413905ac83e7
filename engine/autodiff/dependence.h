// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <stop_token>
#include <vector>

namespace graphloom {

/// Of one call, by output and input: whether the output has a derivative by the input that is not
/// 0 everywhere. Of an opaque call, every pair of real values counts.
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

/// By tensor: whether it depends on elements of what the graph is given. Weights, and what is
/// computed of them alone, do not. stoppedError() when stopped.
Result<std::vector<bool>> dataOf(const Graph &graph, const Opsets &opsets,
                                 const std::stop_token &stop = {});

/// Whether the call gives elements of an input as they are, in other places or more than once.
bool isCopied(const Description &description, int input);
/// Whether results are elements of an input, each times something else and plus something else.
bool isAffine(const Description &description, int input);
/// Whether the call looks at elements of the input, and not just at its extents.
bool isRead(const Description &description, int input);
/// Whether some element of the input depends on where in the result it is used.
bool isLookedUpByAxis(const Description &description, int input);

} // namespace graphloom

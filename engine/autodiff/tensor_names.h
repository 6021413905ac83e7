// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <string>
#include <unordered_set>

namespace graphloom {

/// Provides names for new tensors, each handed out once.
class TensorNames {
public:
    explicit TensorNames(const Graph &graph)
    {
        for (std::uint32_t i = 0; i < graph.tensorBound(); ++i)
            if (graph.contains(TensorId{i}))
                m_taken.insert(graph.tensor(TensorId{i}).name);
    }

    /// Returns the requested name, followed by the first free number if it is taken.
    std::string take(const std::string &wanted)
    {
        std::string name = wanted;
        for (int number = 1; !m_taken.insert(name).second; ++number)
            name = wanted + "." + std::to_string(number);
        return name;
    }

private:
    std::unordered_set<std::string> m_taken;
};

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <string>
#include <unordered_set>

namespace graphloom {

/// Names for new tensors, each given once.
class TensorNames {
public:
    explicit TensorNames(const Graph &graph)
    {
        for (std::uint32_t i = 0; i < graph.tensorBound(); ++i)
            if (graph.contains(TensorId{i}))
                m_taken.insert(graph.tensor(TensorId{i}).name);
    }

    /// The wanted name, or that with the first free number behind it.
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/rule.h"

#include <map>
#include <optional>
#include <random>

namespace graphloom {

/// Makes graphs that a rule's pattern matches: variables become inputs or constants, calls nodes.
class PatternInstance {
public:
    using Random = std::mt19937_64;

    PatternInstance(const Pattern &pattern, DataType type, Opsets opsets)
        : m_pattern(pattern), m_type(type), m_opsets(std::move(opsets))
    {
    }

    /// Shapes, constants and attributes that are given; all else is `shape` and the type.
    void use(const Instance &instance);
    void setShape(const std::string &variable, Shape shape)
    {
        m_shapes[variable] = std::move(shape);
    }
    void setConstant(const std::string &variable, TensorData data)
    {
        m_constants.insert_or_assign(variable, std::move(data));
    }
    /// Every occurrence of a variable is a value of its own.
    void separate() { m_separate = true; }
    /// The first call within the root is a variable instead.
    void cut() { m_cut = true; }
    /// Constants are inputs, numbers other numbers.
    void loosen() { m_loose = true; }

    /// The graph with the call that the root stands for; none where an operator refuses its inputs.
    /// Operators of calls with a choice are chosen at random.
    struct Made {
        Graph graph;
        NodeId root;
        std::map<std::string, TensorId> variables;
    };
    std::optional<Made> make(const Shape &shape, Random &random);

private:
    struct State;
    std::optional<TensorId> value(const Pattern &pattern, State &state);
    std::optional<TensorId> callOf(const Pattern &pattern, State &state);

    const Pattern &m_pattern;
    DataType m_type;
    Opsets m_opsets;
    std::map<std::string, Shape> m_shapes;
    std::map<std::string, TensorData> m_constants;
    std::map<std::string, DataType> m_types;
    std::map<std::string, std::vector<Attribute>> m_attributes;
    bool m_separate = false, m_cut = false, m_loose = false;
};

/// The names of a pattern's variables, in the order in which they occur; once each.
std::vector<std::string> variablesOf(const Pattern &pattern);

} // namespace graphloom

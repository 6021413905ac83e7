// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/rule.h"

#include <map>
#include <optional>
#include <random>

namespace graphloom {

/// Makes graphs that a rule's pattern matches: variables become inputs or constants, calls become
/// nodes.
class PatternInstance {
public:
    using Random = std::mt19937_64;

    PatternInstance(const Pattern &pattern, DataType type, Opsets opsets)
        : m_pattern(pattern), m_type(type), m_opsets(std::move(opsets))
    {
    }

    /// Takes shapes, constants and attributes from the instance; all others are those of make().
    void use(const Instance &instance);
    void setShape(const std::string &variable, Shape shape)
    {
        m_shapes[variable] = std::move(shape);
    }
    void setConstant(const std::string &variable, TensorData data)
    {
        m_constants.insert_or_assign(variable, std::move(data));
    }
    /// Makes every occurrence of a variable a value of its own.
    void separate() { m_separate = true; }
    /// Makes the first call below the root a variable instead.
    void cut() { m_cut = true; }
    /// Turns constants into inputs, and numbers into other numbers.
    void loosen() { m_loose = true; }

    /// Holds the result of make(): the graph, and the call that corresponds to the root.
    struct Made {
        Graph graph;
        NodeId root;
        std::map<std::string, TensorId> variables;
    };
    /// Makes the graph; returns nothing if an operator refuses its inputs. If a call has a choice
    /// of operators, one is chosen at random.
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

/// Returns the names of a pattern's variables, in the order in which they occur; once each.
std::vector<std::string> variablesOf(const Pattern &pattern);

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/pattern.h"
#include "engine/rewrite/terms/terms.h"

#include <functional>
#include <string_view>

namespace graphloom {

/// What the parts of a pattern stand for. Names must be of the pattern.
class Match {
public:
    Match(const Terms &terms, NodeId root, bool assumeDomain)
        : m_terms(&terms), m_root(root), m_assumeDomain(assumeDomain)
    {
    }

    const Terms &terms() const { return *m_terms; }
    NodeId root() const { return m_root; }
    const Node &rootNode() const { return m_terms->node(m_root); }
    /// A variable, or the value that a named call gives.
    TensorId tensor(std::string_view name) const;
    bool has(std::string_view name) const;
    /// A named call.
    NodeId call(std::string_view name) const;
    const Node &operator[](std::string_view name) const { return m_terms->node(call(name)); }

    /// What is known of a value.
    const Tensor &value(std::string_view name) const { return m_terms->tensor(tensor(name)); }
    DataType type(std::string_view name) const { return value(name).type; }
    /// Empty while the rank is unknown; see hasShape().
    const Shape &shape(std::string_view name) const;
    bool hasShape(std::string_view name) const { return value(name).shape.has_value(); }
    /// Null unless it is a constant.
    const TensorData *constant(std::string_view name) const { return value(name).constant.get(); }
    /// All elements of a short list of integers that is known (axes, a shape).
    std::optional<std::vector<std::int64_t>> integers(std::string_view name) const;
    /// Whether the elements surely are in the range, so that a rule that holds there can be used;
    /// true as well when the user has chosen to trust that they are (`assumeDomain`).
    bool lies(std::string_view name, const Range &within) const;
    /// Surely not 0; or trusted not to be.
    bool isNonZero(std::string_view name) const;
    bool isPositive(std::string_view name) const; // or trusted to be
    bool isFinite(std::string_view name) const;   // or trusted to be

private:
    friend class Matcher;
    struct Binding {
        std::string_view name;
        TensorId tensor;
        NodeId call;
    };
    const Binding &binding(std::string_view name) const;

    const Terms *m_terms;
    NodeId m_root;
    bool m_assumeDomain;
    std::vector<Binding> m_bindings;
};

/// Finds every way in which a pattern matches at a call; stops early when visit() says false.
/// The match that visit() sees is good for as long as it runs; it may be copied.
void forEachMatch(const Pattern &pattern, const Terms &terms, NodeId root, bool assumeDomain,
                  const std::function<bool(const Match &)> &visit);

/// Does the call match the root of the pattern, as far as its operator and attributes tell?
bool matchesCall(const Pattern &pattern, const Node &node);

} // namespace graphloom

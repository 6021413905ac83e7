// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/pattern.h"
#include "engine/rewrite/terms/terms.h"

#include <functional>
#include <string_view>

namespace graphloom {

/// Holds what the parts of a pattern stand for. Names passed to it must be names of the pattern.
class Match {
public:
    Match(const Terms &terms, NodeId root, bool assumeDomain)
        : m_terms(&terms), m_root(root), m_assumeDomain(assumeDomain)
    {
    }

    const Terms &terms() const { return *m_terms; }
    NodeId root() const { return m_root; }
    const Node &rootNode() const { return m_terms->node(m_root); }
    /// Returns the value of a variable, or the value that a named call gives.
    TensorId tensor(std::string_view name) const;
    bool has(std::string_view name) const;
    /// Returns a named call.
    NodeId call(std::string_view name) const;
    const Node &operator[](std::string_view name) const { return m_terms->node(call(name)); }

    /// Returns what is known of a value.
    const Tensor &value(std::string_view name) const { return m_terms->tensor(tensor(name)); }
    DataType type(std::string_view name) const { return value(name).type; }
    /// Returns the shape; empty if the rank is unknown, see hasShape().
    const Shape &shape(std::string_view name) const;
    bool hasShape(std::string_view name) const { return value(name).shape.has_value(); }
    /// Returns the constant; null if the value is not constant.
    const TensorData *constant(std::string_view name) const { return value(name).constant.get(); }
    /// Returns all elements of a short list of integers, if they are known (axes, a shape).
    std::optional<std::vector<std::int64_t>> integers(std::string_view name) const;
    /// Tells whether the elements are certainly in the range, so that a rule that requires it can
    /// be used; also true if the user has chosen to trust that they are (`assumeDomain`).
    bool lies(std::string_view name, const Range &within) const;
    /// Tells whether the elements are certainly not 0, or trusted not to be.
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

/// Finds every way in which a pattern matches at a call; stops early if visit() returns false. The
/// match passed to visit() is valid only during the call; it may be copied.
void forEachMatch(const Pattern &pattern, const Terms &terms, NodeId root, bool assumeDomain,
                  const std::function<bool(const Match &)> &visit);

/// Tells whether the call matches the root of the pattern, as far as its operator and attributes
/// show.
bool matchesCall(const Pattern &pattern, const Node &node);

} // namespace graphloom

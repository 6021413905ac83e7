// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/query/query.h"

#include <functional>

namespace graphloom {

/// The node or tensor that a term is tested on.
struct QuerySubject {
    const QueryContext *context = nullptr; // null: a tensor
    NodeId node;
    const Tensor *tensor = nullptr;
    const NodeFacts &facts() const { return context->facts.of(node); }
    const Node &of() const { return context->graph.node(node); }
};

using QueryTest = std::function<bool(const QuerySubject &)>;

/// A parsed query: a tree of tests.
struct Query::Term {
    enum class Kind { All, Any, Test } kind = Kind::All;
    bool negated = false;
    bool ofTensors = true; // applies to graph inputs and outputs
    QueryTest test;
    std::vector<Term> parts;

    bool holds(const QuerySubject &subject) const;
    /// Returns a term that combines parts. A single part is returned itself.
    static Term combined(Kind kind, std::vector<Term> parts);
};

} // namespace graphloom

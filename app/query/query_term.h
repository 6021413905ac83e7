// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/query/query.h"

#include <functional>

namespace graphloom {

/// What a term needs to know of a node or of a tensor.
struct QuerySubject {
    const QueryContext *context = nullptr; // null: a tensor
    NodeId node;
    const Tensor *tensor = nullptr;
    const NodeFacts &facts() const { return context->facts.of(node); }
    const Node &of() const { return context->graph.node(node); }
};

using QueryTest = std::function<bool(const QuerySubject &)>;

/// A query that was read: tests, put together.
struct Query::Term {
    enum class Kind { All, Any, Test } kind = Kind::All;
    bool negated = false;
    bool ofTensors = true; // can be asked of a graph's input or output
    bool plain = false;    // a word
    QueryTest test;
    std::vector<Term> parts;

    bool holds(const QuerySubject &subject) const;
    /// One alone is itself.
    static Term combined(Kind kind, std::vector<Term> parts);
};

} // namespace graphloom

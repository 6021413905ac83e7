// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "engine/ir/opsets.h"

#include <stop_token>
#include <string>

namespace graphloom::magis {

/// Holds a graph in which calls compute on the pieces of former concatenations.
struct Distributed {
    Graph graph;
    std::vector<std::string> concatenations; // names of the removed nodes
    std::size_t calls = 0;                   // that were split
};

/// Takes concatenations apart (an I-Trans in addition to those of TASO). A call that sums over the
/// concatenated dimension becomes a sum of calls on the pieces, as in Conv(Concat(a, b), W) =
/// Conv(a, W1) + Conv(b, W2). A call that keeps the dimension gives pieces, as the gradient of the
/// weights does. If only a piece of a result is read, as in gradients of concatenations, only that
/// piece is computed. A long skip connection is then in memory once, and not a second time in the
/// concatenation. Concatenations stay if one of their readers cannot be taken apart. Fails as
/// inferShapes() does.
Result<Distributed> distributed(const Graph &graph, const Opsets &opsets,
                                const std::stop_token &stop = {});

} // namespace graphloom::magis

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <stop_token>
#include <string>

namespace graphloom::magis {

/// A graph in which calls compute on what was concatenated before, and the calls that did.
struct Distributed {
    Graph graph;
    std::vector<std::string> concatenations; // names of the nodes that went
    std::size_t calls = 0;                   // that were split
};

/// Takes concatenations apart (an I-Trans beside those of TASO): a call that sums over the
/// concatenated dimension becomes a sum of calls on the pieces, as Conv(Concat(a, b), W) =
/// Conv(a, W1) + Conv(b, W2); one that keeps the dimension gives pieces, as the gradient of the
/// weights; and where a piece is taken of a result, as gradients of concatenations are, only that
/// piece is computed. What a long skip connection hands on is then in memory once, and not a second
/// time in the concatenation. Concatenations stay where one of their readers cannot be taken apart.
/// Fails as inferShapes() does.
Result<Distributed> distributed(const Graph &graph, const Opsets &opsets,
                                const std::stop_token &stop = {});

} // namespace graphloom::magis

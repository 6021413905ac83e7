// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/random_graph.h"

#include <QByteArray>

namespace graphloom::test {

/// Returns a text with a few changes at random places: other bytes, a truncated end, numbers that
/// no type can hold, copies of its own parts and long runs of brackets, quotes or separators.
inline QByteArray mutated(QByteArray text, Random &random)
{
    for (auto rounds = 1 + below(random, 4); rounds > 0 && !text.isEmpty(); --rounds) {
        const auto at = qsizetype(below(random, std::size_t(text.size())));
        switch (below(random, 6)) {
        case 0:
            text[at] = char(below(random, 256));
            break;
        case 1:
            text.truncate(at);
            break;
        case 2:
            text.insert(at, text.mid(qsizetype(below(random, std::size_t(text.size()))), 20));
            break;
        case 3:
            text.insert(at, "99999999999999999999e999");
            break;
        case 4:
            text.insert(at, "-1e999");
            break;
        default:
            text.insert(
                at, QByteArray(qsizetype(1) << below(random, 18), "[{\",\n\0"[below(random, 6)]));
        }
    }
    return text;
}

} // namespace graphloom::test

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/query/query_term.h"

#include <algorithm>

namespace graphloom {

bool Query::Term::holds(const QuerySubject &subject) const
{
    bool result = false;
    switch (kind) {
    case Kind::All:
        result = std::ranges::all_of(parts, [&](const Term &t) { return t.holds(subject); });
        break;
    case Kind::Any:
        result = std::ranges::any_of(parts, [&](const Term &t) { return t.holds(subject); });
        break;
    case Kind::Test:
        result = test(subject);
        break;
    }
    return result != negated;
}

Query::Term Query::Term::combined(Kind kind, std::vector<Term> parts)
{
    if (parts.size() == 1)
        return std::move(parts.front());
    Term term;
    term.kind = kind;
    term.ofTensors = std::ranges::all_of(parts, &Term::ofTensors);
    term.parts = std::move(parts);
    return term;
}

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/query/query.h"

#include "app/query/query_parser.h"
#include "app/query/query_term.h"

namespace graphloom {

Query::Query(const QString &text, OwnTablePointer own)
{
    QueryParser parser(text, std::move(own));
    m_root = parser.parse();
    m_problem = parser.problem();
}

bool Query::matches(const QueryContext &context, NodeId id) const
{
    return m_root && !m_problem && m_root->holds({&context, id, nullptr});
}

bool Query::matches(const Tensor &tensor) const
{
    return m_root && !m_problem && m_root->ofTensors && m_root->holds({nullptr, {}, &tensor});
}

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/nests/nest_inlining.h"

#include "engine/codegen/index/expr_edit.h"
#include "engine/ops/describe/stage.h"

namespace graphloom {

NestInlining::NestInlining(Nest &nest, Steps &steps) : m_nest(nest), m_steps(steps), m_known(nest)
{
    IndexedVector<ReadIndex, DataType> types(nest.reads.size(), DataType::Int64);
    const auto look = [&](const Expr::Node &node) {
        if (node.fn == Fn::Load)
            types[readIn(node)] = node.type;
    };
    if (!nest.body.empty())
        forEachPart(nest.body, look);
    for (const NestStore &store : nest.stores)
        forEachPart(store.value, look);
    for (const ReadIndex read : nest.reads.indices())
        if (const ReadIndex first = m_known.first(nest, read); first != read)
            replace(read, loadOf(first, types[read]));
}

void NestInlining::replace(ReadIndex read, Expr value, const std::vector<NodeId> &nodes)
{
    m_values.resize(m_nest.reads.size());
    m_values[read] = std::move(value);
    m_replaced.push_back(read);
    m_nodes.push_back(nodes);
}

/// Returns the value of a replaced read, itself without replaced reads.
const Expr &NestInlining::resolved(ReadIndex read)
{
    Expr &value = m_values[read];
    if (m_resolved[read])
        return value;
    m_resolved[read] = true;
    value = withParts(value, [&](const Expr &part) -> Expr {
        m_steps.add();
        return part->fn == Fn::Load && isReplaced(readIn(*part)) ? resolved(readIn(*part)) : Expr();
    });
    return value;
}

/// Returns the read that a lookup uses in place of this one: only loads can replace lookups.
ReadIndex NestInlining::lookupOf(ReadIndex read) const
{
    while (isReplaced(read) && m_values[read]->fn == Fn::Load)
        read = readIn(*m_values[read]);
    return read;
}

IndexedVector<ReadIndex, ReadIndex> NestInlining::finish()
{
    if (!m_replaced.empty()) {
        m_values.resize(m_nest.reads.size());
        m_resolved.assign(m_values.size(), false);
        // The values added last contain the fewest replaced reads.
        for (std::size_t i = m_replaced.size(); i-- > 0;)
            resolved(m_replaced[i]);
        const auto instead = [&](const Expr &part) -> Expr {
            m_steps.add();
            return part->fn == Fn::Load && isReplaced(readIn(*part)) ? m_values[readIn(*part)]
                                                                     : Expr();
        };
        if (!m_nest.body.empty())
            m_nest.body = withParts(m_nest.body, instead);
        const auto lookUpInstead = [&](std::vector<IndexForm> &map) {
            for (IndexForm &form : map)
                if (form.hasLookup())
                    form = form.renumbered([&](ReadIndex read) { return lookupOf(read); });
        };
        for (NestStore &store : m_nest.stores) {
            store.value = withParts(store.value, instead);
            lookUpInstead(store.map);
        }
        for (NestRead &read : m_nest.reads)
            lookUpInstead(read.map);
        std::vector<NodeId> nodes;
        for (std::size_t i = m_nodes.size(); i-- > 0;)
            nodes.insert(nodes.end(), m_nodes[i].begin(), m_nodes[i].end());
        m_nest.nodes.insert(m_nest.nodes.begin(), nodes.begin(), nodes.end());
    }
    return dropUnusedReads(m_nest);
}

} // namespace graphloom

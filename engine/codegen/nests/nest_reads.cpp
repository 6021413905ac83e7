// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/nests/nest_reads.h"

#include "engine/base/hash.h"
#include "engine/codegen/index/expr_edit.h"
#include "engine/ops/describe/stage.h"

#include <algorithm>

namespace graphloom {

namespace {

bool isSameRead(const NestRead &a, const NestRead &b)
{
    return a.tensor == b.tensor && a.guarded == b.guarded && a.outsideValue == b.outsideValue &&
           a.map == b.map;
}

std::uint64_t hashOf(const NestRead &read)
{
    std::uint64_t hash = combine(std::uint64_t(read.tensor.number()), read.guarded);
    for (const IndexForm &form : read.map) {
        hash = combine(hash, std::uint64_t(form.offset()));
        for (const auto &[atom, coefficient] : form.terms())
            hash = combine(hash, hashText(atom->key, std::uint64_t(coefficient)));
    }
    return hash;
}

/// Tells which reads the nest's values and stores use, directly or through lookups.
IndexedVector<ReadIndex, bool> usedReads(const Nest &nest)
{
    IndexedVector<ReadIndex, bool> used(nest.reads.size());
    std::vector<ReadIndex> open;
    const auto use = [&](ReadIndex read) {
        if (!used[read])
            open.push_back(read);
        used[read] = true;
    };
    const auto look = [&](const Expr::Node &node) {
        if (node.fn == Fn::Load || node.fn == Fn::Inside)
            use(readIn(node));
    };
    if (!nest.body.empty())
        forEachPart(nest.body, look);
    for (const NestStore &store : nest.stores) {
        forEachPart(store.value, look);
        for (const IndexForm &form : store.map)
            form.forEachLookup(use);
    }
    while (!open.empty()) {
        const ReadIndex read = open.back();
        open.pop_back();
        for (const IndexForm &form : nest.reads[read].map)
            form.forEachLookup(use);
    }
    return used;
}

} // namespace

IndexedVector<ReadIndex, bool> lookedUpReads(const Nest &nest)
{
    IndexedVector<ReadIndex, bool> lookedUp(nest.reads.size());
    const auto look = [&](const std::vector<IndexForm> &map) {
        for (const IndexForm &form : map)
            form.forEachLookup([&](ReadIndex read) { lookedUp[read] = true; });
    };
    for (const NestRead &read : nest.reads)
        look(read.map);
    for (const NestStore &store : nest.stores)
        look(store.map);
    return lookedUp;
}

IndexedVector<ReadIndex, ReadIndex> dropUnusedReads(Nest &nest)
{
    const IndexedVector<ReadIndex, bool> used = usedReads(nest);
    IndexedVector<ReadIndex, ReadIndex> numbers(nest.reads.size());
    IndexedVector<ReadIndex, NestRead> kept;
    for (const ReadIndex read : used.indices())
        if (used[read])
            numbers[read] = kept.append(std::move(nest.reads[read]));
    nest.reads = std::move(kept);
    if (nest.reads.size() == used.size())
        return numbers;
    for (NestRead &read : nest.reads)
        for (IndexForm &form : read.map)
            form = form.renumbered([&](ReadIndex old) { return numbers[old]; });
    const auto renumber = [&](const Expr::Node &leaf) -> Expr {
        if (leaf.fn == Fn::Load)
            return loadOf(numbers[readIn(leaf)], leaf.type);
        if (leaf.fn == Fn::Inside)
            return insideOf(numbers[readIn(leaf)]);
        return {};
    };
    if (!nest.body.empty())
        nest.body = rewritten(nest.body, renumber);
    for (NestStore &store : nest.stores) {
        store.value = rewritten(store.value, renumber);
        for (IndexForm &form : store.map)
            form = form.renumbered([&](ReadIndex old) { return numbers[old]; });
    }
    return numbers;
}

KnownReads::KnownReads(const Nest &nest) : m_lookedUp(lookedUpReads(nest))
{
    for (const ReadIndex read : nest.reads.indices())
        index(nest, read);
}

void KnownReads::index(const Nest &nest, ReadIndex number)
{
    const NestRead &read = nest.reads[number];
    const bool isNew = !find(nest, read, isLookedUp(number)).isValid();
    m_count[read.tensor] += isNew;
    m_equal[hashOf(read)].push_back(number);
}

int KnownReads::count(BlockTensorIndex tensor) const
{
    const auto found = m_count.find(tensor);
    return found == m_count.end() ? 0 : found->second;
}

ReadIndex KnownReads::find(const Nest &nest, const NestRead &read, bool lookedUp) const
{
    if (const auto found = m_equal.find(hashOf(read)); found != m_equal.end())
        for (const ReadIndex number : found->second)
            if (isLookedUp(number) == lookedUp && isSameRead(nest.reads[number], read))
                return number;
    return {};
}

ReadIndex KnownReads::first(const Nest &nest, ReadIndex read) const
{
    return find(nest, nest.reads[read], isLookedUp(read));
}

ReadIndex KnownReads::add(Nest &nest, NestRead read, bool lookedUp)
{
    if (const ReadIndex known = find(nest, read, lookedUp); known.isValid())
        return known;
    const ReadIndex added = nest.reads.append(std::move(read));
    m_lookedUp.push_back(lookedUp);
    index(nest, added);
    return added;
}

ReadIndex ReadAdoption::adopted(ReadIndex read, bool lookedUp)
{
    ReadIndex &own = m_adopted[read];
    if (own.isValid())
        return own;
    NestRead moved = m_other.reads[read];
    for (IndexForm &form : moved.map) {
        m_steps.add(std::uint64_t(form.size()) + 1);
        // Renumbers its own lookups first: those in m_axes already refer to this nest.
        form = form.renumbered([&](ReadIndex old) { return adopted(old); })
                   .substituted(
                       [&](AxisIndex axis) -> std::optional<IndexForm> { return m_axes[axis]; },
                       m_extents);
        m_steps.add(std::uint64_t(form.size()));
    }
    return own = m_known.add(m_nest, std::move(moved), lookedUp || m_lookedUp[read]);
}

Expr ReadAdoption::adopted(const Expr &value, bool lookedUp,
                           const std::function<Expr(const Expr::Node &)> &instead)
{
    return withParts(value, [&](const Expr &part) -> Expr {
        m_steps.add();
        if (arityOf(part->fn) > 0)
            return {};
        if (instead)
            if (Expr given = instead(*part); !given.empty())
                return given;
        if (part->fn == Fn::Load)
            return loadOf(adopted(readIn(*part), lookedUp), part->type);
        if (part->fn == Fn::Inside)
            return insideOf(adopted(readIn(*part)));
        if (part->fn == Fn::Axis)
            return exprOf(m_axes[axisIn(*part)]);
        return {};
    });
}

} // namespace graphloom

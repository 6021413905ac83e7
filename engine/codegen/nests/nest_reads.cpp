// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/nests/nest_reads.h"

#include "engine/base/hash.h"
#include "engine/codegen/index/expr_edit.h"

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
    std::uint64_t hash = combine(std::uint64_t(read.tensor), read.guarded);
    for (const IndexForm &form : read.map) {
        hash = combine(hash, std::uint64_t(form.offset()));
        for (const auto &[atom, coefficient] : form.terms())
            hash = combine(hash, hashText(atom->key, std::uint64_t(coefficient)));
    }
    return hash;
}

/// Those that its values need, and those that these look up, by number.
std::vector<bool> usedReads(const Nest &nest)
{
    std::vector<bool> used(nest.reads.size());
    std::vector<int> open;
    const auto use = [&](int read) {
        if (!used[std::size_t(read)])
            open.push_back(read);
        used[std::size_t(read)] = true;
    };
    const auto look = [&](const Expr::Node &node) {
        if (node.fn == Fn::Load || node.fn == Fn::Inside)
            use(node.index);
    };
    if (!nest.body.empty())
        forEachPart(nest.body, look);
    for (const NestStore &store : nest.stores) {
        forEachPart(store.value, look);
        for (const IndexForm &form : store.map)
            form.forEachLookup(use);
    }
    while (!open.empty()) {
        const int read = open.back();
        open.pop_back();
        for (const IndexForm &form : nest.reads[std::size_t(read)].map)
            form.forEachLookup(use);
    }
    return used;
}

} // namespace

std::vector<bool> lookedUpReads(const Nest &nest)
{
    std::vector<bool> lookedUp(nest.reads.size());
    const auto look = [&](const std::vector<IndexForm> &map) {
        for (const IndexForm &form : map)
            form.forEachLookup([&](int number) { lookedUp[std::size_t(number)] = true; });
    };
    for (const NestRead &read : nest.reads)
        look(read.map);
    for (const NestStore &store : nest.stores)
        look(store.map);
    return lookedUp;
}

std::vector<int> dropUnusedReads(Nest &nest)
{
    const std::vector<bool> used = usedReads(nest);
    std::vector<int> numbers(nest.reads.size(), -1);
    std::vector<NestRead> kept;
    for (std::size_t r = 0; r < used.size(); ++r)
        if (used[r]) {
            numbers[r] = int(kept.size());
            kept.push_back(std::move(nest.reads[r]));
        }
    nest.reads = std::move(kept);
    if (nest.reads.size() == used.size())
        return numbers;
    for (NestRead &read : nest.reads)
        for (IndexForm &form : read.map)
            form = form.renumbered([&](int old) { return numbers[std::size_t(old)]; });
    const auto renumber = [&](const Expr::Node &leaf) -> Expr {
        if (leaf.fn == Fn::Load)
            return Expr::load(numbers[std::size_t(leaf.index)], leaf.type);
        if (leaf.fn == Fn::Inside)
            return Expr::inside(numbers[std::size_t(leaf.index)]);
        return {};
    };
    if (!nest.body.empty())
        nest.body = rewritten(nest.body, renumber);
    for (NestStore &store : nest.stores) {
        store.value = rewritten(store.value, renumber);
        for (IndexForm &form : store.map)
            form = form.renumbered([&](int old) { return numbers[std::size_t(old)]; });
    }
    return numbers;
}

KnownReads::KnownReads(const Nest &nest) : m_lookedUp(lookedUpReads(nest))
{
    for (int r = 0; r < int(nest.reads.size()); ++r)
        index(nest, r);
}

void KnownReads::index(const Nest &nest, int number)
{
    const NestRead &read = nest.reads[std::size_t(number)];
    const int known = find(nest, read, isLookedUp(number));
    m_count[read.tensor] += known < 0;
    m_equal[hashOf(read)].push_back(number);
}

int KnownReads::count(int tensor) const
{
    const auto found = m_count.find(tensor);
    return found == m_count.end() ? 0 : found->second;
}

int KnownReads::find(const Nest &nest, const NestRead &read, bool lookedUp) const
{
    if (const auto found = m_equal.find(hashOf(read)); found != m_equal.end())
        for (const int number : found->second)
            if (isLookedUp(number) == lookedUp && isSameRead(nest.reads[std::size_t(number)], read))
                return number;
    return -1;
}

int KnownReads::first(const Nest &nest, int read) const
{
    return find(nest, nest.reads[std::size_t(read)], isLookedUp(read));
}

int KnownReads::add(Nest &nest, NestRead read, bool lookedUp)
{
    if (const int known = find(nest, read, lookedUp); known >= 0)
        return known;
    nest.reads.push_back(std::move(read));
    m_lookedUp.push_back(lookedUp);
    index(nest, int(nest.reads.size()) - 1);
    return int(nest.reads.size()) - 1;
}

int ReadAdoption::numberOf(int read, bool lookedUp)
{
    int &number = m_numbers[std::size_t(read)];
    if (number >= 0)
        return number;
    NestRead adopted = m_other.reads[std::size_t(read)];
    for (IndexForm &form : adopted.map) {
        m_steps.add(std::uint64_t(form.size()) + 1);
        // First its own lookups: those of the axes are the nest's.
        form =
            form.renumbered([&](int old) { return numberOf(old); })
                .substituted(
                    [&](int axis) -> std::optional<IndexForm> { return m_axes[std::size_t(axis)]; },
                    m_extents);
        m_steps.add(std::uint64_t(form.size()));
    }
    return number =
               m_known.add(m_nest, std::move(adopted), lookedUp || m_lookedUp[std::size_t(read)]);
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
            return Expr::load(numberOf(part->index, lookedUp), part->type);
        if (part->fn == Fn::Inside)
            return Expr::inside(numberOf(part->index));
        if (part->fn == Fn::Axis)
            return exprOf(m_axes[std::size_t(part->index)]);
        return {};
    });
}

} // namespace graphloom

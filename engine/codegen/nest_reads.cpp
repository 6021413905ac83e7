// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/nest_reads.h"

#include "engine/codegen/expr_edit.h"

#include <algorithm>
#include <set>

namespace graphloom {

bool isLookedUp(const Nest &nest, int read)
{
    bool found = false;
    for (const NestRead &other : nest.reads)
        for (const IndexForm &form : other.map)
            form.forEachLookup([&](int number) { found = found || number == read; });
    for (const NestStore &store : nest.stores)
        for (const IndexForm &form : store.map)
            form.forEachLookup([&](int number) { found = found || number == read; });
    return found;
}

bool isUsed(const Nest &nest, int read)
{
    if (isLookedUp(nest, read))
        return true;
    for (const NestStore &store : nest.stores)
        if (std::ranges::count(readsOf(store.value), read))
            return true;
    return !nest.body.empty() && std::ranges::count(readsOf(nest.body), read);
}

void dropUnusedReads(Nest &nest)
{
    std::set<int> used;
    const std::function<void(int)> use = [&](int read) {
        if (!used.insert(read).second)
            return;
        for (const IndexForm &form : nest.reads[std::size_t(read)].map)
            form.forEachLookup(use);
    };
    if (!nest.body.empty())
        std::ranges::for_each(readsOf(nest.body), use);
    for (const NestStore &store : nest.stores) {
        std::ranges::for_each(readsOf(store.value), use);
        for (const IndexForm &form : store.map)
            form.forEachLookup(use);
    }
    std::vector<int> numbers(nest.reads.size(), -1);
    std::vector<NestRead> kept;
    for (const int read : used) {
        numbers[std::size_t(read)] = int(kept.size());
        kept.push_back(std::move(nest.reads[std::size_t(read)]));
    }
    for (NestRead &read : kept)
        for (IndexForm &form : read.map)
            form = form.renumbered([&](int old) { return numbers[std::size_t(old)]; });
    nest.reads = std::move(kept);
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
}

std::vector<int> adoptReads(Nest &nest, const Nest &other, const std::vector<IndexForm> &axes)
{
    const std::vector<std::int64_t> extents = nest.extents();
    const int first = int(nest.reads.size());
    std::vector<int> numbers;
    for (std::size_t r = 0; r < other.reads.size(); ++r)
        numbers.push_back(first + int(r));
    for (const NestRead &read : other.reads) {
        NestRead adopted = read;
        for (IndexForm &form : adopted.map)
            // First its own lookups: the axes' are the nest's.
            form = form.renumbered([&](int old) { return numbers[std::size_t(old)]; })
                       .substituted(
                           [&](int axis) -> std::optional<IndexForm> {
                               return axes[std::size_t(axis)];
                           },
                           extents);
        nest.reads.push_back(std::move(adopted));
    }
    return numbers;
}

Expr adopted(const Expr &value, const std::vector<int> &reads, const std::vector<IndexForm> &axes,
             const std::function<Expr(const Expr::Node &)> &instead)
{
    return rewritten(value, [&](const Expr::Node &leaf) -> Expr {
        if (instead)
            if (Expr given = instead(leaf); !given.empty())
                return given;
        if (leaf.fn == Fn::Load)
            return Expr::load(reads[std::size_t(leaf.index)], leaf.type);
        if (leaf.fn == Fn::Inside)
            return Expr::inside(reads[std::size_t(leaf.index)]);
        if (leaf.fn == Fn::Axis)
            return exprOf(axes[std::size_t(leaf.index)]);
        return {};
    });
}

} // namespace graphloom

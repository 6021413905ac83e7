// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/nest_fusion.h"

#include "engine/codegen/expr_edit.h"
#include "engine/codegen/index_inverse.h"
#include "engine/codegen/nest_reads.h"

#include <algorithm>
#include <set>

namespace graphloom {

namespace {

/// Scalar work that is rather done again by each reader than written and read.
constexpr int cheapWork = 2;

class NestFusion {
public:
    explicit NestFusion(BlockNests &block)
        : m_block(block), m_writers(block.tensors.size()), m_readers(block.tensors.size())
    {
        for (int n = 0; n < int(block.nests.size()); ++n) {
            for (const NestStore &store : block.nests[std::size_t(n)].stores)
                m_writers[std::size_t(store.tensor)].push_back(n);
            std::set<int> tensors;
            for (const NestRead &read : block.nests[std::size_t(n)].reads)
                tensors.insert(read.tensor);
            for (const int tensor : tensors)
                ++m_readers[std::size_t(tensor)];
        }
    }

    void run()
    {
        for (int n = 0; n < int(m_block.nests.size()); ++n) {
            inlineProducers(n);
            if (!m_block.nests[std::size_t(n)].reduces() &&
                !m_block.nests[std::size_t(n)].scatters())
                mergeIntoReduction(n);
        }
        dropUnneeded();
        for (Nest &nest : m_block.nests)
            dropUnusedReads(nest);
    }

private:
    /// The nest that alone writes the tensor and is still one of its own; -1: there is none.
    int soleWriter(int tensor) const
    {
        const auto &writers = m_writers[std::size_t(tensor)];
        return writers.size() == 1 ? writers.front() : -1;
    }

    static bool onlyMoves(const Nest &nest)
    {
        return !nest.reduces() && nest.stores.size() == 1 &&
               nest.stores.front().value->fn == Fn::Load;
    }

    bool worthInlining(const Nest &reader, const NestRead &read, const Nest &producer) const
    {
        const NestStore &store = producer.stores.front();
        const BlockTensor &tensor = m_block.tensors[std::size_t(read.tensor)];
        const int work = workOf(store.value);
        if (onlyMoves(producer))
            return true;
        const std::int64_t times =
            reader.points(true) / std::max<std::int64_t>(tensor.elements(), 1);
        const int readers = m_readers[std::size_t(read.tensor)];
        const bool written = tensor.role == BlockTensor::Role::Output;
        if (reader.reduces())
            return times <= 1 && readers == 1 && !written;
        return (times <= 1 && readers == 1 && !written) || (work <= cheapWork && times <= 4);
    }

    void inlineProducers(int number)
    {
        // Reads that are added bring producers that have been through this already.
        for (std::size_t r = 0; r < m_block.nests[std::size_t(number)].reads.size(); ++r) {
            Nest &nest = m_block.nests[std::size_t(number)];
            const int writer = soleWriter(nest.reads[r].tensor);
            if (writer < 0 || writer == number)
                continue;
            const Nest &producer = m_block.nests[std::size_t(writer)];
            if (producer.reduces() || producer.scatters() || producer.stores.size() != 1 ||
                nest.reads[r].guarded || !worthInlining(nest, nest.reads[r], producer))
                continue;
            const auto lookedUp = isLookedUp(nest, int(r));
            if (lookedUp && !onlyMoves(producer))
                continue;
            const auto axes = axesFrom(producer.stores.front().map, producer.extents(),
                                       nest.reads[r].map, nest.extents());
            if (axes)
                inlineInto(nest, int(r), producer, *axes);
        }
    }

    const BlockTensor &tensorOf(const NestStore &store) const
    {
        return m_block.tensors[std::size_t(store.tensor)];
    }

    /// A value as its reader finds it: rounded, or cut, to what the tensor holds.
    static Expr asStored(const Expr &value, DataType type)
    {
        const bool same = value.type() == type;
        const bool fits = value->fn == Fn::Load || value->fn == Fn::Cast ||
                          type == DataType::Float || type == DataType::Double ||
                          type == DataType::Int64 || type == DataType::Uint64;
        return same && fits ? value : Expr::cast(value, type);
    }

    void inlineInto(Nest &nest, int read, const Nest &producer, const std::vector<IndexForm> &axes)
    {
        const std::vector<int> reads = adoptReads(nest, producer, axes);
        const Expr value = asStored(adopted(producer.stores.front().value, reads, axes),
                                    tensorOf(producer.stores.front()).type);
        const auto instead = [&](const Expr::Node &leaf) -> Expr {
            if (leaf.fn == Fn::Load && leaf.index == read)
                return value;
            return {};
        };
        if (!nest.body.empty())
            nest.body = rewritten(nest.body, instead);
        for (NestStore &store : nest.stores)
            store.value = rewritten(store.value, instead);
        if (value->fn == Fn::Load) {
            const auto renumber = [&](std::vector<IndexForm> &map) {
                for (IndexForm &form : map)
                    form = form.renumbered(
                        [&](int number) { return number == read ? value->index : number; });
            };
            for (NestRead &other : nest.reads)
                renumber(other.map);
            for (NestStore &store : nest.stores)
                renumber(store.map);
        }
        nest.nodes.insert(nest.nodes.begin(), producer.nodes.begin(), producer.nodes.end());
    }

    /// Into the last reduction that it reads, if it has one point for each of its results.
    void mergeIntoReduction(int number)
    {
        const Nest &nest = m_block.nests[std::size_t(number)];
        int reduction = -1, last = -1;
        for (int r = 0; r < int(nest.reads.size()); ++r)
            for (const int writer : m_writers[std::size_t(nest.reads[std::size_t(r)].tensor)])
                if (writer != number && isUsed(nest, r)) {
                    last = std::max(last, writer);
                    if (m_block.nests[std::size_t(writer)].reduces())
                        reduction = std::max(reduction, writer);
                }
        if (reduction < 0 || last != reduction)
            return;
        Nest &target = m_block.nests[std::size_t(reduction)];
        std::optional<std::vector<IndexForm>> axes;
        for (int r = 0; r < int(nest.reads.size()); ++r) {
            const NestRead &read = nest.reads[std::size_t(r)];
            const NestStore *store = storeOf(target, read.tensor);
            if (!store || !isUsed(nest, r))
                continue;
            if (read.guarded || soleWriter(read.tensor) != reduction)
                return;
            if (!axes)
                axes = axesThrough(read.map, nest.extents(),
                                   m_block.tensors[std::size_t(read.tensor)].extents, store->map,
                                   target.extents(), target.spaceAxes());
            if (!axes)
                return;
            for (std::size_t d = 0; d < read.map.size(); ++d)
                if (!(read.map[d]
                          .substituted(
                              [&](int axis) -> std::optional<IndexForm> {
                                  return (*axes)[std::size_t(axis)];
                              },
                              target.extents())
                          .joined() == store->map[d].joined()))
                    return;
        }
        if (!axes || nest.points(false) != target.points(false))
            return;
        merge(number, reduction, *axes);
    }

    static const NestStore *storeOf(const Nest &nest, int tensor)
    {
        const auto found = std::ranges::find(nest.stores, tensor, &NestStore::tensor);
        return found == nest.stores.end() ? nullptr : &*found;
    }

    void merge(int number, int reduction, const std::vector<IndexForm> &axes)
    {
        Nest &nest = m_block.nests[std::size_t(number)];
        Nest &target = m_block.nests[std::size_t(reduction)];
        const std::vector<std::int64_t> extents = target.extents();
        const std::vector<int> reads = adoptReads(target, nest, axes);
        for (const NestStore &store : nest.stores) {
            NestStore moved;
            moved.tensor = store.tensor;
            for (const IndexForm &form : store.map)
                moved.map.push_back(form.substituted(
                    [&](int axis) -> std::optional<IndexForm> { return axes[std::size_t(axis)]; },
                    extents));
            moved.value = adopted(store.value, reads, axes, [&](const Expr::Node &leaf) -> Expr {
                if (leaf.fn != Fn::Load)
                    return {};
                const NestStore *from = storeOf(target, nest.reads[std::size_t(leaf.index)].tensor);
                return from ? asStored(from->value, tensorOf(*from).type) : Expr();
            });
            std::ranges::replace(m_writers[std::size_t(store.tensor)], number, reduction);
            target.stores.push_back(std::move(moved));
        }
        target.nodes.insert(target.nodes.end(), nest.nodes.begin(), nest.nodes.end());
        nest.stores.clear();
        nest.reads.clear();
    }

    /// Stores that nobody reads, and nests without stores.
    void dropUnneeded()
    {
        std::set<int> needed;
        for (std::size_t t = 0; t < m_block.tensors.size(); ++t)
            if (m_block.tensors[t].role == BlockTensor::Role::Output)
                needed.insert(int(t));
        for (std::size_t n = m_block.nests.size(); n-- > 0;) {
            Nest &nest = m_block.nests[n];
            std::erase_if(nest.stores,
                          [&](const NestStore &store) { return !needed.contains(store.tensor); });
            if (nest.stores.empty())
                continue;
            for (int r = 0; r < int(nest.reads.size()); ++r)
                if (isUsed(nest, r))
                    needed.insert(nest.reads[std::size_t(r)].tensor);
        }
        std::erase_if(m_block.nests, [](const Nest &nest) { return nest.stores.empty(); });
    }

    BlockNests &m_block;
    std::vector<std::vector<int>> m_writers; // by tensor: the nests that write it
    std::vector<int> m_readers;              // by tensor: how many nests read it, at first
};

} // namespace

void fuseNests(BlockNests &block)
{
    NestFusion(block).run();
}

} // namespace graphloom

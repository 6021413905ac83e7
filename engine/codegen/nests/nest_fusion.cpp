// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/nests/nest_fusion.h"

#include "engine/codegen/index/expr_edit.h"
#include "engine/codegen/index/index_inverse.h"
#include "engine/codegen/nests/moved_reads.h"
#include "engine/codegen/nests/nest_inlining.h"
#include "engine/ops/describe/stage.h"

#include <algorithm>
#include <map>
#include <set>

namespace graphloom {

namespace {

/// Limits the scalar work that each reader recomputes instead of reading a stored result.
constexpr int cheapWork = 2;
/// Limits the nodes of an expression that is copied into a reader at once. Larger ones wait until
/// their last reader is known: otherwise, each nest of a chain would copy all those before it.
constexpr int fewParts = 16;

class NestFusion {
public:
    NestFusion(BlockNests &block, Steps &steps)
        : m_block(block), m_steps(steps), m_facts(block.nests.size()),
          m_writers(block.tensors.size()), m_lastWriters(block.tensors.size()),
          m_readers(block.tensors.size())
    {
        for (const NestIndex nest : block.nests.indices()) {
            for (const NestStore &store : nestAt(nest).stores)
                m_writers[store.tensor].push_back(nest);
            std::set<BlockTensorIndex> tensors;
            for (const NestRead &read : nestAt(nest).reads)
                tensors.insert(read.tensor);
            for (const BlockTensorIndex tensor : tensors)
                ++m_readers[tensor];
        }
    }

    bool run()
    {
        for (const NestIndex nest : m_block.nests.indices()) {
            if (m_steps.stopped())
                return false;
            inlineProducers(nest);
            if (!nestAt(nest).reduces() && !nestAt(nest).scatters())
                mergeIntoReduction(nest);
        }
        for (const NestIndex nest : m_block.nests.indices()) {
            if (m_steps.stopped())
                return false;
            if (!m_facts[nest].waits)
                takeIn(nest);
        }
        dropUnneeded();
        return !m_steps.stopped();
    }

private:
    /// Describes a producer that becomes part of a nest at one of its reads.
    struct Part {
        ReadIndex read;
        NestIndex producer;
    };
    /// Holds the last of some writers, and the last of them that reduces.
    struct Writers {
        NestIndex last, reduction;

        void add(const Writers &others)
        {
            last = std::max(last, others.last);
            reduction = std::max(reduction, others.reduction);
        }
    };
    struct Facts {
        int work = 0;  // of its value, parts included
        int parts = 0; // nodes of its own expression
        bool moves = false;
        bool waits = false; // it becomes part of another nest
        std::vector<Part> inside;
        MovedReads reads; // its own and those of its parts
        Writers from;     // writers of all that it reads
        NestIndex apart;  // a reduction that it does not fit into
    };

    Nest &nestAt(NestIndex nest) { return m_block.nests[nest]; }
    const Nest &nestAt(NestIndex nest) const { return m_block.nests[nest]; }
    const BlockTensor &tensorAt(BlockTensorIndex tensor) const { return m_block.tensors[tensor]; }

    /// Returns the writers of a tensor, all of which must have been visited before.
    const Writers &writersOf(BlockTensorIndex tensor)
    {
        auto &known = m_lastWriters[tensor];
        if (!known) {
            known.emplace();
            for (const NestIndex writer : m_writers[tensor])
                known->add({writer, nestAt(writer).reduces() ? writer : NestIndex()});
        }
        return *known;
    }

    /// Returns the only nest that writes the tensor; invalid if there are none or several.
    NestIndex soleWriter(BlockTensorIndex tensor) const
    {
        const auto &writers = m_writers[tensor];
        return writers.size() == 1 ? writers.front() : NestIndex();
    }

    /// Tells whether no other nest needs the tensor that is read.
    bool isAlone(const NestRead &read) const
    {
        return m_readers[read.tensor] == 1 &&
               tensorAt(read.tensor).role != BlockTensor::Role::Output;
    }

    bool worthInlining(const Nest &reader, const NestRead &read, const Facts &producer) const
    {
        if (producer.moves)
            return true;
        const std::int64_t times =
            reader.points(true) / std::max<std::int64_t>(tensorAt(read.tensor).elements(), 1);
        if (times <= 1 && isAlone(read))
            return true;
        return !reader.reduces() && producer.work <= cheapWork && times <= 4;
    }

    void inlineProducers(NestIndex number)
    {
        Nest &nest = nestAt(number);
        Facts &facts = m_facts[number];
        NestInlining inlining(nest, m_steps);
        // The reads of parts as reads of this nest.
        std::vector<MovedReads> taken;
        // Producers of reads added on the way have been visited before.
        for (ReadIndex r(0); r < nest.reads.nextIndex(); ++r) {
            const NestRead read = nest.reads[r];
            const NestIndex writer = soleWriter(read.tensor);
            if (inlining.isReplaced(r) || !writer.isValid() || writer == number || read.guarded)
                continue;
            const Nest &producer = nestAt(writer);
            const Facts &from = m_facts[writer];
            if (producer.reduces() || producer.scatters() || producer.stores.size() != 1 ||
                !worthInlining(nest, read, from) || (inlining.known().isLookedUp(r) && !from.moves))
                continue;
            const bool lookedUp = inlining.known().isLookedUp(r);
            const bool copied =
                from.inside.empty() && from.parts <= fewParts && !from.reads.areMany();
            if (!copied &&
                (lookedUp || !isAlone(read) || inlining.known().count(read.tensor) > 1)) {
                if (from.reads.areMany())
                    m_block.stored.push_back({read.tensor, MovedReads::tooMany()});
                continue;
            }
            const auto axes =
                axesFrom(producer.stores.front().map, producer.extents(), read.map, nest.extents());
            if (!axes)
                continue;
            auto moved = from.reads.through(*axes, nest, read, producer, m_block.tensors, m_steps);
            if (!moved) {
                m_block.stored.push_back({read.tensor, moved.error()});
                continue;
            }
            if (copied) {
                ReadAdoption adoption = inlining.adoption(producer, *axes);
                Expr value = adoption.adopted(producer.stores.front().value, lookedUp);
                inlining.replace(r, asStored(value, producer.stores.front()), producer.nodes);
            } else {
                facts.inside.push_back({r, writer});
                m_facts[writer].waits = true;
                taken.push_back(std::move(*moved));
            }
        }
        const IndexedVector<ReadIndex, ReadIndex> numbers = inlining.finish();
        for (Part &part : facts.inside)
            part.read = numbers[part.read];
        lookAt(number, taken);
    }

    /// Determines the facts of a nest after inlineProducers().
    void lookAt(NestIndex number, const std::vector<MovedReads> &taken)
    {
        const Nest &nest = nestAt(number);
        Facts &facts = m_facts[number];
        const NestStore &store = nest.stores.front();
        std::set<ReadIndex> parts;
        for (const Part &part : facts.inside) {
            const Facts &from = m_facts[part.producer];
            parts.insert(part.read);
            facts.work += from.work;
            facts.from.add(from.from);
            facts.apart = std::max(facts.apart, from.apart);
        }
        facts.work += workOf(store.value);
        forEachPart(store.value, [&](const Expr::Node &) { ++facts.parts; });
        m_steps.add(std::uint64_t(facts.parts));
        facts.moves =
            !nest.reduces() && store.value->fn == Fn::Load && !parts.contains(readIn(*store.value));
        const IndexedVector<ReadIndex, bool> lookedUp = lookedUpReads(nest);
        for (const ReadIndex r : nest.reads.indices()) {
            if (parts.contains(r))
                continue;
            const NestRead &read = nest.reads[r];
            facts.reads.add({read, lookedUp[r]});
            facts.from.add(writersOf(read.tensor));
        }
        for (const MovedReads &moved : taken)
            facts.reads.add(moved);
    }

    /// Inlines the parts of a nest, and their parts, into it.
    void takeIn(NestIndex number)
    {
        std::vector<Part> open = std::exchange(m_facts[number].inside, {});
        if (open.empty())
            return;
        Nest &nest = nestAt(number);
        NestInlining inlining(nest, m_steps);
        while (!open.empty() && !m_steps.stopped()) {
            const Part part = open.back();
            open.pop_back();
            const Nest &producer = nestAt(part.producer);
            const NestStore &store = producer.stores.front();
            const auto axes =
                axesFrom(store.map, producer.extents(), nest.reads[part.read].map, nest.extents());
            ReadAdoption adoption = inlining.adoption(producer, *axes);
            inlining.replace(part.read, asStored(adoption.adopted(store.value), store),
                             producer.nodes);
            for (const Part &inner : m_facts[part.producer].inside)
                open.push_back({adoption.adopted(inner.read), inner.producer});
        }
        inlining.finish();
        Facts &facts = m_facts[number];
        facts.parts = 0;
        forEachPart(nest.stores.front().value, [&](const Expr::Node &) { ++facts.parts; });
    }

    /// Returns a value as its reader finds it: rounded or truncated to the tensor's type.
    Expr asStored(const Expr &value, const NestStore &store) const
    {
        const DataType type = tensorAt(store.tensor).type;
        const bool same = value.type() == type;
        const bool fits = value->fn == Fn::Load || value->fn == Fn::Cast ||
                          type == DataType::Float || type == DataType::Double ||
                          type == DataType::Int64 || type == DataType::Uint64;
        return same && fits ? value : Expr::cast(value, type);
    }

    /// Merges a nest into the last reduction that it reads if it has one point per result.
    void mergeIntoReduction(NestIndex number)
    {
        Facts &facts = m_facts[number];
        const NestIndex reduction = facts.from.reduction;
        // A nest does not fit if one of its parts did not.
        if (!reduction.isValid() || facts.from.last != reduction || facts.apart == reduction)
            return;
        facts.apart = reduction;
        if (nestAt(number).points(false) != nestAt(reduction).points(false))
            return;
        takeIn(number);
        if (const auto axes = axesInside(number, reduction))
            merge(number, reduction, *axes);
    }

    /// Returns the axes of a nest as forms over those of the reduction whose results it reads; none
    /// if it does not visit the results one by one.
    std::optional<AxisForms> axesInside(NestIndex number, NestIndex reduction)
    {
        const Nest &nest = nestAt(number), &target = nestAt(reduction);
        std::optional<AxisForms> axes;
        for (const NestRead &read : nest.reads) {
            const NestStore *store = storeOf(reduction, read.tensor);
            if (!store)
                continue;
            if (read.guarded || soleWriter(read.tensor) != reduction)
                return std::nullopt;
            if (!axes)
                axes = axesThrough(read.map, nest.extents(), tensorAt(read.tensor).extents,
                                   store->map, target.extents(), target.reductionAxes());
            if (!axes)
                return std::nullopt;
            for (std::size_t d = 0; d < read.map.size(); ++d) {
                m_steps.add(std::uint64_t(read.map[d].size()) + 1);
                if (!(read.map[d]
                          .substituted([&](AxisIndex axis)
                                           -> std::optional<IndexForm> { return (*axes)[axis]; },
                                       target.extents())
                          .joined() == store->map[d].joined()))
                    return std::nullopt;
            }
        }
        return axes;
    }

    /// Returns the nest's store to the tensor; null if it has none or a later nest writes it, too.
    const NestStore *storeOf(NestIndex number, BlockTensorIndex tensor)
    {
        if (writersOf(tensor).last != number)
            return nullptr;
        const auto &stores = nestAt(number).stores;
        const auto merged = m_merged.find(number);
        if (merged == m_merged.end())
            return stores.front().tensor == tensor ? &stores.front() : nullptr;
        const auto found = merged->second.stores.find(tensor);
        return found == merged->second.stores.end() ? nullptr : &stores[found->second];
    }

    void merge(NestIndex number, NestIndex reduction, const AxisForms &axes)
    {
        Nest &nest = nestAt(number);
        Nest &target = nestAt(reduction);
        auto [merged, isFirst] = m_merged.try_emplace(reduction);
        if (isFirst) {
            merged->second.known = KnownReads(target);
            merged->second.stores.emplace(target.stores.front().tensor, 0);
        }
        const AxisExtents extents = target.extents();
        ReadAdoption adoption(target, merged->second.known, nest, axes, m_steps);
        for (const NestStore &store : nest.stores) {
            NestStore moved;
            moved.tensor = store.tensor;
            for (const IndexForm &form : store.map)
                moved.map.push_back(form.substituted(
                    [&](AxisIndex axis) -> std::optional<IndexForm> { return axes[axis]; },
                    extents));
            moved.value = adoption.adopted(store.value, false, [&](const Expr::Node &leaf) -> Expr {
                if (leaf.fn != Fn::Load)
                    return {};
                const NestStore *from = storeOf(reduction, nest.reads[readIn(leaf)].tensor);
                return from ? asStored(from->value, *from) : Expr();
            });
            std::ranges::replace(m_writers[store.tensor], number, reduction);
            merged->second.stores.emplace(store.tensor, target.stores.size());
            target.stores.push_back(std::move(moved));
        }
        target.nodes.insert(target.nodes.end(), nest.nodes.begin(), nest.nodes.end());
        nest.stores.clear();
        nest.reads.clear();
    }

    /// Drops stores that nobody reads, and nests without stores.
    void dropUnneeded()
    {
        IndexedVector<BlockTensorIndex, bool> needed;
        for (const BlockTensor &tensor : m_block.tensors)
            needed.push_back(tensor.role == BlockTensor::Role::Output);
        for (const NestIndex number : m_block.nests.indices().reversed()) {
            Nest &nest = nestAt(number);
            std::erase_if(nest.stores,
                          [&](const NestStore &store) { return !needed[store.tensor]; });
            if (nest.stores.empty())
                continue;
            dropUnusedReads(nest);
            for (const NestRead &read : nest.reads)
                needed[read.tensor] = true;
        }
        std::erase_if(m_block.nests.elements(),
                      [](const Nest &nest) { return nest.stores.empty(); });
        std::set<BlockTensorIndex> said;
        std::erase_if(m_block.stored, [&](const StoredTensor &stored) {
            return !needed[stored.tensor] || !said.insert(stored.tensor).second;
        });
    }

    /// Describes a reduction that other nests were merged into.
    struct Merged {
        KnownReads known;
        std::map<BlockTensorIndex, std::size_t> stores; // position of a tensor's store
    };

    BlockNests &m_block;
    Steps &m_steps;
    IndexedVector<NestIndex, Facts> m_facts;
    IndexedVector<BlockTensorIndex, std::vector<NestIndex>> m_writers;
    IndexedVector<BlockTensorIndex, std::optional<Writers>> m_lastWriters;
    IndexedVector<BlockTensorIndex, int> m_readers; // how many nests read it before fusion
    std::map<NestIndex, Merged> m_merged;
};

} // namespace

bool fuseNests(BlockNests &block, Steps &steps)
{
    return NestFusion(block, steps).run();
}

} // namespace graphloom

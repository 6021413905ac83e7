// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/nests/nest_fusion.h"

#include "engine/codegen/index/expr_edit.h"
#include "engine/codegen/index/index_inverse.h"
#include "engine/codegen/nests/moved_reads.h"
#include "engine/codegen/nests/nest_inlining.h"

#include <algorithm>
#include <map>
#include <set>

namespace graphloom {

namespace {

/// Scalar work that is rather done again by each reader than written and read.
constexpr int cheapWork = 2;
/// Parts of an expression that are copied into a reader at once. Larger ones wait until it is known
/// where they end: else each nest of a chain would copy all those before it.
constexpr int fewParts = 16;

class NestFusion {
public:
    NestFusion(BlockNests &block, Steps &steps)
        : m_block(block), m_steps(steps), m_facts(block.nests.size()),
          m_writers(block.tensors.size()), m_lastWriters(block.tensors.size()),
          m_readers(block.tensors.size())
    {
        for (int n = 0; n < int(block.nests.size()); ++n) {
            for (const NestStore &store : nestAt(n).stores)
                m_writers[std::size_t(store.tensor)].push_back(n);
            std::set<int> tensors;
            for (const NestRead &read : nestAt(n).reads)
                tensors.insert(read.tensor);
            for (const int tensor : tensors)
                ++m_readers[std::size_t(tensor)];
        }
    }

    bool run()
    {
        for (int n = 0; n < int(m_block.nests.size()); ++n) {
            if (m_steps.stopped())
                return false;
            inlineProducers(n);
            if (!nestAt(n).reduces() && !nestAt(n).scatters())
                mergeIntoReduction(n);
        }
        for (int n = 0; n < int(m_block.nests.size()); ++n) {
            if (m_steps.stopped())
                return false;
            if (!m_facts[std::size_t(n)].waits)
                takeIn(n);
        }
        dropUnneeded();
        return !m_steps.stopped();
    }

private:
    /// A producer that becomes part of a nest at one of its reads.
    struct Part {
        int read = 0, producer = 0;
    };
    /// The last nest that writes something, and the last one of them that reduces; -1: none.
    struct Writers {
        int last = -1, reduction = -1;

        void add(const Writers &others)
        {
            last = std::max(last, others.last);
            reduction = std::max(reduction, others.reduction);
        }
    };
    struct Facts {
        int work = 0;  // of its value, with that of its parts
        int parts = 0; // nodes of its own expression
        bool moves = false;
        bool waits = false; // it is part of a nest
        std::vector<Part> inside;
        MovedReads reads; // its own, and those of its parts
        Writers from;     // of all that it reads
        int apart = -1;   // a reduction that it does not fit into
    };

    Nest &nestAt(int nest) { return m_block.nests[std::size_t(nest)]; }
    const Nest &nestAt(int nest) const { return m_block.nests[std::size_t(nest)]; }
    const BlockTensor &tensorAt(int tensor) const { return m_block.tensors[std::size_t(tensor)]; }

    /// Asked for when all of them have been through this.
    const Writers &writersOf(int tensor)
    {
        auto &known = m_lastWriters[std::size_t(tensor)];
        if (!known) {
            known.emplace();
            for (const int writer : m_writers[std::size_t(tensor)])
                known->add({writer, nestAt(writer).reduces() ? writer : -1});
        }
        return *known;
    }

    /// The nest that alone writes the tensor and is still one of its own; -1: there is none.
    int soleWriter(int tensor) const
    {
        const auto &writers = m_writers[std::size_t(tensor)];
        return writers.size() == 1 ? writers.front() : -1;
    }

    /// Does nobody else need the tensor?
    bool isAlone(const NestRead &read) const
    {
        return m_readers[std::size_t(read.tensor)] == 1 &&
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

    void inlineProducers(int number)
    {
        Nest &nest = nestAt(number);
        Facts &facts = m_facts[std::size_t(number)];
        NestInlining inlining(nest, m_steps);
        std::vector<std::pair<int, MovedReads>> taken; // by read: those of parts, as they come here
        // Reads that are added bring producers that have been through this already.
        for (int r = 0; r < int(nest.reads.size()); ++r) {
            const NestRead read = nest.reads[std::size_t(r)];
            const int writer = soleWriter(read.tensor);
            if (inlining.isReplaced(r) || writer < 0 || writer == number || read.guarded)
                continue;
            const Nest &producer = nestAt(writer);
            const Facts &from = m_facts[std::size_t(writer)];
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
                m_facts[std::size_t(writer)].waits = true;
                taken.emplace_back(r, std::move(*moved));
            }
        }
        const std::vector<int> numbers = inlining.finish();
        for (Part &part : facts.inside)
            part.read = numbers[std::size_t(part.read)];
        lookAt(number, taken);
    }

    /// The facts of a nest that has been through inlineProducers().
    void lookAt(int number, const std::vector<std::pair<int, MovedReads>> &taken)
    {
        const Nest &nest = nestAt(number);
        Facts &facts = m_facts[std::size_t(number)];
        const NestStore &store = nest.stores.front();
        std::set<int> parts;
        for (const Part &part : facts.inside) {
            const Facts &from = m_facts[std::size_t(part.producer)];
            parts.insert(part.read);
            facts.work += from.work;
            facts.from.add(from.from);
            facts.apart = std::max(facts.apart, from.apart);
        }
        facts.work += workOf(store.value);
        forEachPart(store.value, [&](const Expr::Node &) { ++facts.parts; });
        m_steps.add(std::uint64_t(facts.parts));
        facts.moves =
            !nest.reduces() && store.value->fn == Fn::Load && !parts.contains(store.value->index);
        const std::vector<bool> lookedUp = lookedUpReads(nest);
        for (int r = 0; r < int(nest.reads.size()); ++r) {
            if (parts.contains(r))
                continue;
            const NestRead &read = nest.reads[std::size_t(r)];
            facts.reads.add({read, lookedUp[std::size_t(r)]});
            facts.from.add(writersOf(read.tensor));
        }
        for (const auto &[read, moved] : taken)
            facts.reads.add(moved);
    }

    /// Writes the parts of a nest, and theirs, into it.
    void takeIn(int number)
    {
        std::vector<Part> open = std::exchange(m_facts[std::size_t(number)].inside, {});
        if (open.empty())
            return;
        Nest &nest = nestAt(number);
        NestInlining inlining(nest, m_steps);
        while (!open.empty() && !m_steps.stopped()) {
            const Part part = open.back();
            open.pop_back();
            const Nest &producer = nestAt(part.producer);
            const NestStore &store = producer.stores.front();
            const auto axes = axesFrom(store.map, producer.extents(),
                                       nest.reads[std::size_t(part.read)].map, nest.extents());
            ReadAdoption adoption = inlining.adoption(producer, *axes);
            inlining.replace(part.read, asStored(adoption.adopted(store.value), store),
                             producer.nodes);
            for (const Part &inner : m_facts[std::size_t(part.producer)].inside)
                open.push_back({adoption.numberOf(inner.read), inner.producer});
        }
        inlining.finish();
        Facts &facts = m_facts[std::size_t(number)];
        facts.parts = 0;
        forEachPart(nest.stores.front().value, [&](const Expr::Node &) { ++facts.parts; });
    }

    /// A value as its reader finds it: rounded, or cut, to what the tensor holds.
    Expr asStored(const Expr &value, const NestStore &store) const
    {
        const DataType type = tensorAt(store.tensor).type;
        const bool same = value.type() == type;
        const bool fits = value->fn == Fn::Load || value->fn == Fn::Cast ||
                          type == DataType::Float || type == DataType::Double ||
                          type == DataType::Int64 || type == DataType::Uint64;
        return same && fits ? value : Expr::cast(value, type);
    }

    /// Into the last reduction that it reads, if it has one point for each of its results.
    void mergeIntoReduction(int number)
    {
        Facts &facts = m_facts[std::size_t(number)];
        const int reduction = facts.from.reduction;
        // What did not fit as a part does not as a whole.
        if (reduction < 0 || facts.from.last != reduction || facts.apart == reduction)
            return;
        facts.apart = reduction;
        if (nestAt(number).points(false) != nestAt(reduction).points(false))
            return;
        takeIn(number);
        if (const auto axes = axesInside(number, reduction))
            merge(number, reduction, *axes);
    }

    /// The axes of a nest as those of the reduction whose results it reads; none: it does not run
    /// over them one by one.
    std::optional<std::vector<IndexForm>> axesInside(int number, int reduction)
    {
        const Nest &nest = nestAt(number), &target = nestAt(reduction);
        std::optional<std::vector<IndexForm>> axes;
        for (const NestRead &read : nest.reads) {
            const NestStore *store = storeOf(reduction, read.tensor);
            if (!store)
                continue;
            if (read.guarded || soleWriter(read.tensor) != reduction)
                return std::nullopt;
            if (!axes)
                axes = axesThrough(read.map, nest.extents(), tensorAt(read.tensor).extents,
                                   store->map, target.extents(), target.spaceAxes());
            if (!axes)
                return std::nullopt;
            for (std::size_t d = 0; d < read.map.size(); ++d) {
                m_steps.add(std::uint64_t(read.map[d].size()) + 1);
                if (!(read.map[d]
                          .substituted(
                              [&](int axis) -> std::optional<IndexForm> {
                                  return (*axes)[std::size_t(axis)];
                              },
                              target.extents())
                          .joined() == store->map[d].joined()))
                    return std::nullopt;
            }
        }
        return axes;
    }

    /// The store of the nest that writes the tensor; null where it does not, or a nest behind it
    /// does, too.
    const NestStore *storeOf(int number, int tensor)
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

    void merge(int number, int reduction, const std::vector<IndexForm> &axes)
    {
        Nest &nest = nestAt(number);
        Nest &target = nestAt(reduction);
        auto [merged, isFirst] = m_merged.try_emplace(reduction);
        if (isFirst) {
            merged->second.known = KnownReads(target);
            merged->second.stores.emplace(target.stores.front().tensor, 0);
        }
        const std::vector<std::int64_t> extents = target.extents();
        ReadAdoption adoption(target, merged->second.known, nest, axes, m_steps);
        for (const NestStore &store : nest.stores) {
            NestStore moved;
            moved.tensor = store.tensor;
            for (const IndexForm &form : store.map)
                moved.map.push_back(form.substituted(
                    [&](int axis) -> std::optional<IndexForm> { return axes[std::size_t(axis)]; },
                    extents));
            moved.value = adoption.adopted(store.value, false, [&](const Expr::Node &leaf) -> Expr {
                if (leaf.fn != Fn::Load)
                    return {};
                const NestStore *from =
                    storeOf(reduction, nest.reads[std::size_t(leaf.index)].tensor);
                return from ? asStored(from->value, *from) : Expr();
            });
            std::ranges::replace(m_writers[std::size_t(store.tensor)], number, reduction);
            merged->second.stores.emplace(store.tensor, target.stores.size());
            target.stores.push_back(std::move(moved));
        }
        target.nodes.insert(target.nodes.end(), nest.nodes.begin(), nest.nodes.end());
        nest.stores.clear();
        nest.reads.clear();
    }

    /// Stores that nobody reads, and nests without stores.
    void dropUnneeded()
    {
        std::vector<bool> needed(m_block.tensors.size());
        for (std::size_t t = 0; t < m_block.tensors.size(); ++t)
            needed[t] = m_block.tensors[t].role == BlockTensor::Role::Output;
        for (std::size_t n = m_block.nests.size(); n-- > 0;) {
            Nest &nest = m_block.nests[n];
            std::erase_if(nest.stores, [&](const NestStore &store) {
                return !needed[std::size_t(store.tensor)];
            });
            if (nest.stores.empty())
                continue;
            dropUnusedReads(nest);
            for (const NestRead &read : nest.reads)
                needed[std::size_t(read.tensor)] = true;
        }
        std::erase_if(m_block.nests, [](const Nest &nest) { return nest.stores.empty(); });
        std::set<int> said;
        std::erase_if(m_block.stored, [&](const StoredTensor &stored) {
            return !needed[std::size_t(stored.tensor)] || !said.insert(stored.tensor).second;
        });
    }

    /// What has become of a reduction that others were merged into.
    struct Merged {
        KnownReads known;
        std::map<int, std::size_t> stores; // by tensor: its place
    };

    BlockNests &m_block;
    Steps &m_steps;
    std::vector<Facts> m_facts;
    std::vector<std::vector<int>> m_writers; // by tensor: the nests that write it
    std::vector<std::optional<Writers>> m_lastWriters;
    std::vector<int> m_readers;     // by tensor: how many nests read it, at first
    std::map<int, Merged> m_merged; // by nest
};

} // namespace

bool fuseNests(BlockNests &block, Steps &steps)
{
    return NestFusion(block, steps).run();
}

} // namespace graphloom

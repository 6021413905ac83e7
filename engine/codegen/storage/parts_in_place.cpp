// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/storage/parts_in_place.h"

#include "engine/codegen/index/expr_edit.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Describes a nest that copies all elements of a tensor into another one.
struct Copy {
    BlockTensorIndex from, to;
    std::vector<std::int64_t> first; // where the element 0, 0, … goes
};

/// Returns the copy that the nest is, if it keeps the order of the dimensions.
std::optional<Copy> copyOf(const Nest &nest, const BlockTensors &tensors)
{
    if (nest.reduces() || nest.reads.size() != 1 || nest.stores.size() != 1)
        return std::nullopt;
    const ReadIndex only(0);
    const NestRead &read = nest.reads[only];
    const NestStore &store = nest.stores.front();
    const BlockTensor &from = tensors[read.tensor], &to = tensors[store.tensor];
    if (store.value->fn != Fn::Load || read.guarded || store.guarded ||
        store.update != Combine::None || from.type != to.type ||
        read.map.size() != store.map.size())
        return std::nullopt;
    Copy copy{read.tensor, store.tensor, {}};
    std::int64_t points = 1;
    for (std::size_t d = 0; d < read.map.size(); ++d) {
        const IndexForm distance = store.map[d] - read.map[d];
        const auto axis = read.map[d].asVariable();
        const bool isWhole = axis ? nest.axes[*axis].extent == from.extents[d]
                                  : from.extents[d] == 1 && read.map[d] == IndexForm(0);
        if (!isWhole || !distance.isConstant())
            return std::nullopt;
        copy.first.push_back(distance.offset());
        points *= from.extents[d];
    }
    return points == nest.points(false) && points > 0 ? std::optional(copy) : std::nullopt;
}

/// Tells whether a nest may write elements to where the copy goes, before or after it, such as
/// those that ScatterND changes in a copy of its data.
bool writesInto(const Nest &nest, const Copy &copy, const std::vector<std::int64_t> &extents)
{
    const AxisExtents axes = nest.extents();
    const auto isApart = [&](const NestStore &store) {
        for (std::size_t d = 0; d < extents.size(); ++d) {
            if (store.map[d].hasLookup())
                continue;
            const Bounds bounds = store.map[d].bounds(axes);
            if (bounds.most < copy.first[d] || bounds.least >= copy.first[d] + extents[d])
                return true;
        }
        return false;
    };
    return std::ranges::any_of(nest.stores, [&](const NestStore &store) {
        return store.tensor == copy.to && !isApart(store);
    });
}

bool hasMargins(const Storage &storage)
{
    return std::ranges::any_of(
        storage.margins, [](const auto &margin) { return margin.first > 0 || margin.second > 0; });
}

/// Tells whether neighbours along the dimensions of more than one element are nested alike.
bool areOrderedAlike(const std::vector<std::int64_t> &extents, const Storage &a, const Storage &b)
{
    for (std::size_t i = 0; i < extents.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            if (extents[i] > 1 && extents[k] > 1 &&
                (a.strides[i] < a.strides[k]) != (b.strides[i] < b.strides[k]))
                return false;
    return true;
}

class Placing {
public:
    Placing(const Graph &graph, const PlanNests &blocks, const std::set<TensorId> &interpreted,
            PlanStorages &storages)
        : m_graph(graph), m_blocks(blocks), m_interpreted(interpreted), m_storages(storages)
    {
        m_alive.resize(blocks.size());
        forEachTensor([&](BlockIndex block, BlockTensorIndex, const BlockTensor &tensor) {
            if (!isShared(tensor))
                return;
            Life &life = m_lives.try_emplace(tensor.id, Life{block, block, 0}).first->second;
            life.last = block;
            life.bytes = bytesOf(tensor.type, std::uint64_t(storageOf(tensor.id).elements));
        });
        for (const auto &[tensor, life] : m_lives)
            addAlive(life.first, life.last, double(life.bytes));
        m_most = m_alive.empty() ? 0 : *std::ranges::max_element(m_alive);
    }

    /// Later blocks first, so that parts of parts are placed after what they are in.
    void run()
    {
        for (const BlockIndex block : m_blocks.indices().reversed())
            if (m_blocks[block])
                for (const NestIndex nest : m_blocks[block]->nests.indices())
                    if (const auto copy =
                            copyOf(m_blocks[block]->nests[nest], m_blocks[block]->tensors))
                        place(block, nest, *copy);
    }

private:
    struct Life {
        BlockIndex first, last;
        std::uint64_t bytes = 0;
    };

    template <class Visit> void forEachTensor(const Visit &visit) const
    {
        for (const BlockIndex block : m_blocks.indices())
            if (m_blocks[block])
                for (const BlockTensorIndex tensor : m_blocks[block]->tensors.indices())
                    visit(block, tensor, m_blocks[block]->tensors[tensor]);
    }

    /// Tells whether a tensor is between blocks with kernels, and nobody else's.
    bool isShared(const BlockTensor &tensor) const
    {
        return tensor.role != BlockTensor::Role::Constant && tensor.id.valid() &&
               !m_graph.isInput(tensor.id) && !m_graph.isOutput(tensor.id) &&
               !m_interpreted.contains(tensor.id) && m_storages.tensors.contains(tensor.id);
    }

    Storage &storageOf(TensorId tensor) const { return m_storages.tensors.at(tensor); }

    void addAlive(BlockIndex first, BlockIndex last, double bytes)
    {
        for (const BlockIndex block : IndexRange(first, last + 1))
            m_alive[block] += bytes;
    }

    void place(BlockIndex block, NestIndex nest, const Copy &copy)
    {
        const BlockNests &nests = *m_blocks[block];
        const BlockTensor &from = nests.tensors[copy.from], &to = nests.tensors[copy.to];
        if (from.role != BlockTensor::Role::Input || !isShared(from) ||
            m_storages.parts.contains(from.id) ||
            (to.role != BlockTensor::Role::Scratch && !isShared(to)))
            return;
        const Storage &part = storageOf(from.id), &whole = m_storages.blocks[block][copy.to];
        if (hasMargins(part) || !areOrderedAlike(from.extents, part, whole))
            return;
        // Who writes a tensor fills its margins; of its parts, nobody knows them.
        const auto writes = [&](const Nest &other) {
            return std::ranges::count(other.stores, copy.to, &NestStore::tensor) > 0;
        };
        std::int64_t &placed = m_placedIn[{block, copy.to}];
        if (hasMargins(whole) && std::ranges::count_if(nests.nests, writes) == placed + 1)
            return;
        for (const NestIndex other : nests.nests.indices())
            if (other != nest && writesInto(nests.nests[other], copy, from.extents))
                return;
        if (!fits(from.id, block, copy.to))
            return;
        ++placed;
        Storage storage = whole;
        storage.margins.clear();
        storage.marginValue = 0;
        for (std::size_t d = 0; d < copy.first.size(); ++d)
            storage.base += copy.first[d] * whole.strides[d];
        const bool isOwn = to.role == BlockTensor::Role::Scratch;
        m_storages.parts[from.id] = {block, nest, copy.to, isOwn ? TensorId() : to.id};
        forEachTensor([&](BlockIndex other, BlockTensorIndex number, const BlockTensor &tensor) {
            if (tensor.role != BlockTensor::Role::Constant && tensor.id == from.id)
                m_storages.blocks[other][number] = storage;
        });
        storageOf(from.id) = std::move(storage);
    }

    /// Tells whether the most bytes alive do not grow, and counts the part as placed then.
    bool fits(TensorId part, BlockIndex block, BlockTensorIndex to)
    {
        const Life of = m_lives.at(part);
        const auto before = m_alive;
        Life &life = lifeOfBuffer(block, to);
        addAlive(of.first, of.last, -double(of.bytes));
        if (of.first < life.first)
            addAlive(of.first, life.first - 1, double(life.bytes));
        if (of.last > life.last)
            addAlive(life.last + 1, of.last, double(life.bytes));
        if (*std::ranges::max_element(m_alive) > m_most) {
            m_alive = before;
            return false;
        }
        life.first = std::min(life.first, of.first);
        life.last = std::max(life.last, of.last);
        return true;
    }

    /// Returns the life of the buffer that a tensor is in.
    Life &lifeOfBuffer(BlockIndex block, BlockTensorIndex number)
    {
        const BlockTensor &tensor = m_blocks[block]->tensors[number];
        if (tensor.role == BlockTensor::Role::Scratch) {
            const auto elements = std::uint64_t(m_storages.blocks[block][number].elements);
            return m_ownLives
                .try_emplace({block, number}, Life{block, block, bytesOf(tensor.type, elements)})
                .first->second;
        }
        const auto part = m_storages.parts.find(tensor.id);
        return part == m_storages.parts.end()
                   ? m_lives.at(tensor.id)
                   : lifeOfBuffer(part->second.block, part->second.whole);
    }

    const Graph &m_graph;
    const PlanNests &m_blocks;
    const std::set<TensorId> &m_interpreted;
    PlanStorages &m_storages;
    std::map<TensorId, Life> m_lives;
    std::map<std::pair<BlockIndex, BlockTensorIndex>, Life> m_ownLives; // of blocks' own tensors
    IndexedVector<BlockIndex, double> m_alive; // bytes of tensors between blocks
    double m_most = 0;
    std::map<std::pair<BlockIndex, BlockTensorIndex>, std::int64_t> m_placedIn;
};

} // namespace

void placeParts(const Graph &graph, const PlanNests &blocks, const std::set<TensorId> &interpreted,
                PlanStorages &storages)
{
    Placing(graph, blocks, interpreted, storages).run();
}

} // namespace graphloom

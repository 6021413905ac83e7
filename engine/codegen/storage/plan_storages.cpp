// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/storage/plan_storages.h"

#include "engine/codegen/index/c_names.h"
#include "engine/codegen/index/expr_edit.h"
#include "engine/codegen/nests/contraction.h"
#include "engine/codegen/storage/parts_in_place.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace graphloom {

namespace {

using Order = std::vector<std::size_t>; // of dimensions
using Margins = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Margins larger than this fraction of their tensor are not worth their memory.
constexpr double largestMargins = 1.0;

Order rowMajor(std::size_t rank)
{
    Order order(rank);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

bool isRowMajor(const Order &order)
{
    return std::ranges::is_sorted(order);
}

/// Returns the dimension in which neighbours along the axis are neighbours, if there is one.
std::optional<std::size_t> dimensionOf(const std::vector<IndexForm> &map, AxisIndex axis)
{
    for (std::size_t d = 0; d < map.size(); ++d)
        for (const auto &[atom, coefficient] : map[d].terms()) {
            const bool direct = atom->kind == IndexForm::Kind::Variable && atom->variable == axis;
            const bool digit =
                atom->kind == IndexForm::Kind::Remainder && atom->argument.asVariable() == axis;
            if (coefficient == 1 && (direct || digit))
                return d;
        }
    return std::nullopt;
}

Order withInnermost(std::size_t rank, std::size_t dimension)
{
    Order order = rowMajor(rank);
    order.erase(order.begin() + std::ptrdiff_t(dimension));
    order.push_back(dimension);
    return order;
}

class Assignment {
public:
    Assignment(const Graph &graph, const PlanNests &blocks,
               const std::map<TensorId, Layout> &layouts)
        : m_graph(graph), m_blocks(blocks), m_layouts(layouts)
    {
        m_orders.resize(blocks.size());
        m_ownWishes.resize(blocks.size());
        for (const BlockIndex block : blocks.indices())
            if (blocks[block])
                for (ScratchOrders *orders : {&m_orders, &m_ownWishes})
                    (*orders)[block].resize(blocks[block]->tensors.size());
    }

    PlanStorages run()
    {
        forEachNest([&](BlockIndex block, const Nest &nest) { addWish(block, nest); });
        forEachNest([&](BlockIndex block, const Nest &nest) { chooseOrders(block, nest); });
        forEachNest([&](BlockIndex block, const Nest &nest) {
            for (const NestRead &read : nest.reads)
                addMargins(block, nest, read);
        });
        return storages();
    }

private:
    using ScratchOrders = IndexedVector<BlockIndex, IndexedVector<BlockTensorIndex, Order>>;
    /// Names a tensor of a block.
    using Place = std::pair<BlockIndex, BlockTensorIndex>;

    template <class Visit> void forEachNest(const Visit &visit) const
    {
        for (const BlockIndex block : m_blocks.indices())
            if (m_blocks[block])
                for (const Nest &nest : m_blocks[block]->nests)
                    visit(block, nest);
    }

    const BlockTensor &tensorOf(BlockIndex block, BlockTensorIndex tensor) const
    {
        return m_blocks[block]->tensors[tensor];
    }

    bool isFixed(const BlockTensor &tensor) const
    {
        return tensor.role == BlockTensor::Role::Constant ||
               (tensor.id.valid() && (m_graph.isOutput(tensor.id) || m_graph.isInput(tensor.id) ||
                                      m_interpreted.contains(tensor.id)));
    }

    Order orderOf(BlockIndex block, BlockTensorIndex tensor) const
    {
        const BlockTensor &of = tensorOf(block, tensor);
        if (!isFixed(of)) {
            if (of.role == BlockTensor::Role::Scratch) {
                if (const Order &known = m_orders[block][tensor]; !known.empty())
                    return known;
            } else if (const auto known = m_shared.find(of.id); known != m_shared.end()) {
                return known->second;
            }
        }
        return rowMajor(of.extents.size());
    }

    Order &orderSlot(std::map<TensorId, Order> &shared, ScratchOrders &own, BlockIndex block,
                     BlockTensorIndex tensor)
    {
        const BlockTensor &of = tensorOf(block, tensor);
        return of.role == BlockTensor::Role::Scratch ? own[block][tensor] : shared[of.id];
    }

    /// Notes the order that a product of two computed tensors wants: its lanes run along the last
    /// dimension of its result, so the operand that has this axis needs it innermost.
    void addWish(BlockIndex block, const Nest &nest)
    {
        const auto contraction = contractionOf(nest);
        const std::vector<IndexForm> &store = nest.stores.front().map;
        if (!contraction || store.empty())
            return;
        const auto lane = store.back().asVariable();
        if (!lane)
            return;
        for (const ReadIndex read : {contraction->a, contraction->b})
            if (tensorOf(block, nest.reads[read].tensor).role == BlockTensor::Role::Constant)
                return;
        for (const bool first : {true, false}) {
            if (!std::ranges::count(first ? contraction->onlyA : contraction->onlyB, *lane))
                continue;
            const NestRead &read = nest.reads[first ? contraction->a : contraction->b];
            const auto d = dimensionOf(read.map, *lane);
            Order &wish = orderSlot(m_wishes, m_ownWishes, block, read.tensor);
            if (d && wish.empty())
                wish = withInnermost(read.map.size(), *d);
        }
    }

    void chooseOrders(BlockIndex block, const Nest &nest)
    {
        for (const NestStore &store : nest.stores) {
            const BlockTensor &tensor = tensorOf(block, store.tensor);
            if (isFixed(tensor) || tensor.extents.size() < 3)
                continue;
            Order &order = orderSlot(m_shared, m_orders, block, store.tensor);
            if (!order.empty())
                continue; // the first writer of a tensor decides
            if (const auto chosen = m_layouts.find(tensor.id);
                tensor.role != BlockTensor::Role::Scratch && chosen != m_layouts.end()) {
                order = chosen->second == Layout::ChannelsLast
                            ? withInnermost(tensor.extents.size(), 1)
                            : rowMajor(tensor.extents.size());
                continue;
            }
            const Order &wish = orderSlot(m_wishes, m_ownWishes, block, store.tensor);
            order = wish.empty() ? preferred(block, nest, store) : wish;
        }
    }

    Order preferred(BlockIndex block, const Nest &nest, const NestStore &store)
    {
        const std::size_t rank = store.map.size();
        if (const auto contraction = contractionOf(nest)) {
            for (const bool first : {true, false}) {
                const ReadIndex read = first ? contraction->a : contraction->b;
                const auto &axes = first ? contraction->onlyA : contraction->onlyB;
                if (tensorOf(block, nest.reads[read].tensor).role != BlockTensor::Role::Constant)
                    continue;
                AxisIndex widest;
                for (const AxisIndex axis : axes)
                    if (!widest.isValid() || nest.axes[axis].extent > nest.axes[widest].extent)
                        widest = axis;
                if (!widest.isValid())
                    continue;
                if (const auto d = dimensionOf(store.map, widest)) {
                    m_computed.insert({block, store.tensor});
                    return withInnermost(rank, *d);
                }
            }
        }
        // Takes the order of the largest non-constant tensor that it reads.
        std::int64_t most = 0;
        Order order = rowMajor(rank);
        for (const NestRead &read : nest.reads) {
            const BlockTensor &from = tensorOf(block, read.tensor);
            const Order theirs = orderOf(block, read.tensor);
            if (from.role == BlockTensor::Role::Constant || from.elements() <= most ||
                theirs.empty())
                continue;
            most = from.elements();
            order = rowMajor(rank);
            if (isRowMajor(theirs) && !m_computed.contains({block, read.tensor}))
                continue;
            const IndexForm &innermost = read.map[theirs.back()];
            innermost.forEachVariable([&](AxisIndex axis) {
                if (!nest.axes[axis].reduces)
                    if (const auto d = dimensionOf(store.map, axis))
                        order = withInnermost(rank, *d);
            });
        }
        return order;
    }

    struct MarginWish {
        Margins margins;
        double value = 0;
    };

    void addMargins(BlockIndex block, const Nest &nest, const NestRead &read)
    {
        const BlockTensor &tensor = tensorOf(block, read.tensor);
        if (!read.guarded || tensor.role == BlockTensor::Role::Constant ||
            !isOfLanes(tensor.type) || tensor.elements() == 0 || isFixed(tensor))
            return; // nobody writes the margins of an empty tensor
        const AxisExtents extents = nest.extents();
        MarginWish &wish = tensor.role == BlockTensor::Role::Scratch
                               ? m_ownMargins[{block, read.tensor}]
                               : m_margins[tensor.id];
        if (wish.margins.empty()) {
            wish.margins.resize(tensor.extents.size());
            wish.value = read.outsideValue;
        }
        // Reads with another value outside keep their border tests.
        if (wish.value != read.outsideValue)
            return;
        double elements = 1;
        Margins grown = wish.margins;
        for (std::size_t d = 0; d < read.map.size(); ++d) {
            const Bounds bounds = read.map[d].bounds(extents);
            grown[d].first = std::max(grown[d].first, -bounds.least);
            grown[d].second = std::max(grown[d].second, bounds.most - (tensor.extents[d] - 1));
            elements *= double(tensor.extents[d] + grown[d].first + grown[d].second);
        }
        if (elements <= double(tensor.elements()) * (1 + largestMargins) || elements < 65536)
            wish.margins = grown;
    }

    Storage storageOf(BlockIndex block, BlockTensorIndex tensor) const
    {
        const BlockTensor &of = tensorOf(block, tensor);
        const auto dense = [&](const MarginWish *wish) {
            const bool any = wish && std::ranges::any_of(wish->margins, [](const auto &margin) {
                                 return margin.first > 0 || margin.second > 0;
                             });
            return Storage::dense(of.extents, orderOf(block, tensor),
                                  any ? wish->margins : Margins(), any ? wish->value : 0);
        };
        if (of.role == BlockTensor::Role::Constant)
            return Storage::rowMajor(of.extents);
        if (of.role == BlockTensor::Role::Scratch) {
            const auto wish = m_ownMargins.find({block, tensor});
            return dense(wish == m_ownMargins.end() ? nullptr : &wish->second);
        }
        const auto wish = m_margins.find(of.id);
        return dense(wish == m_margins.end() ? nullptr : &wish->second);
    }

    PlanStorages storages()
    {
        PlanStorages result;
        result.blocks.resize(m_blocks.size());
        for (const BlockIndex block : m_blocks.indices()) {
            if (!m_blocks[block])
                continue;
            BlockStorages &own = result.blocks[block];
            for (const BlockTensorIndex number : m_blocks[block]->tensors.indices()) {
                own.push_back(storageOf(block, number));
                const BlockTensor &tensor = tensorOf(block, number);
                if (tensor.role != BlockTensor::Role::Constant && tensor.id.valid())
                    result.tensors[tensor.id] = own.back();
            }
        }
        return result;
    }

public:
    /// Sets the tensors that interpreted blocks read or write: they are row-major, as in ONNX.
    void setInterpreted(std::set<TensorId> tensors) { m_interpreted = std::move(tensors); }

private:
    const Graph &m_graph;
    const PlanNests &m_blocks;
    const std::map<TensorId, Layout> &m_layouts;
    std::set<TensorId> m_interpreted;
    std::map<TensorId, Order> m_shared; // of tensors between blocks
    /// Tensors that a contraction of the block writes: readers take their order, even row-major.
    std::set<Place> m_computed;
    ScratchOrders m_orders;
    std::map<TensorId, Order> m_wishes; // of readers
    ScratchOrders m_ownWishes;
    std::map<TensorId, MarginWish> m_margins;
    std::map<Place, MarginWish> m_ownMargins;
};

} // namespace

PlanStorages storagesOf(const Graph &graph, const PlanNests &blocks,
                        const std::set<TensorId> &interpreted,
                        const std::map<TensorId, Layout> &layouts)
{
    Assignment assignment(graph, blocks, layouts);
    assignment.setInterpreted(interpreted);
    PlanStorages storages = assignment.run();
    placeParts(graph, blocks, interpreted, storages);
    return storages;
}

} // namespace graphloom

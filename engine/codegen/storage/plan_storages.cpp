// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/storage/plan_storages.h"

#include "engine/codegen/index/expr_edit.h"
#include "engine/codegen/nests/contraction.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace graphloom {

namespace {

using Order = std::vector<int>;
using Margins = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Margins larger than this part of their tensor are not worth their memory.
constexpr double largestMargins = 1.0;

Order rowMajor(std::size_t rank)
{
    Order order(rank);
    std::iota(order.begin(), order.end(), 0);
    return order;
}

bool isRowMajor(const Order &order)
{
    return std::ranges::is_sorted(order);
}

/// The dimension along which neighbours of an axis are neighbours; -1: none.
int dimensionOf(const std::vector<IndexForm> &map, int axis)
{
    for (int d = 0; d < int(map.size()); ++d)
        for (const auto &[atom, coefficient] : map[std::size_t(d)].terms()) {
            const bool direct = atom->kind == IndexForm::Kind::Variable && atom->number == axis;
            const bool digit =
                atom->kind == IndexForm::Kind::Remainder && atom->argument.asVariable() == axis;
            if (coefficient == 1 && (direct || digit))
                return d;
        }
    return -1;
}

Order withInnermost(std::size_t rank, int dimension)
{
    Order order = rowMajor(rank);
    order.erase(order.begin() + dimension);
    order.push_back(dimension);
    return order;
}

class Assignment {
public:
    Assignment(const Graph &graph, const std::vector<std::optional<BlockNests>> &blocks,
               const std::map<TensorId, Layout> &layouts)
        : m_graph(graph), m_blocks(blocks), m_layouts(layouts)
    {
        m_orders.resize(blocks.size());
        m_ownWishes.resize(blocks.size());
        for (std::size_t b = 0; b < blocks.size(); ++b)
            if (blocks[b])
                for (auto *orders : {&m_orders, &m_ownWishes})
                    (*orders)[b].resize(blocks[b]->tensors.size());
    }

    PlanStorages run()
    {
        for (std::size_t b = 0; b < m_blocks.size(); ++b)
            if (m_blocks[b])
                for (const Nest &nest : m_blocks[b]->nests)
                    addWish(b, nest);
        for (std::size_t b = 0; b < m_blocks.size(); ++b)
            if (m_blocks[b])
                for (const Nest &nest : m_blocks[b]->nests)
                    chooseOrders(b, nest);
        for (std::size_t b = 0; b < m_blocks.size(); ++b)
            if (m_blocks[b])
                for (const Nest &nest : m_blocks[b]->nests)
                    for (const NestRead &read : nest.reads)
                        addMargins(b, nest, read);
        return storages();
    }

private:
    const BlockTensor &tensorOf(std::size_t block, int tensor) const
    {
        return m_blocks[block]->tensors[std::size_t(tensor)];
    }

    bool isFixed(const BlockTensor &tensor) const
    {
        return tensor.role == BlockTensor::Role::Constant ||
               (tensor.id.valid() && (m_graph.isOutput(tensor.id) || m_graph.isInput(tensor.id) ||
                                      m_interpreted.contains(tensor.id)));
    }

    Order orderOf(std::size_t block, int tensor) const
    {
        const BlockTensor &of = tensorOf(block, tensor);
        if (!isFixed(of)) {
            if (of.role == BlockTensor::Role::Scratch) {
                if (const Order &known = m_orders[block][std::size_t(tensor)]; !known.empty())
                    return known;
            } else if (const auto known = m_shared.find(of.id); known != m_shared.end()) {
                return known->second;
            }
        }
        return rowMajor(of.extents.size());
    }

    Order &orderSlot(std::map<TensorId, Order> &shared, std::vector<std::vector<Order>> &own,
                     std::size_t block, int tensor)
    {
        const BlockTensor &of = tensorOf(block, tensor);
        return of.role == BlockTensor::Role::Scratch ? own[block][std::size_t(tensor)]
                                                     : shared[of.id];
    }

    /// A product of two computed tensors has its lanes along the last dimension of its result: the
    /// operand that runs along it is wanted with that dimension innermost.
    void addWish(std::size_t block, const Nest &nest)
    {
        const auto contraction = contractionOf(nest);
        const std::vector<IndexForm> &store = nest.stores.front().map;
        if (!contraction || store.empty())
            return;
        const auto lane = store.back().asVariable();
        if (!lane)
            return;
        for (const int read : {contraction->a, contraction->b})
            if (tensorOf(block, nest.reads[std::size_t(read)].tensor).role ==
                BlockTensor::Role::Constant)
                return;
        for (const bool first : {true, false}) {
            if (!std::ranges::count(first ? contraction->onlyA : contraction->onlyB, *lane))
                continue;
            const NestRead &read = nest.reads[std::size_t(first ? contraction->a : contraction->b)];
            const int d = dimensionOf(read.map, *lane);
            Order &wish = orderSlot(m_wishes, m_ownWishes, block, read.tensor);
            if (d >= 0 && wish.empty())
                wish = withInnermost(read.map.size(), d);
        }
    }

    void chooseOrders(std::size_t block, const Nest &nest)
    {
        for (const NestStore &store : nest.stores) {
            const BlockTensor &tensor = tensorOf(block, store.tensor);
            if (isFixed(tensor) || tensor.extents.size() < 3)
                continue;
            Order &order = orderSlot(m_shared, m_orders, block, store.tensor);
            if (!order.empty())
                continue; // parts of one tensor: as the first one wants it
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

    Order preferred(std::size_t block, const Nest &nest, const NestStore &store)
    {
        const std::size_t rank = store.map.size();
        if (const auto contraction = contractionOf(nest)) {
            for (const bool first : {true, false}) {
                const int read = first ? contraction->a : contraction->b;
                const auto &axes = first ? contraction->onlyA : contraction->onlyB;
                const int tensor = nest.reads[std::size_t(read)].tensor;
                if (tensorOf(block, tensor).role != BlockTensor::Role::Constant)
                    continue;
                int widest = -1;
                for (const int axis : axes)
                    if (widest < 0 ||
                        nest.axes[std::size_t(axis)].extent > nest.axes[std::size_t(widest)].extent)
                        widest = axis;
                if (widest < 0)
                    continue;
                if (const int d = dimensionOf(store.map, widest); d >= 0) {
                    m_computed.insert({block, store.tensor});
                    return withInnermost(rank, d);
                }
            }
        }
        // The order of the largest thing that it reads, and that has another than row-major.
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
            const IndexForm &innermost = read.map[std::size_t(theirs.back())];
            innermost.forEachVariable([&](int axis) {
                if (!nest.axes[std::size_t(axis)].reduces)
                    if (const int d = dimensionOf(store.map, axis); d >= 0)
                        order = withInnermost(rank, d);
            });
        }
        return order;
    }

    struct MarginWish {
        Margins margins;
        double value = 0;
    };

    void addMargins(std::size_t block, const Nest &nest, const NestRead &read)
    {
        const BlockTensor &tensor = tensorOf(block, read.tensor);
        if (!read.guarded || tensor.role == BlockTensor::Role::Constant ||
            tensor.type != DataType::Float || tensor.elements() == 0 || isFixed(tensor))
            return; // what is empty nobody writes, nor its margins
        const std::vector<std::int64_t> extents = nest.extents();
        MarginWish &wish = tensor.role == BlockTensor::Role::Scratch
                               ? m_ownMargins[{block, read.tensor}]
                               : m_margins[tensor.id];
        if (wish.margins.empty()) {
            wish.margins.resize(tensor.extents.size());
            wish.value = read.outsideValue;
        }
        // A second value keeps its conditions.
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

    Storage storageOf(std::size_t block, int tensor) const
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
        for (std::size_t b = 0; b < m_blocks.size(); ++b) {
            if (!m_blocks[b])
                continue;
            for (int t = 0; t < int(m_blocks[b]->tensors.size()); ++t) {
                result.blocks[b].push_back(storageOf(b, t));
                const BlockTensor &tensor = tensorOf(b, t);
                if (tensor.role != BlockTensor::Role::Constant && tensor.id.valid())
                    result.tensors[tensor.id] = result.blocks[b].back();
            }
        }
        return result;
    }

public:
    /// Tensors that an interpreted block reads or writes are as ONNX has them.
    void setInterpreted(std::set<TensorId> tensors) { m_interpreted = std::move(tensors); }

private:
    const Graph &m_graph;
    const std::vector<std::optional<BlockNests>> &m_blocks;
    const std::map<TensorId, Layout> &m_layouts;
    std::set<TensorId> m_interpreted;
    std::map<TensorId, Order> m_shared; // of tensors between blocks
    /// What a contraction of the same block writes, by block and tensor: its order is wanted, be it
    /// row-major.
    std::set<std::pair<std::size_t, int>> m_computed;
    std::vector<std::vector<Order>> m_orders; // of scratch, by block and tensor
    std::map<TensorId, Order> m_wishes;       // of readers
    std::vector<std::vector<Order>> m_ownWishes;
    std::map<TensorId, MarginWish> m_margins;
    std::map<std::pair<std::size_t, int>, MarginWish> m_ownMargins;
};

} // namespace

PlanStorages storagesOf(const Graph &graph, const std::vector<std::optional<BlockNests>> &blocks,
                        const std::set<TensorId> &interpreted,
                        const std::map<TensorId, Layout> &layouts)
{
    Assignment assignment(graph, blocks, layouts);
    assignment.setInterpreted(interpreted);
    return assignment.run();
}

} // namespace graphloom

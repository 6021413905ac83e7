// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/algorithms/winograd.h"

#include "engine/base/integer_division.h"
#include "engine/codegen/algorithms/winograd_transform.h"
#include "engine/codegen/index/expr_edit.h"

#include <array>
#include <cassert>
#include <map>

namespace graphloom {

namespace {

/// Builds the three nests.
class Winograd {
public:
    Winograd(const BlockNests &block, int nest, int m)
        : m_block(block), m_nest(block.nests[std::size_t(nest)]), m_number(nest), m_m(m),
          m_side(m + 2), m_parts(*winogradConvolutionOf(m_nest, block.tensors)),
          m_transforms(winogradTransforms(m))
    {
        for (std::size_t k = 0; k < 2; ++k)
            m_tiles[k] = ceilDiv(extentOf(m_parts.position[k]), m);
    }

    BlockNests run()
    {
        const std::int64_t positions = m_side * m_side;
        const std::int64_t inputs = extentOf(m_parts.inputs), outputs = extentOf(m_parts.outputs);
        const BlockTensor weights = tensorOf(m_parts.w);
        std::vector<std::int64_t> shape{positions};
        for (const int axis : m_parts.batch)
            shape.push_back(extentOf(axis));
        shape.insert(shape.end(), m_tiles.begin(), m_tiles.end());
        shape.push_back(inputs);
        m_v = addTensor("tiles of " + tensorOf(m_parts.x).name, shape);
        m_u = addTensor(weights.name + " transformed", {positions, outputs, inputs});
        BlockTensor &u = m_block.tensors[std::size_t(m_u)];
        u.role = BlockTensor::Role::Constant;
        u.constant = weights.constant;
        u.derive = [nest = m_nest, parts = m_parts, weights, m = m_m] {
            return transformedWeights(nest, parts, weights, m);
        };
        shape.back() = outputs;
        m_products = addTensor(m_nest.name + " tiles", shape);
        const std::vector<Nest> made{inputNest(), productNest(), outputNest()};
        auto at = m_block.nests.erase(m_block.nests.begin() + m_number);
        m_block.nests.insert(at, made.begin(), made.end());
        return std::move(m_block);
    }

private:
    std::int64_t extentOf(int axis) const { return m_nest.axes[std::size_t(axis)].extent; }
    const BlockTensor &tensorOf(int read) const
    {
        return m_block.tensors[std::size_t(m_nest.reads[std::size_t(read)].tensor)];
    }

    int addTensor(std::string name, std::vector<std::int64_t> extents)
    {
        m_block.tensors.push_back({BlockTensor::Role::Scratch,
                                   {},
                                   std::move(name),
                                   DataType::Float,
                                   std::move(extents),
                                   nullptr});
        return int(m_block.tensors.size()) - 1;
    }

    /// Axes over batches, tiles and channels; m_of[axis of the convolution] are they, seen from
    /// there, at place (i, j) of a tile.
    Nest tileNest(int channels, const std::string &what)
    {
        Nest nest;
        nest.name = m_nest.name + " " + what;
        nest.nodes = m_nest.nodes;
        m_of.assign(m_nest.axes.size(), IndexForm(0));
        m_tile.clear();
        for (const int axis : m_parts.batch) {
            m_of[std::size_t(axis)] =
                extentOf(axis) == 1 ? IndexForm(0) : IndexForm::variable(int(nest.axes.size()));
            m_tile.push_back(m_of[std::size_t(axis)]);
            nest.axes.push_back(m_nest.axes[std::size_t(axis)]);
        }
        for (std::size_t k = 0; k < 2; ++k) {
            m_position[k] =
                m_tiles[k] == 1 ? IndexForm(0) : IndexForm::variable(int(nest.axes.size()));
            m_tile.push_back(m_position[k]);
            const NestAxis &axis = m_nest.axes[std::size_t(m_parts.position[k])];
            nest.axes.push_back({"t" + axis.name, m_tiles[k], false});
        }
        m_of[std::size_t(channels)] = IndexForm::variable(int(nest.axes.size()));
        nest.axes.push_back({m_nest.axes[std::size_t(channels)].name, extentOf(channels), false});
        return nest;
    }

    /// A read or store of the convolution at place (i, j) of a tile; says whether it may leave the
    /// tensor.
    std::vector<IndexForm> at(const std::vector<IndexForm> &map, int i, int j, const Nest &in,
                              const BlockTensor &tensor, bool &leaves)
    {
        const std::vector<std::int64_t> extents = in.extents();
        std::vector<IndexForm> result;
        for (std::size_t d = 0; d < map.size(); ++d) {
            result.push_back(map[d].substituted(
                [&](int axis) -> std::optional<IndexForm> {
                    for (std::size_t k = 0; k < 2; ++k)
                        if (axis == m_parts.position[k])
                            return m_position[k] * m_m + IndexForm(k == 0 ? i : j);
                    return m_of[std::size_t(axis)];
                },
                extents));
            const Bounds bounds = result.back().bounds(extents);
            leaves = leaves || bounds.least < 0 || bounds.most >= tensor.extents[d];
        }
        return result;
    }

    Nest inputNest()
    {
        Nest nest = tileNest(m_parts.inputs, "tiles in");
        const NestRead &x = m_nest.reads[std::size_t(m_parts.x)];
        std::vector<Expr> tile;
        for (int i = 0; i < m_side; ++i)
            for (int j = 0; j < m_side; ++j) {
                NestRead read;
                read.tensor = x.tensor;
                read.map = at(x.map, i, j, nest, tensorOf(m_parts.x), read.guarded);
                tile.push_back(Expr::load(int(nest.reads.size()), DataType::Float));
                nest.reads.push_back(std::move(read));
            }
        const std::vector<Expr> values = transformedTile(m_transforms.input, tile);
        for (std::size_t p = 0; p < values.size(); ++p)
            nest.stores.push_back({m_v, tileElement(int(p), m_parts.inputs), values[p]});
        return nest;
    }

    std::vector<IndexForm> tileElement(int position, int channels) const
    {
        std::vector<IndexForm> element{IndexForm(position)};
        element.insert(element.end(), m_tile.begin(), m_tile.end());
        element.push_back(m_of[std::size_t(channels)]);
        return element;
    }

    Nest productNest()
    {
        Nest nest;
        nest.name = m_nest.name + " products";
        nest.nodes = m_nest.nodes;
        nest.axes = {{"p", m_side * m_side, false}};
        for (const int axis : m_parts.batch)
            nest.axes.push_back(m_nest.axes[std::size_t(axis)]);
        for (std::size_t k = 0; k < 2; ++k)
            nest.axes.push_back(
                {"t" + m_nest.axes[std::size_t(m_parts.position[k])].name, m_tiles[k], false});
        const int outputs = int(nest.axes.size()), inputs = outputs + 1;
        nest.axes.push_back(m_nest.axes[std::size_t(m_parts.outputs)]);
        nest.axes.push_back(
            {m_nest.axes[std::size_t(m_parts.inputs)].name, extentOf(m_parts.inputs), true});
        std::vector<IndexForm> tile;
        for (int axis = 0; axis < outputs; ++axis)
            tile.push_back(nest.axes[std::size_t(axis)].extent == 1 ? IndexForm(0)
                                                                    : IndexForm::variable(axis));
        std::vector<IndexForm> in = tile, out = tile;
        in.push_back(IndexForm::variable(inputs));
        out.push_back(IndexForm::variable(outputs));
        nest.reads = {
            {m_v, in, false, 0},
            {m_u, {tile[0], IndexForm::variable(outputs), IndexForm::variable(inputs)}, false, 0}};
        nest.combine = Combine::Sum;
        nest.accumulator = DataType::Float;
        nest.body = Expr::load(0, DataType::Float) * Expr::load(1, DataType::Float);
        nest.stores = {{m_products, out, Expr::accumulator(DataType::Float)}};
        return nest;
    }

    Nest outputNest()
    {
        Nest nest = tileNest(m_parts.outputs, "tiles out");
        std::vector<Expr> tile;
        for (int p = 0; p < m_side * m_side; ++p) {
            tile.push_back(Expr::load(int(nest.reads.size()), DataType::Float));
            nest.reads.push_back({m_products, tileElement(p, m_parts.outputs), false, 0});
        }
        const std::vector<Expr> sums = transformedTile(m_transforms.output, tile);
        for (int i = 0; i < m_m; ++i)
            for (int j = 0; j < m_m; ++j)
                for (const NestStore &store : m_nest.stores)
                    nest.stores.push_back(
                        storeAt(store, i, j, sums[std::size_t(i * m_m + j)], nest));
        return nest;
    }

    NestStore storeAt(const NestStore &store, int i, int j, const Expr &sum, Nest &nest)
    {
        NestStore moved;
        moved.tensor = store.tensor;
        moved.map =
            at(store.map, i, j, nest, m_block.tensors[std::size_t(store.tensor)], moved.guarded);
        std::map<int, int> reads;
        moved.value = rewritten(store.value, [&](const Expr::Node &leaf) -> Expr {
            if (leaf.fn == Fn::Accumulator)
                return sum;
            if (leaf.fn == Fn::Axis) {
                for (std::size_t k = 0; k < 2; ++k)
                    if (leaf.index == m_parts.position[k])
                        return exprOf(m_position[k] * m_m + IndexForm(k == 0 ? i : j));
                return exprOf(m_of[std::size_t(leaf.index)]);
            }
            if (leaf.fn != Fn::Load && leaf.fn != Fn::Inside)
                return {};
            const auto [number, isNew] = reads.try_emplace(leaf.index, int(nest.reads.size()));
            if (isNew) {
                NestRead read = m_nest.reads[std::size_t(leaf.index)];
                read.map = at(read.map, i, j, nest, m_block.tensors[std::size_t(read.tensor)],
                              read.guarded);
                nest.reads.push_back(std::move(read));
            }
            return leaf.fn == Fn::Load ? Expr::load(number->second, leaf.type)
                                       : Expr::inside(number->second);
        });
        return moved;
    }

    BlockNests m_block;
    const Nest m_nest;
    int m_number;
    int m_m, m_side;
    WinogradConvolution m_parts;
    WinogradTransforms m_transforms;
    std::array<std::int64_t, 2> m_tiles{};
    int m_v = 0, m_u = 0, m_products = 0;
    // Of the nest of tiles that is being built:
    std::vector<IndexForm> m_of;
    std::array<IndexForm, 2> m_position;
    std::vector<IndexForm> m_tile; // batches and tiles, as the tensors of tiles have them
};

} // namespace

bool isWinogradCandidate(const Nest &nest, const std::vector<BlockTensor> &tensors)
{
    return winogradConvolutionOf(nest, tensors).has_value();
}

BlockNests withWinograd(const BlockNests &block, int nest, int m)
{
    assert(m == 2 || m == 4);
    return Winograd(block, nest, m).run();
}

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/algorithms/winograd.h"

#include "engine/base/integer_division.h"
#include "engine/codegen/algorithms/winograd_transform.h"
#include "engine/codegen/index/expr_edit.h"
#include "engine/ops/describe/stage.h"

#include <array>
#include <cassert>
#include <map>

namespace graphloom {

namespace {

/// Builds the three nests that replace a convolution.
class Winograd {
public:
    Winograd(const BlockNests &block, NestIndex nest, int m)
        : m_block(block), m_nest(block.nests[nest]), m_number(nest), m_m(m), m_side(m + 2),
          m_parts(*winogradConvolutionOf(m_nest, block.tensors)),
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
        for (const AxisIndex axis : m_parts.batch)
            shape.push_back(extentOf(axis));
        shape.insert(shape.end(), m_tiles.begin(), m_tiles.end());
        shape.push_back(inputs);
        m_v = addTensor("tiles of " + tensorOf(m_parts.x).name, shape);
        m_u = addTensor(weights.name + " transformed", {positions, outputs, inputs});
        BlockTensor &u = m_block.tensors[m_u];
        u.role = BlockTensor::Role::Constant;
        u.constant = weights.constant;
        u.derive = [nest = m_nest, parts = m_parts, weights, m = m_m] {
            return transformedWeights(nest, parts, weights, m);
        };
        shape.back() = outputs;
        m_products = addTensor(m_nest.name + " tiles", shape);
        const std::vector<Nest> made{inputNest(), productNest(), outputNest()};
        std::vector<Nest> &nests = m_block.nests.elements();
        const auto at = nests.erase(nests.begin() + m_number.number());
        nests.insert(at, made.begin(), made.end());
        return std::move(m_block);
    }

private:
    std::int64_t extentOf(AxisIndex axis) const { return m_nest.axes[axis].extent; }
    const BlockTensor &tensorOf(ReadIndex read) const
    {
        return m_block.tensors[m_nest.reads[read].tensor];
    }

    BlockTensorIndex addTensor(std::string name, std::vector<std::int64_t> extents)
    {
        return m_block.tensors.append({BlockTensor::Role::Scratch,
                                       {},
                                       std::move(name),
                                       DataType::Float,
                                       std::move(extents),
                                       nullptr});
    }

    /// Returns a nest over batches, tiles and channels; m_of then holds the convolution's axes as
    /// forms over its axes, and m_position the tiles.
    Nest tileNest(AxisIndex channels, const std::string &what)
    {
        Nest nest;
        nest.name = m_nest.name + " " + what;
        nest.nodes = m_nest.nodes;
        m_of.assign(m_nest.axes.size(), IndexForm(0));
        m_tile.clear();
        for (const AxisIndex axis : m_parts.batch) {
            m_of[axis] =
                extentOf(axis) == 1 ? IndexForm(0) : IndexForm::variable(nest.axes.nextIndex());
            m_tile.push_back(m_of[axis]);
            nest.axes.push_back(m_nest.axes[axis]);
        }
        for (std::size_t k = 0; k < 2; ++k) {
            m_position[k] =
                m_tiles[k] == 1 ? IndexForm(0) : IndexForm::variable(nest.axes.nextIndex());
            m_tile.push_back(m_position[k]);
            const NestAxis &axis = m_nest.axes[m_parts.position[k]];
            nest.axes.push_back({"t" + axis.name, m_tiles[k], false});
        }
        m_of[channels] = IndexForm::variable(nest.axes.nextIndex());
        nest.axes.push_back({m_nest.axes[channels].name, extentOf(channels), false});
        return nest;
    }

    /// Returns a read or store of the convolution at position (i, j) of a tile; sets `leaves` if it
    /// may leave the tensor.
    std::vector<IndexForm> at(const std::vector<IndexForm> &map, int i, int j, const Nest &in,
                              const BlockTensor &tensor, bool &leaves)
    {
        const AxisExtents extents = in.extents();
        std::vector<IndexForm> result;
        for (std::size_t d = 0; d < map.size(); ++d) {
            result.push_back(map[d].substituted(
                [&](AxisIndex axis) -> std::optional<IndexForm> {
                    for (std::size_t k = 0; k < 2; ++k)
                        if (axis == m_parts.position[k])
                            return m_position[k] * m_m + IndexForm(k == 0 ? i : j);
                    return m_of[axis];
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
        const NestRead &x = m_nest.reads[m_parts.x];
        std::vector<Expr> tile;
        for (int i = 0; i < m_side; ++i)
            for (int j = 0; j < m_side; ++j) {
                NestRead read;
                read.tensor = x.tensor;
                read.map = at(x.map, i, j, nest, tensorOf(m_parts.x), read.guarded);
                tile.push_back(loadOf(nest.reads.append(std::move(read)), DataType::Float));
            }
        TransformedTile values = transformedTile(m_transforms.input, tile);
        nest.first = std::move(values.columns);
        for (std::size_t p = 0; p < values.elements.size(); ++p)
            nest.stores.push_back({m_v, tileElement(int(p), m_parts.inputs), values.elements[p]});
        return nest;
    }

    std::vector<IndexForm> tileElement(int position, AxisIndex channels) const
    {
        std::vector<IndexForm> element{IndexForm(position)};
        element.insert(element.end(), m_tile.begin(), m_tile.end());
        element.push_back(m_of[channels]);
        return element;
    }

    Nest productNest()
    {
        Nest nest;
        nest.name = m_nest.name + " products";
        nest.nodes = m_nest.nodes;
        nest.axes = {{"p", m_side * m_side, false}};
        for (const AxisIndex axis : m_parts.batch)
            nest.axes.push_back(m_nest.axes[axis]);
        for (std::size_t k = 0; k < 2; ++k)
            nest.axes.push_back({"t" + m_nest.axes[m_parts.position[k]].name, m_tiles[k], false});
        const AxisIndex outputs = nest.axes.append(m_nest.axes[m_parts.outputs]);
        const AxisIndex inputs =
            nest.axes.append({m_nest.axes[m_parts.inputs].name, extentOf(m_parts.inputs), true});
        std::vector<IndexForm> tile;
        for (const AxisIndex axis : IndexRange(AxisIndex(0), outputs))
            tile.push_back(nest.axes[axis].extent == 1 ? IndexForm(0) : IndexForm::variable(axis));
        std::vector<IndexForm> in = tile, out = tile;
        in.push_back(IndexForm::variable(inputs));
        out.push_back(IndexForm::variable(outputs));
        nest.reads = {
            {m_v, in, false, 0},
            {m_u, {tile[0], IndexForm::variable(outputs), IndexForm::variable(inputs)}, false, 0}};
        nest.combine = Combine::Sum;
        nest.accumulator = DataType::Float;
        nest.body = loadOf(ReadIndex(0), DataType::Float) * loadOf(ReadIndex(1), DataType::Float);
        nest.stores = {{m_products, out, Expr::accumulator(DataType::Float)}};
        return nest;
    }

    Nest outputNest()
    {
        Nest nest = tileNest(m_parts.outputs, "tiles out");
        std::vector<Expr> tile;
        for (int p = 0; p < m_side * m_side; ++p) {
            const ReadIndex read =
                nest.reads.append({m_products, tileElement(p, m_parts.outputs), false, 0});
            tile.push_back(loadOf(read, DataType::Float));
        }
        TransformedTile sums = transformedTile(m_transforms.output, tile);
        nest.first = std::move(sums.columns);
        for (int i = 0; i < m_m; ++i)
            for (int j = 0; j < m_m; ++j)
                for (const NestStore &store : m_nest.stores)
                    nest.stores.push_back(
                        storeAt(store, i, j, sums.elements[std::size_t(i * m_m + j)], nest));
        return nest;
    }

    NestStore storeAt(const NestStore &store, int i, int j, const Expr &sum, Nest &nest)
    {
        NestStore moved;
        moved.tensor = store.tensor;
        moved.map = at(store.map, i, j, nest, m_block.tensors[store.tensor], moved.guarded);
        std::map<ReadIndex, ReadIndex> reads;
        moved.value = rewritten(store.value, [&](const Expr::Node &leaf) -> Expr {
            if (leaf.fn == Fn::Accumulator)
                return sum;
            if (leaf.fn == Fn::Axis) {
                for (std::size_t k = 0; k < 2; ++k)
                    if (axisIn(leaf) == m_parts.position[k])
                        return exprOf(m_position[k] * m_m + IndexForm(k == 0 ? i : j));
                return exprOf(m_of[axisIn(leaf)]);
            }
            if (leaf.fn != Fn::Load && leaf.fn != Fn::Inside)
                return {};
            const auto [known, isNew] = reads.try_emplace(readIn(leaf), nest.reads.nextIndex());
            if (isNew) {
                NestRead read = m_nest.reads[readIn(leaf)];
                read.map = at(read.map, i, j, nest, m_block.tensors[read.tensor], read.guarded);
                nest.reads.push_back(std::move(read));
            }
            return leaf.fn == Fn::Load ? loadOf(known->second, leaf.type) : insideOf(known->second);
        });
        return moved;
    }

    BlockNests m_block;
    const Nest m_nest;
    NestIndex m_number;
    int m_m, m_side;
    WinogradConvolution m_parts;
    WinogradTransforms m_transforms;
    std::array<std::int64_t, 2> m_tiles{};
    BlockTensorIndex m_v, m_u, m_products;
    // For the nest of tiles that is being built:
    AxisForms m_of;
    std::array<IndexForm, 2> m_position;
    std::vector<IndexForm> m_tile; // batches and tiles, as indices in the tensors of tiles
};

} // namespace

bool isWinogradCandidate(const Nest &nest, const BlockTensors &tensors)
{
    return winogradConvolutionOf(nest, tensors).has_value();
}

BlockNests withWinograd(const BlockNests &block, NestIndex nest, int m)
{
    assert(m == 2 || m == 4);
    return Winograd(block, nest, m).run();
}

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/winograd.h"

#include "engine/codegen/default_schedule.h"
#include "engine/codegen/expr_edit.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>

namespace graphloom {

namespace {

/// The axes and reads of such a convolution.
struct Parts {
    int x = 0, w = 0;            // reads
    int outputs = 0, inputs = 0; // axes of channels
    std::array<int, 2> position{}, window{};
    std::array<int, 2> dimension{}; // of x, that a window slides along
    std::array<int, 2> weight{};    // dimension of w
    std::vector<int> batch;         // further axes of x and the result
};

std::optional<Parts> partsOf(const Nest &nest, const std::vector<BlockTensor> &tensors)
{
    const auto contraction = contractionOf(nest);
    if (!contraction || !contraction->both.empty() || contraction->onlyB.size() > 1 + 4)
        return std::nullopt;
    Parts parts;
    const auto isWeights = [&](int read) {
        const BlockTensor &tensor = tensors[std::size_t(nest.reads[std::size_t(read)].tensor)];
        return tensor.role == BlockTensor::Role::Constant && tensor.type == DataType::Float;
    };
    parts.x = contraction->a;
    parts.w = contraction->b;
    if (!isWeights(parts.w))
        std::swap(parts.x, parts.w);
    if (!isWeights(parts.w) || isWeights(parts.x))
        return std::nullopt;
    const NestRead &x = nest.reads[std::size_t(parts.x)], &w = nest.reads[std::size_t(parts.w)];
    if (x.map.size() != 4 || w.map.size() != 4 || w.guarded || x.outsideValue != 0)
        return std::nullopt;
    std::vector<bool> used(nest.axes.size(), false);
    int found = 0;
    int inputDimension = -1;
    for (int d = 0; d < 4; ++d) {
        const IndexForm &form = x.map[std::size_t(d)];
        if (!form.isAffine())
            return std::nullopt;
        int space = -1, window = -1;
        for (const auto &[atom, coefficient] : form.terms()) {
            if (coefficient != 1)
                return std::nullopt;
            (nest.axes[std::size_t(atom->number)].reduces ? window : space) = atom->number;
        }
        if (form.terms().size() == 2 && space >= 0 && window >= 0 && found < 2 &&
            nest.axes[std::size_t(window)].extent == 3) {
            parts.position[std::size_t(found)] = space;
            parts.window[std::size_t(found)] = window;
            parts.dimension[std::size_t(found)] = d;
            ++found;
        } else if (form.terms().size() == 1 && window >= 0 && form.offset() == 0) {
            parts.inputs = window;
            inputDimension = d;
        } else if (form.terms().size() > 1 || window >= 0) {
            return std::nullopt;
        } else if (space >= 0) {
            parts.batch.push_back(space);
        }
    }
    if (found != 2 || inputDimension < 0)
        return std::nullopt;
    parts.outputs = -1;
    for (int d = 0; d < 4; ++d) {
        const auto axis = w.map[std::size_t(d)].asVariable();
        if (!axis)
            return std::nullopt;
        if (*axis == parts.window[0])
            parts.weight[0] = d;
        else if (*axis == parts.window[1])
            parts.weight[1] = d;
        else if (*axis != parts.inputs && !nest.axes[std::size_t(*axis)].reduces)
            parts.outputs = *axis;
        else if (*axis != parts.inputs)
            return std::nullopt;
    }
    if (parts.outputs < 0)
        return std::nullopt;
    for (int axis = 0; axis < int(nest.axes.size()); ++axis) {
        const bool known = axis == parts.outputs || axis == parts.inputs ||
                           std::ranges::count(parts.position, axis) ||
                           std::ranges::count(parts.window, axis) ||
                           std::ranges::count(parts.batch, axis);
        if (!known && nest.axes[std::size_t(axis)].extent != 1)
            return std::nullopt;
    }
    return parts;
}

using Matrix = std::vector<std::vector<double>>;

struct Transforms {
    Matrix input, weights, output; // B^T, G, A^T
};

Transforms transformsOf(int m)
{
    if (m == 2)
        return {{{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}},
                {{1, 0, 0}, {.5, .5, .5}, {.5, -.5, .5}, {0, 0, 1}},
                {{1, 1, 1, 0}, {0, 1, -1, -1}}};
    return {{{4, 0, -5, 0, 1, 0},
             {0, -4, -4, 1, 1, 0},
             {0, 4, -4, -1, 1, 0},
             {0, -2, -1, 2, 1, 0},
             {0, 2, -1, -2, 1, 0},
             {0, 4, 0, -5, 0, 1}},
            {{1. / 4, 0, 0},
             {-1. / 6, -1. / 6, -1. / 6},
             {-1. / 6, 1. / 6, -1. / 6},
             {1. / 24, 1. / 12, 1. / 6},
             {1. / 24, -1. / 12, 1. / 6},
             {0, 0, 1}},
            {{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}}};
}

Expr scaled(const Expr &value, double factor)
{
    return factor == 1 ? value : value * Expr::real(factor, DataType::Float);
}

/// sum of factors[k] * values[k]; empty where all factors are 0.
Expr combination(const std::vector<double> &factors, const std::vector<Expr> &values)
{
    Expr sum;
    for (const bool positive : {true, false}) // so that the sum need not begin with a negation
        for (std::size_t k = 0; k < factors.size(); ++k) {
            if (factors[k] == 0 || (factors[k] > 0) != positive)
                continue;
            if (sum.empty())
                sum = positive ? scaled(values[k], factors[k])
                               : values[k] * Expr::real(factors[k], DataType::Float);
            else
                sum = positive ? sum + scaled(values[k], factors[k])
                               : sum - scaled(values[k], -factors[k]);
        }
    return sum;
}

/// matrix * values. Two rows that agree but for signs share an even and an odd part, two columns
/// that do a sum and a difference.
std::vector<Expr> product(const Matrix &matrix, std::vector<Expr> values)
{
    Matrix rest = matrix;
    const std::size_t columns = values.size();
    for (std::size_t a = 0; a < columns; ++a)
        for (std::size_t b = a + 1; b < columns; ++b) {
            const auto agree = [&](const std::vector<double> &row) {
                return std::abs(row[a]) == std::abs(row[b]) && row[a] >= 0;
            };
            const auto uses = std::ranges::count_if(
                rest, [&](const std::vector<double> &row) { return row[a] != 0 && row[b] != 0; });
            if (uses < 3 || !std::ranges::all_of(rest, agree))
                continue;
            const Expr sum = values[a] + values[b], difference = values[a] - values[b];
            for (std::vector<double> &row : rest) {
                const bool even = row[a] == row[b];
                row.push_back(even ? row[a] : 0);
                row.push_back(even ? 0 : row[a]);
                row[a] = row[b] = 0;
            }
            values.push_back(sum);
            values.push_back(difference);
        }
    std::vector<Expr> results(rest.size());
    for (std::size_t i = 0; i < rest.size(); ++i) {
        if (!results[i].empty())
            continue;
        for (std::size_t j = i + 1; j < rest.size(); ++j) {
            std::vector<double> even(values.size(), 0), odd(values.size(), 0);
            bool pairs = true;
            for (std::size_t k = 0; k < values.size(); ++k) {
                if (rest[i][k] == rest[j][k])
                    even[k] = rest[i][k];
                else if (rest[i][k] == -rest[j][k])
                    odd[k] = rest[i][k];
                else
                    pairs = false;
            }
            const Expr e = pairs ? combination(even, values) : Expr();
            const Expr o = pairs ? combination(odd, values) : Expr();
            if (e.empty() || o.empty())
                continue;
            results[i] = e + o;
            results[j] = e - o;
            break;
        }
        if (results[i].empty())
            results[i] = combination(rest[i], values);
    }
    return results;
}

/// matrix * tile * transposed matrix; the tile by rows.
std::vector<Expr> transformed(const Matrix &matrix, const std::vector<Expr> &tile)
{
    const std::size_t from = matrix.front().size(), to = matrix.size();
    std::vector<std::vector<Expr>> columns(from); // by column of the tile: `to` rows
    for (std::size_t c = 0; c < from; ++c) {
        std::vector<Expr> column;
        for (std::size_t r = 0; r < from; ++r)
            column.push_back(tile[r * from + c]);
        columns[c] = product(matrix, std::move(column));
    }
    std::vector<Expr> result;
    for (std::size_t r = 0; r < to; ++r) {
        std::vector<Expr> row;
        for (std::size_t c = 0; c < from; ++c)
            row.push_back(columns[c][r]);
        std::ranges::move(product(matrix, std::move(row)), std::back_inserter(result));
    }
    return result;
}

/// G w G^T of each 3 x 3 window, as [position][output][input].
TensorData transformedWeights(const Nest &nest, const Parts &parts, const BlockTensor &weights,
                              int m)
{
    const Matrix g = transformsOf(m).weights;
    const std::int64_t outputs = nest.axes[std::size_t(parts.outputs)].extent;
    const std::int64_t inputs = nest.axes[std::size_t(parts.inputs)].extent;
    const int side = m + 2;
    std::vector<float> values(std::size_t(side * side * outputs * inputs));
    const NestRead &read = nest.reads[std::size_t(parts.w)];
    std::array<std::int64_t, 4> strides{}; // by axis: o, i, r, s
    std::int64_t stride = 1;
    for (std::size_t d = 4; d-- > 0;) {
        const int axis = *read.map[d].asVariable();
        strides[axis == parts.outputs     ? 0
                : axis == parts.inputs    ? 1
                : axis == parts.window[0] ? 2
                                          : 3] = stride;
        stride *= weights.extents[d];
    }
    const TensorData &data = *weights.constant;
    const auto *source = reinterpret_cast<const float *>(data.bytes().data());
    for (std::int64_t o = 0; o < outputs; ++o)
        for (std::int64_t i = 0; i < inputs; ++i) {
            std::array<std::array<double, 3>, 3> window{};
            for (int r = 0; r < 3; ++r)
                for (int s = 0; s < 3; ++s)
                    window[std::size_t(r)][std::size_t(s)] =
                        source[data.isSplat() ? 0
                                              : o * strides[0] + i * strides[1] + r * strides[2] +
                                                    s * strides[3]];
            std::array<std::array<double, 3>, 6> half{};
            for (int a = 0; a < side; ++a)
                for (std::size_t s = 0; s < 3; ++s)
                    for (std::size_t r = 0; r < 3; ++r)
                        half[std::size_t(a)][s] += g[std::size_t(a)][r] * window[r][s];
            for (int a = 0; a < side; ++a)
                for (int b = 0; b < side; ++b) {
                    double sum = 0;
                    for (std::size_t s = 0; s < 3; ++s)
                        sum += half[std::size_t(a)][s] * g[std::size_t(b)][s];
                    values[std::size_t(((a * side + b) * outputs + o) * inputs + i)] = float(sum);
                }
        }
    return TensorData::fromValues<float>(DataType::Float, {side * side, outputs, inputs}, values);
}

/// Builds the three nests.
class Winograd {
public:
    Winograd(const BlockNests &block, int nest, int m)
        : m_block(block), m_nest(block.nests[std::size_t(nest)]), m_number(nest), m_m(m),
          m_side(m + 2), m_parts(*partsOf(m_nest, block.tensors)), m_transforms(transformsOf(m))
    {
        for (std::size_t k = 0; k < 2; ++k) {
            const std::int64_t extent = extentOf(m_parts.position[k]);
            m_tiles[k] = (extent + m - 1) / m;
        }
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
        const std::vector<Expr> values = transformed(m_transforms.input, tile);
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
        const std::vector<Expr> sums = transformed(m_transforms.output, tile);
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
    Parts m_parts;
    Transforms m_transforms;
    std::array<std::int64_t, 2> m_tiles{};
    int m_v = 0, m_u = 0, m_products = 0;
    // Of the nest of tiles that is being built:
    std::vector<IndexForm> m_of;
    std::array<IndexForm, 2> m_position;
    std::vector<IndexForm> m_tile; // batches and tiles, as the tensors of tiles have them
};

bool looksUp(const Nest &nest)
{
    return std::ranges::any_of(nest.reads, [](const NestRead &read) {
        return std::ranges::any_of(read.map,
                                   [](const IndexForm &form) { return form.hasLookup(); });
    });
}

} // namespace

bool isWinogradCandidate(const Nest &nest, const std::vector<BlockTensor> &tensors)
{
    return !looksUp(nest) && partsOf(nest, tensors).has_value();
}

BlockNests withWinograd(const BlockNests &block, int nest, int m)
{
    assert(m == 2 || m == 4);
    return Winograd(block, nest, m).run();
}

int chosenWinograd(const Nest &nest, const std::vector<BlockTensor> &tensors)
{
    if (!isWinogradCandidate(nest, tensors))
        return 0;
    const Parts parts = *partsOf(nest, tensors);
    const auto extentOf = [&](int axis) { return nest.axes[std::size_t(axis)].extent; };
    const double inputs = double(extentOf(parts.inputs)), outputs = double(extentOf(parts.outputs));
    // Transforms run along channels, a vector at a time.
    constexpr double fewestChannels = 8;
    if (inputs < fewestChannels || outputs < fewestChannels)
        return 0;
    // Cycles of a core with 32 multiply-adds or 12 values of tiles a cycle; weights come from the
    // second-level cache, the third or memory, by their size.
    const auto weightCycles = [&](double positions) {
        const double bytes = 4 * positions * inputs * outputs;
        return bytes / (bytes > 0x1p23 ? 10 : bytes > 0x1p20 ? 20 : 64);
    };
    double batch = 1;
    for (const int axis : parts.batch)
        batch *= double(extentOf(axis));
    const double points = batch * double(extentOf(parts.position[0]) * extentOf(parts.position[1]));
    int best = 0;
    double least = 0.9 * (points * inputs * outputs * 9 / 32 + weightCycles(9));
    for (const int m : {2, 4}) {
        double tiles = batch;
        for (const int axis : parts.position)
            tiles *= double((extentOf(axis) + m - 1) / m);
        const double positions = (m + 2) * (m + 2);
        const double cost = positions * tiles * (inputs * outputs / 32 + (inputs + outputs) / 6) +
                            weightCycles(positions);
        if (cost < least) {
            least = cost;
            best = m;
        }
    }
    return best;
}

} // namespace graphloom

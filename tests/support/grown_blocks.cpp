// SPDX-License-Identifier: Apache-2.0
#include "tests/support/grown_blocks.h"

#include "tests/support/random_graph.h"
#include "tests/support/sketch.h"

#include <algorithm>
#include <numeric>

namespace graphloom::test {

namespace {

using Extents = std::vector<std::int64_t>;

std::int64_t elementsOf(const Extents &extents)
{
    return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies());
}

/// Describes a value that movement operators transform, with its extents.
class Moving {
public:
    Moving(std::uint64_t seed, TensorId value, Extents extents)
        : m_random(seed), m_value(value), m_extents(std::move(extents))
    {
    }

    TensorId value() const { return m_value; }

    void step(Sketch &g)
    {
        const std::int64_t elements = elementsOf(m_extents);
        const bool isSmall = elements<48, isLarge = elements> 1024;
        switch (pick(5)) {
        case 0:
            return transpose(g);
        case 1:
            return reshape(g);
        case 2:
            return isSmall ? concat(g) : slice(g);
        case 3:
            return isLarge ? reshape(g) : gather(g, isSmall);
        default:
            return isLarge ? slice(g) : concat(g);
        }
    }

private:
    int pick(std::size_t bound) { return int(below(m_random, bound)); }

    void transpose(Sketch &g)
    {
        Extents order(m_extents.size()), extents;
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t i = order.size(); i > 1; --i)
            std::swap(order[i - 1], order[std::size_t(pick(i))]);
        for (const std::int64_t from : order)
            extents.push_back(m_extents[std::size_t(from)]);
        m_value = g.call("Transpose", {m_value}, {ints("perm", order)});
        m_extents = std::move(extents);
    }

    /// Reshapes to dimensions unrelated to the previous ones.
    void reshape(Sketch &g)
    {
        std::int64_t left = elementsOf(m_extents);
        Extents extents;
        for (int d = pick(4); d > 0; --d) {
            Extents divisors;
            for (std::int64_t i = 1; i <= left; ++i)
                if (left % i == 0)
                    divisors.push_back(i);
            extents.push_back(divisors[std::size_t(pick(divisors.size()))]);
            left /= extents.back();
        }
        extents.push_back(left);
        m_value = g.call("Reshape", {m_value, g.integers(extents)});
        m_extents = std::move(extents);
    }

    void slice(Sketch &g)
    {
        const auto axis = std::size_t(pick(m_extents.size()));
        std::int64_t &extent = m_extents[axis];
        if (extent < 3)
            return transpose(g);
        const bool backwards = pick(3) == 0;
        const std::int64_t step = extent > 8 ? 1 + pick(2) : 1, first = backwards ? extent - 1 : 1;
        const std::int64_t last = backwards ? 0 : extent; // exclusive
        m_value = g.call("Slice", {m_value, g.integers({first}), g.integers({last}),
                                   g.integers({std::int64_t(axis)}),
                                   g.integers({backwards ? -step : step})});
        extent = (extent - 1 + step - 1) / step;
    }

    void gather(Sketch &g, bool grows)
    {
        const auto axis = std::size_t(pick(m_extents.size()));
        const std::int64_t extent = m_extents[axis];
        Extents indices;
        for (std::int64_t i = grows ? extent + 2 : extent; i > 0; --i)
            indices.push_back(std::int64_t(pick(std::size_t(2 * extent))) - extent);
        m_value =
            g.call("Gather", {m_value, g.integers(indices)}, {integer("axis", std::int64_t(axis))});
        m_extents[axis] = std::int64_t(indices.size());
    }

    void concat(Sketch &g)
    {
        const auto axis = std::size_t(pick(m_extents.size()));
        m_value = g.call("Concat", {m_value, m_value}, {integer("axis", std::int64_t(axis))});
        m_extents[axis] *= 2;
    }

    Random m_random;
    TensorId m_value;
    Extents m_extents;
};

} // namespace

Graph elementwiseChain(int operators)
{
    Sketch g;
    TensorId x = g.input("x", {24, 32});
    for (int i = 0; i < operators; ++i)
        switch (i % 4) {
        case 0:
            x = g.call("Tanh", {x});
            break;
        case 1:
            x = g.call("Mul", {x, x});
            break;
        case 2:
            x = g.call("Sigmoid", {x});
            break;
        default:
            x = g.call("Add", {x, g.weight({32})});
        }
    return g.finish({x});
}

Graph rearrangedChain(int operators)
{
    Sketch g;
    TensorId x = g.input("x", {24, 32});
    for (int i = 0; i < operators; ++i)
        switch (i % 5) {
        case 0:
            x = g.call("Tanh", {x});
            break;
        case 1:
            x = g.call("Transpose", {x}, {ints("perm", {1, 0})}); // 32 x 24
            break;
        case 2:
            x = g.call("Gather", {x, g.integers({5,  3,  31, 0,  8,  1,  7,  11, 2,  30, 4,
                                                 9,  6,  10, 29, 12, 13, 28, 14, 15, 16, 27,
                                                 17, 18, 26, 19, 20, 25, 21, 22, 24, 23})});
            break;
        case 3:
            x = g.call("Add", {x, g.weight({32, 24})});
            break;
        default:
            x = g.call("Reshape", {x, g.integers({24, 32})});
        }
    return g.finish({x});
}

Graph broadcastTree(int operators)
{
    Sketch g;
    std::vector<TensorId> values;
    for (int i = 0; i <= operators; ++i)
        values.push_back(i % 3 == 0   ? g.weight({32})
                         : i % 3 == 1 ? g.weight({24, 1})
                                      : g.input("x" + std::to_string(i), {24, 32}));
    while (values.size() > 1) {
        std::vector<TensorId> next;
        for (std::size_t i = 0; i + 1 < values.size(); i += 2)
            next.push_back(
                g.call(next.size() % 2 == 0 ? "Add" : "Mul", {values[i], values[i + 1]}));
        if (values.size() % 2 == 1)
            next.push_back(values.back());
        values = std::move(next);
    }
    return g.finish(values);
}

Graph diamonds(int operators)
{
    Sketch g;
    TensorId x = g.input("x", {24, 32});
    for (int i = 0; i + 3 <= operators; i += 3)
        x = g.call("Mul", {g.call("Sigmoid", {x}), g.call("Tanh", {x})});
    return g.finish({x});
}

Graph reductionChain(int operators)
{
    Sketch g;
    TensorId x = g.input("x", {24, 32});
    for (int i = 0; i + 3 <= operators; i += 3)
        x = g.call("Tanh", {g.call("Sub", {x, g.call("ReduceMean", {x}, {ints("axes", {1})})})});
    return g.finish({x});
}

Graph movementChain(std::uint64_t seed, int operators)
{
    Sketch g;
    Moving moving(seed, g.input("x", {6, 4, 5}), {6, 4, 5});
    for (int i = 0; i < operators; ++i)
        moving.step(g);
    return g.finish({moving.value()});
}

Graph indexChain(std::uint64_t seed, int operators)
{
    constexpr std::int64_t count = 24;
    Random random(seed);
    Sketch g;
    const auto any = [&] {
        Extents indices;
        for (std::int64_t i = 0; i < count; ++i)
            indices.push_back(std::int64_t(below(random, count)));
        return g.integers(indices);
    };
    TensorId index = any();
    for (int i = 2; i < operators; ++i)
        switch (below(random, 4)) {
        case 0: // from itself
            index = g.call("Gather", {index, index});
            break;
        case 1:
            index = g.call("Gather", {any(), index});
            break;
        case 2:
            index = g.call("Gather", {index, any()});
            break;
        default:
            index = g.call("Reshape",
                           {g.call("Transpose", {g.call("Reshape", {index, g.integers({4, 6})})}),
                            g.integers({count})});
            i += 2;
        }
    const TensorId data = g.call("Gather", {g.input("x", {count, 3}), index});
    return g.finish({g.call("Gather", {data, index})});
}

std::span<const GrownBlock> grownBlocks()
{
    static constexpr GrownBlock all[] = {{"elementwise chain", elementwiseChain},
                                         {"rearranged chain", rearrangedChain},
                                         {"broadcast tree", broadcastTree},
                                         {"diamonds", diamonds},
                                         {"reductions", reductionChain}};
    return all;
}

} // namespace graphloom::test

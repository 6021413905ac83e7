// SPDX-License-Identifier: Apache-2.0
#include "tests/support/attribute.h"
#include "tests/support/random_calls.h"

#include <algorithm>
#include <numeric>

namespace graphloom::test {

namespace {

using Extents = NetworkBuilder::Extents;

} // namespace

bool rearranged(NetworkBuilder &to, const Known &x)
{
    const auto rank = int(x.extents.size());
    if (rank == 0)
        return to.call("Unsqueeze", {x.id, to.integers({0})}, {}, true);
    const int axis = to.pick(rank);
    switch (to.pick(7)) {
    case 0:
    case 1: {
        Extents order(std::size_t(rank), 0);
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t i = order.size(); i > 1; --i)
            std::swap(order[i - 1], order[below(to.random(), i)]);
        return to.call("Transpose", {x.id}, {ints("perm", order)}, x.exact);
    }
    case 2:
    case 3: {
        // Merge two adjacent dimensions, then split one.
        Extents shape = x.extents;
        if (rank > 1 && to.oneIn(2)) {
            const int at = to.pick(rank - 1);
            shape[std::size_t(at)] *= shape[std::size_t(at) + 1];
            shape.erase(shape.begin() + at + 1);
        }
        const auto at = std::size_t(to.pick(int(shape.size())));
        for (const std::int64_t factor : {2, 3, 4, 5})
            if (shape[at] > factor && shape[at] % factor == 0) {
                shape[at] /= factor;
                shape.insert(shape.begin() + std::ptrdiff_t(at) + to.pick(2), factor);
                break;
            }
        return to.call("Reshape", {x.id, to.integers(shape)}, {integer("allowzero", 1)}, x.exact);
    }
    case 4:
        return to.call("Flatten", {x.id}, {integer("axis", axis)}, x.exact);
    case 5:
        return to.call("DepthToSpace", {x.id},
                       {integer("blocksize", 2), word("mode", to.oneIn(2) ? "DCR" : "CRD")},
                       x.exact);
    default:
        return to.call("SpaceToDepth", {x.id}, {integer("blocksize", 2)}, x.exact);
    }
}

bool joined(NetworkBuilder &to, const Known &x)
{
    const auto rank = int(x.extents.size());
    if (rank == 0)
        return false;
    const int axis = to.pick(rank);
    if (to.oneIn(2)) {
        std::vector<TensorId> parts{x.id};
        for (const Known &other : std::vector<Known>{to.any(), to.any()})
            if (other.extents.size() == x.extents.size() && to.oneIn(2))
                parts.insert(parts.begin() + to.pick(2), other.id);
        if (parts.size() == 1)
            parts.push_back(x.id);
        return to.call("Concat", parts, {integer("axis", axis)}, false);
    }
    const std::int64_t extent = x.extents[std::size_t(axis)];
    if (extent < 2)
        return false;
    const std::int64_t first = to.small(extent - 1);
    return to.call("Split", {x.id, to.integers({first, extent - first})}, {integer("axis", axis)},
                   x.exact, 2);
}

bool padded(NetworkBuilder &to, const Known &x)
{
    const auto rank = x.extents.size();
    if (rank == 0)
        return false;
    if (to.oneIn(4)) {
        Extents repeats(rank, 1);
        repeats[below(to.random(), rank)] = to.small(3);
        return to.call("Tile", {x.id, to.integers(repeats)}, {}, x.exact);
    }
    if (to.oneIn(4)) {
        Extents shape = x.extents;
        for (std::int64_t &extent : shape)
            if (extent == 1 && to.oneIn(2))
                extent = to.small(5);
        shape.insert(shape.begin(), to.small(2));
        return to.call("Expand", {x.id, to.integers(shape)}, {}, x.exact);
    }
    static const std::vector<const char *> modes{"constant", "reflect", "edge", "wrap"};
    const int mode = to.pick(4);
    Extents pads(2 * rank, 0);
    for (std::size_t i = 0; i < pads.size(); ++i)
        if (to.oneIn(3))
            pads[i] = to.pick(4) - (to.oneIn(4) ? 2 : 0);
    for (std::size_t d = 0; d < rank; ++d)
        if (x.extents[d] < 4)
            pads[d] = pads[d + rank] = mode == 0 ? pads[d] : 0;
    std::vector<TensorId> inputs{x.id, to.integers(pads)};
    if (mode == 0 && to.oneIn(2))
        inputs.push_back(to.weight({}));
    return to.call("Pad", inputs, {word("mode", modes[std::size_t(mode)])}, x.exact);
}

bool picked(NetworkBuilder &to, const Known &x)
{
    const auto rank = int(x.extents.size());
    if (rank == 0)
        return false;
    const int axis = to.pick(rank);
    const std::int64_t extent = x.extents[std::size_t(axis)];
    if (extent < 2)
        return false;
    if (to.oneIn(2)) {
        Extents indices;
        for (std::int64_t i = to.small(4); i > 0; --i)
            indices.push_back(to.pick(int(2 * extent)) - extent);
        return to.call("Gather", {x.id, to.integers(indices)}, {integer("axis", axis)}, x.exact);
    }
    const bool backwards = to.oneIn(3);
    const std::int64_t step = to.small(3) * (backwards ? -1 : 1);
    const std::int64_t from = backwards ? -1 - to.pick(2) : to.pick(2);
    return to.call("Slice",
                   {x.id, to.integers({from}),
                    to.integers({backwards ? -extent - 1 : extent - to.pick(2)}),
                    to.integers({axis}), to.integers({step})},
                   {}, x.exact);
}

bool resized(NetworkBuilder &to, const Known &x)
{
    if (x.extents.size() != 4 || !x.exact)
        return false;
    static const std::vector<const char *> modes{"nearest", "linear", "cubic"};
    static const std::vector<const char *> places{"half_pixel", "asymmetric", "align_corners"};
    Extents sizes = x.extents;
    sizes[2] = to.small(12);
    sizes[3] = to.small(12);
    return to.call("Resize", {x.id, {}, {}, to.integers(sizes)},
                   {word("mode", modes[std::size_t(to.pick(3))]),
                    word("coordinate_transformation_mode", places[std::size_t(to.pick(3))])});
}

} // namespace graphloom::test

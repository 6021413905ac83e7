// SPDX-License-Identifier: Apache-2.0
#include "engine/base/steps.h"
#include "engine/ops/describe/assembler.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/kernels/kernels.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <numeric>
#include <utility>

namespace graphloom::kernels {

namespace {

/// Compares two elements of one tensor; NaN comes after everything else, as in numpy.
std::strong_ordering order(const TensorData &data, std::int64_t a, std::int64_t b)
{
    if (data.type() == DataType::String)
        return data.strings()[std::size_t(a)].compare(data.strings()[std::size_t(b)]) <=> 0;
    if (data.type() == DataType::Uint64)
        return std::uint64_t(data.integer(a)) <=> std::uint64_t(data.integer(b));
    if (isIntegral(data.type()))
        return data.integer(a) <=> data.integer(b);
    const double x = data.real(a), y = data.real(b);
    if (std::isnan(x) || std::isnan(y))
        return int(std::isnan(x)) <=> int(std::isnan(y));
    return x < y   ? std::strong_ordering::less
           : x > y ? std::strong_ordering::greater
                   : std::strong_ordering::equal;
}

bool isZero(const TensorData &data, std::int64_t i)
{
    if (data.type() == DataType::String)
        return data.strings()[std::size_t(i)].empty();
    return isIntegral(data.type()) ? data.integer(i) == 0 : data.real(i) == 0;
}

/// Sorts stably; a comparison counts as `steps`. Returns false if the call was stopped.
template <class Less>
bool sortStably(const Call &call, std::vector<std::int64_t> &list, std::uint64_t steps, Less less)
{
    constexpr std::uint64_t share = 4096; // steps between two checks for cancellation
    std::vector<std::int64_t> merged(list.size());
    std::uint64_t open = 0;
    for (std::size_t width = 1; width < list.size(); width *= 2, list.swap(merged))
        for (std::size_t first = 0; first < list.size(); first += 2 * width) {
            const std::size_t middle = std::min(first + width, list.size()),
                              end = std::min(middle + width, list.size());
            for (std::size_t to = first, a = first, b = middle; to < end; ++to) {
                const bool takesSecond = a == middle || (b < end && less(list[b], list[a]));
                merged[to] = list[takesSecond ? b++ : a++];
                open += steps;
                if (open >= share && call.stopped(std::exchange(open, 0)))
                    return false;
            }
        }
    return !call.stopped(open);
}

TensorData integers(TensorData::Extents extents, const std::vector<std::int64_t> &values)
{
    return TensorData::fromValues<std::int64_t>(DataType::Int64, std::move(extents), values);
}

/// Returns the listed slices of `data` along the dimension of a cut, in that order.
Result<TensorData> picked(const Call &call, const TensorData &data, TensorData::Extents extents,
                          const Cut &from, const std::vector<std::int64_t> &slices)
{
    GL_TRY_RESULT(result, Assembler::make(call, data.type(), std::move(extents)));
    const Cut to{from.outer, std::int64_t(slices.size()), from.inner};
    for (std::int64_t o = 0; o < from.outer; ++o)
        for (std::size_t i = 0; i < slices.size(); ++i) {
            result->copy(to.at(o, std::int64_t(i), 0), data, from.at(o, slices[i], 0), from.inner);
            if (call.stopped(std::uint64_t(from.inner)))
                return stoppedError();
        }
    return std::move(*result).finish();
}

/// The dimension in attribute `axis`; without it the tensor counts as one list.
struct Along {
    TensorData::Extents extents;
    std::size_t axis = 0;
    Cut cut;
};

Result<Along> alongOf(const Call &call, const TensorData &data)
{
    if (!call.attributes().contains("axis"))
        return Along{{data.elements()}, 0, {1, data.elements(), 1}};
    GL_TRY_CONST(axis, build::normalizedAxis(call, call.attributes().integer("axis", 0),
                                             data.extents().size()));
    return Along{data.extents(), std::size_t(*axis), cutAlong(data.extents(), *axis)};
}

/// A box by its corners; ONNX gives corners in any order, or the center and the extents.
struct Box {
    double top, left, bottom, right;
    double area() const { return (bottom - top) * (right - left); }
};

Box boxAt(const TensorData &boxes, std::int64_t number, bool byCenter)
{
    const auto part = [&](std::int64_t i) { return boxes.real(number * 4 + i); };
    if (byCenter) { // x, y, width, height
        const double x = part(0), y = part(1), w = part(2) / 2, h = part(3) / 2;
        return {y - h, x - w, y + h, x + w};
    }
    return {std::min(part(0), part(2)), std::min(part(1), part(3)), std::max(part(0), part(2)),
            std::max(part(1), part(3))};
}

double intersectionOverUnion(const Box &a, const Box &b)
{
    const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
    const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
    if (height <= 0 || width <= 0)
        return 0;
    const double shared = height * width;
    return shared / (a.area() + b.area() - shared);
}

} // namespace

Result<Tensors> nonZero(const Call &call, Inputs inputs)
{
    const TensorData &data = *inputs[0];
    std::vector<std::int64_t> found;
    for (std::int64_t i = 0; i < data.elements(); ++i) {
        if (!isZero(data, i))
            found.push_back(i);
        if (call.stopped(1))
            return stoppedError();
    }
    const auto strides = stridesOf(data.extents());
    std::vector<std::int64_t> positions;
    for (std::size_t d = 0; d < strides.size(); ++d)
        for (const std::int64_t at : found) {
            positions.push_back(at / strides[d] % data.extents()[d]);
            if (call.stopped(1))
                return stoppedError();
        }
    return Tensors{integers({std::int64_t(strides.size()), std::int64_t(found.size())}, positions)};
}

/// Selects, for each batch and class, boxes in the order of their scores, without those that
/// overlap a box selected before by more than the threshold.
Result<Tensors> nonMaxSuppression(const Call &call, Inputs inputs)
{
    const TensorData &boxes = *inputs[0], &scores = *inputs[1];
    const auto limit = [&](std::size_t input) {
        return input < inputs.size() && inputs[input] && inputs[input]->elements() > 0
                   ? inputs[input]
                   : nullptr;
    };
    const std::int64_t most = limit(2) ? limit(2)->integer(0) : 0;
    const double overlap = limit(3) ? limit(3)->real(0) : 0;
    const bool byCenter = call.attributes().integer("center_point_box", 0) != 0;
    const std::int64_t batches = scores.extents()[0], classes = scores.extents()[1],
                       count = scores.extents()[2];
    std::vector<std::int64_t> selected;
    for (std::int64_t batch = 0; batch < batches; ++batch)
        for (std::int64_t kind = 0; kind < classes; ++kind) {
            const std::int64_t first = (batch * classes + kind) * count;
            std::vector<std::int64_t> candidates;
            for (std::int64_t i = 0; i < count; ++i) {
                if (!limit(4) || scores.real(first + i) > limit(4)->real(0))
                    candidates.push_back(i);
                if (call.stopped(1))
                    return stoppedError();
            }
            if (!sortStably(call, candidates, 1, [&](std::int64_t a, std::int64_t b) {
                    return order(scores, first + b, first + a) < 0;
                }))
                return stoppedError();
            std::vector<Box> taken;
            for (const std::int64_t i : candidates) {
                if (std::int64_t(taken.size()) >= most)
                    break;
                if (call.stopped(taken.size()))
                    return stoppedError();
                const Box box = boxAt(boxes, batch * count + i, byCenter);
                const bool clear = std::ranges::none_of(taken, [&](const Box &other) {
                    return intersectionOverUnion(box, other) > overlap;
                });
                if (!clear)
                    continue;
                taken.push_back(box);
                selected.insert(selected.end(), {batch, kind, i});
            }
        }
    return Tensors{integers({std::int64_t(selected.size() / 3), 3}, selected)};
}

/// Among equal elements, the one with the lower index comes first.
Result<Tensors> topK(const Call &call, Inputs inputs)
{
    const TensorData &data = *inputs[0];
    GL_TRY_CONST(axis, build::normalizedAxis(call, call.attributes().integer("axis", -1),
                                             data.extents().size()));
    const Cut cut = cutAlong(data.extents(), *axis);
    const std::int64_t count = inputs[1]->integer(0);
    if (count < 0 || count > cut.extent)
        return call.refuse("cannot take " + std::to_string(count) + " of " +
                           std::to_string(cut.extent) + " elements");
    const bool largest = call.attributes().integer("largest", 1) != 0;
    TensorData::Extents extents = data.extents();
    extents[std::size_t(*axis)] = count;
    auto values = Assembler::make(call, data.type(), extents);
    auto indices = Assembler::make(call, DataType::Int64, extents);
    if (!values || !indices)
        return tl::unexpected((values ? indices : values).error());
    const Cut to = cutAlong(extents, *axis);
    std::vector<std::int64_t> line(std::size_t(cut.extent), 0);
    for (std::int64_t o = 0; o < cut.outer; ++o)
        for (std::int64_t n = 0; n < cut.inner; ++n) {
            std::iota(line.begin(), line.end(), 0);
            if (!sortStably(call, line, 1, [&](std::int64_t a, std::int64_t b) {
                    const std::int64_t i = cut.at(o, a, n), j = cut.at(o, b, n);
                    return largest ? order(data, j, i) < 0 : order(data, i, j) < 0;
                }))
                return stoppedError();
            for (std::int64_t k = 0; k < count; ++k) {
                values->copy(to.at(o, k, n), data, cut.at(o, line[std::size_t(k)], n));
                indices->setInteger(to.at(o, k, n), line[std::size_t(k)]);
            }
        }
    return Tensors{std::move(*values).finish(), std::move(*indices).finish()};
}

Result<Tensors> unique(const Call &call, Inputs inputs)
{
    const TensorData &data = *inputs[0];
    GL_TRY_CONST(along, alongOf(call, data));
    const Cut &cut = along->cut;
    const auto compare = [&](std::int64_t a, std::int64_t b) {
        for (std::int64_t o = 0; o < cut.outer; ++o)
            for (std::int64_t n = 0; n < cut.inner; ++n)
                if (const auto result = order(data, cut.at(o, a, n), cut.at(o, b, n)); result != 0)
                    return result;
        return std::strong_ordering::equal;
    };
    std::vector<std::int64_t> sorted(std::size_t(cut.extent), 0);
    std::iota(sorted.begin(), sorted.end(), 0);
    const auto slice = std::uint64_t(cut.outer * cut.inner);
    if (!sortStably(call, sorted, slice,
                    [&](std::int64_t a, std::int64_t b) { return compare(a, b) < 0; }))
        return stoppedError();
    // Groups of equal slices; the sort is stable, so each begins with its first slice.
    std::vector<std::int64_t> first, counts, group(sorted.size(), 0);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i == 0 || compare(sorted[i - 1], sorted[i]) != 0) {
            first.push_back(sorted[i]);
            counts.push_back(0);
        }
        if (call.stopped(slice))
            return stoppedError();
        ++counts.back();
        group[std::size_t(sorted[i])] = std::int64_t(first.size()) - 1;
    }
    std::vector<std::int64_t> places(first.size(), 0); // groups in the order of the result
    std::iota(places.begin(), places.end(), 0);
    if (call.attributes().integer("sorted", 1) == 0)
        std::ranges::sort(places, {}, [&](std::int64_t g) { return first[std::size_t(g)]; });
    std::vector<std::int64_t> slices, repeats, placeOf(places.size(), 0), inverse;
    for (std::size_t place = 0; place < places.size(); ++place) {
        const auto g = std::size_t(places[place]);
        slices.push_back(first[g]);
        repeats.push_back(counts[g]);
        placeOf[g] = std::int64_t(place);
    }
    for (const std::int64_t g : group)
        inverse.push_back(placeOf[std::size_t(g)]);
    TensorData::Extents extents = along->extents;
    extents[along->axis] = std::int64_t(slices.size());
    GL_TRY_RESULT(values, picked(call, data, std::move(extents), cut, slices));
    const std::int64_t found = std::int64_t(slices.size());
    return Tensors{std::move(*values), integers({found}, slices), integers({cut.extent}, inverse),
                   integers({found}, repeats)};
}

Result<Tensors> compress(const Call &call, Inputs inputs)
{
    const TensorData &data = *inputs[0], &condition = *inputs[1];
    GL_TRY_CONST(along, alongOf(call, data));
    std::vector<std::int64_t> kept;
    for (std::int64_t i = 0; i < std::min(condition.elements(), along->cut.extent); ++i)
        if (condition.integer(i) != 0)
            kept.push_back(i);
    TensorData::Extents extents = along->extents;
    extents[along->axis] = std::int64_t(kept.size());
    GL_TRY_RESULT(result, picked(call, data, std::move(extents), along->cut, kept));
    return Tensors{std::move(*result)};
}

} // namespace graphloom::kernels

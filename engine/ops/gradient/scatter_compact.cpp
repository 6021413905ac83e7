// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/stage_facts.h"
#include "engine/ops/gradient/scatter_axes.h"

/// Sums that reach few elements.
namespace graphloom {

std::optional<Compact> compact(const Scatter &scatter, const Shape &shape)
{
    const ScatterAxes axes(scatter, shape, std::vector<bool>(shape.size(), false));
    bool reduces = false, gains = false;
    for (std::size_t a = 0; a < scatter.axes.size(); ++a)
        reduces = reduces || (!axes.isSolved(int(a)) && !runsOnce(scatter.axes[a]));
    // Dimensions in which the map reaches each element at most once, and not all elements.
    std::vector<bool> partial(shape.size(), false);
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const Index &index = axes.index(d);
        const Way way = axes.ways()[d];
        const bool single = index.terms.size() == 1 && (way == Way::Shift || way == Way::Divided);
        Dim points = 1;
        for (const Index::Term &term : index.terms)
            points *= scatter.axes[std::size_t(term.axis)].extent;
        const auto surplus = (shape[d] - points).constant();
        partial[d] = (single || way == Way::Digits ||
                      (index.terms.empty() && way == Way::Match && index.isAffine())) &&
                     surplus && *surplus > 0;
        gains = gains || partial[d];
    }
    if (!reduces || !gains)
        return std::nullopt;
    Compact result{scatter, {}, {}};
    result.sum.target.clear();
    Scatter &place = result.place;
    Read placing;
    const auto add = [&](std::string name, const Dim &extent, const Index &from) {
        place.axes.push_back({std::move(name), extent, Axis::Kind::Space});
        placing.map.push_back(Index::axis(int(place.axes.size()) - 1));
        result.shape.push_back(extent);
        result.sum.target.push_back(from);
        return int(place.axes.size()) - 1;
    };
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const Index &index = axes.index(d);
        if (!partial[d]) {
            place.target.push_back(
                Index::axis(add("x" + std::to_string(d), shape[d], scatter.target[d])));
            continue;
        }
        Index target = Index::constant(index.offset);
        for (const Index::Term &term : index.terms) {
            const Axis &axis = scatter.axes[std::size_t(term.axis)];
            target.terms.push_back(
                {add(axis.name, axis.extent, Index::axis(term.axis)), term.coefficient});
        }
        place.target.push_back(std::move(target));
    }
    place.reads = {std::move(placing)};
    place.outside = scatter.outside;
    return result;
}

} // namespace graphloom

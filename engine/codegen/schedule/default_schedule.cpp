// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/schedule/default_schedule.h"

#include "engine/base/integer_division.h"
#include "engine/codegen/index/c_names.h"
#include "engine/codegen/index/expr_edit.h"
#include "engine/codegen/index/index_map.h"
#include "engine/codegen/nests/contraction.h"
#include "engine/codegen/schedule/half_arithmetic.h"
#include "engine/codegen/schedule/image_reads.h"
#include "engine/codegen/schedule/lanes.h"
#include "engine/codegen/schedule/register_tiles.h"
#include "engine/codegen/schedule/vectorizable.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace graphloom {

namespace {

/// Limits the unrolled iterations for one point of the outer loops.
constexpr std::int64_t mostUnrolled = 400;
/// Limits the unrolled points of an elementwise nest with few lanes.
constexpr std::int64_t mostPoints = 16;

/// Chooses tiles and the order of loops by the kind of nest.
class Scheduler {
public:
    Scheduler(const Nest &nest, const BlockTensors &tensors, const BlockStorages &storages,
              const ScheduleTarget &target, const std::vector<SharedLoop> &shared,
              const ScheduleChoice &choice)
        : m_nest(nest), m_tensors(tensors), m_storages(storages),
          m_target(targetOf(nest, tensors, target)), m_choice(choice), m_isShared(!shared.empty()),
          m_lanes(nest, tensors, storages), m_loops(nest, m_target.lanes, shared, target.items)
    {
    }

    void run()
    {
        AxisIndex lane = m_lanes.innermostVector();
        if (lane.isValid() && m_loops.extentOf(lane) == 1)
            lane = {};
        const auto contraction = contractionOf(m_nest);
        if (const AxisIndex reduction = m_lanes.reduction(m_loops.extents(), m_target.lanes);
            reduction.isValid() && (!lane.isValid() || m_lanes.gathers(lane)))
            overReduction(reduction);
        else if (!lane.isValid())
            m_loops.arrange(reductionAxes(), {});
        else if (contraction && isProduct(*contraction, lane))
            product(*contraction, lanesOfProduct(*contraction, lane));
        else if (m_nest.reduces())
            window(lane);
        else
            elementwise(lane);
    }

    const Schedule &schedule() const { return m_loops.schedule(); }
    /// Returns the register tile of the nest, if it has one.
    const std::optional<EstimatedTile> &tile() const { return m_tile; }

private:
    /// Tells whether only one operand depends on the lane axis.
    static bool isProduct(const Contraction &contraction, AxisIndex lane)
    {
        return std::ranges::count(contraction.onlyB, lane) ||
               std::ranges::count(contraction.onlyA, lane);
    }

    /// Returns the axis whose neighbours are the lanes of a product: `lane`, along which the result
    /// is contiguous; or, if an operand had to be gathered along it in each iteration of a long
    /// reduction, an axis of the other operand along which nothing is gathered. The lanes of the
    /// result are then stored one by one, but only once. An example is a projection that is stored
    /// transposed, as attention's keys are.
    AxisIndex lanesOfProduct(const Contraction &contraction, AxisIndex lane) const
    {
        const bool isOfA = std::ranges::count(contraction.onlyA, lane) > 0;
        const ReadIndex gathered = isOfA ? contraction.a : contraction.b;
        const ReadIndex other = isOfA ? contraction.b : contraction.a;
        const std::vector<AxisIndex> &axes = isOfA ? contraction.onlyB : contraction.onlyA;
        std::int64_t depth = 1;
        for (const AxisIndex axis : reductionAxes())
            depth *= m_loops.extentOf(axis);
        // A gathered vector serves the rows of a register tile; a lane costs about as much to be
        // loaded as to be stored, with a move each.
        if (!m_lanes.isGathered(gathered, lane) || depth < 2 * m_target.vectorRegisters)
            return lane;
        const auto isBetter = [&](AxisIndex axis) {
            return m_loops.extentOf(axis) >= m_target.lanes && !m_nest.axes[axis].ordered &&
                   dependsOn(m_nest.reads[other].map, axis) && !m_lanes.isGathered(other, axis) &&
                   isVectorizable(m_nest, m_tensors, axis);
        };
        const auto best = std::ranges::find_if(axes, isBetter);
        return best != axes.end() ? *best : lane;
    }

    std::vector<AxisIndex> reductionAxes() const
    {
        const IndexRange<AxisIndex> axes = m_nest.reductionAxes();
        return {axes.begin(), axes.end()};
    }

    /// Sorts axes by their stride in the tensor, the largest first.
    void sortByStride(std::vector<AxisIndex> &axes, const std::vector<IndexForm> &map,
                      BlockTensorIndex tensor) const
    {
        const IndexForm offset = offsetOf(map, m_storages[tensor]);
        std::ranges::stable_sort(axes, std::greater(), [&](AxisIndex axis) {
            const auto step = offset.stepOf(axis);
            return step ? std::abs(*step) : 0;
        });
    }

    /// Returns the reduction axes, with the one along which an operand is contiguous innermost.
    std::vector<AxisIndex> reductionsFor(ReadIndex read) const
    {
        std::vector<AxisIndex> axes = reductionAxes();
        const NestRead &operand = m_nest.reads[read];
        sortByStride(axes, operand.map, operand.tensor);
        return axes;
    }

    /// Returns the loops of the space axes, those with larger strides in the result outermost.
    std::vector<std::string> spaceByStride() const
    {
        const NestStore &store = m_nest.stores.front();
        const IndexRange<AxisIndex> space = m_nest.spaceAxes();
        std::vector<AxisIndex> axes(space.begin(), space.end());
        sortByStride(axes, store.map, store.tensor);
        std::vector<std::string> names;
        for (const AxisIndex axis : axes)
            std::ranges::move(m_loops.loopsOf(axis), std::back_inserter(names));
        return names;
    }

    void elementwise(AxisIndex lane)
    {
        const std::int64_t vectors =
            workOf(m_nest.stores.front().value) > 16 ? 2 : 4; // fewer if the value needs registers
        const std::int64_t extent = m_loops.extentOf(lane);
        m_loops.vectorize(lane, std::min(vectors, ceilDiv(extent, m_target.lanes)));
        // Where lanes are few, such as the halves of channels that are shuffled, an iteration does
        // as much work by taking several points of the axis that is next in memory.
        if (extent < m_target.lanes)
            m_loops.unrollTile(nextByStride(lane),
                               std::min(vectors * m_target.lanes / extent, mostPoints));
        m_loops.arrange({}, spaceByStride());
    }
    /// Returns the axis of the smallest stride in the result besides the lanes.
    AxisIndex nextByStride(AxisIndex lane) const
    {
        const NestStore &store = m_nest.stores.front();
        const IndexForm offset = offsetOf(store.map, m_storages[store.tensor]);
        AxisIndex next;
        std::int64_t least = 0;
        for (const AxisIndex axis : m_nest.spaceAxes()) {
            const std::int64_t stride = std::abs(offset.stepOf(axis).value_or(0));
            if (axis == lane || m_loops.extentOf(axis) == 1 || m_nest.axes[axis].ordered ||
                stride == 0 || (next.isValid() && stride >= least))
                continue;
            next = axis;
            least = stride;
        }
        return next;
    }

    void overReduction(AxisIndex axis)
    {
        m_loops.vectorize(axis, 1);
        // In products of rows, several results at a time share their loads.
        if (const auto contraction = contractionOf(m_nest)) {
            const auto longest = [&](const std::vector<AxisIndex> &axes) {
                AxisIndex best;
                for (const AxisIndex candidate : axes)
                    if (m_loops.extentOf(candidate) > 1 &&
                        (!best.isValid() || m_loops.extentOf(candidate) > m_loops.extentOf(best)))
                        best = candidate;
                return best;
            };
            m_loops.unrollTile(longest(contraction->onlyA), 4);
            m_loops.unrollTile(longest(contraction->onlyB), 4);
        }
        std::vector<AxisIndex> reductions = reductionAxes();
        std::erase(reductions, axis);
        reductions.push_back(axis);
        m_loops.arrange(reductions, {});
        chooseImages();
    }

    /// Schedules a product in register tiles of rows of one operand times vectors of the other.
    void product(const Contraction &given, AxisIndex lane)
    {
        Contraction contraction = given;
        if (std::ranges::count(contraction.onlyA, lane)) {
            std::swap(contraction.a, contraction.b);
            std::swap(contraction.onlyA, contraction.onlyB);
        }
        AxisIndex row, outerRow; // the innermost axes of rows
        ContractionExtents extents;
        for (AxisIndex axis : contraction.onlyA) {
            if (m_loops.extentOf(axis) <= 1)
                continue;
            if (!row.isValid() || axis > row)
                std::swap(row, axis);
            if (axis.isValid() && (!outerRow.isValid() || axis > outerRow))
                std::swap(outerRow, axis);
            extents.others *= axis.isValid() ? m_loops.extentOf(axis) : 1;
        }
        extents.columns = m_loops.extentOf(lane);
        extents.rows = row.isValid() ? m_loops.extentOf(row) : 1;
        extents.outerRows = outerRow.isValid() ? m_loops.extentOf(outerRow) : 1;
        for (const AxisIndex axis : reductionAxes())
            extents.depth *= m_loops.extentOf(axis);
        RegisterTile tile =
            registerTiles(extents, m_target, m_lanes.isGathered(contraction.b, lane)).front();
        if (m_choice.rows > 0)
            tile = {m_choice.rows, m_choice.vectors, std::max(m_choice.outerRows, 1)};
        const int unroll = m_choice.unroll == 0 && m_target.byElement
                               ? m_target.lanes
                               : std::max(m_choice.unroll, 1);
        // Neighbouring work-items are to write neighbours.
        const bool rowsOutside = m_target.items > 1 || keepsRows(contraction, lane, tile.vectors);
        const int order = m_choice.order != 0 ? m_choice.order : rowsOutside ? 1 : 2;
        const int ahead =
            m_choice.ahead != 0 ? m_choice.ahead : estimatedAhead(contraction, lane, tile, order);
        m_tile = {{int(tile.rows), int(tile.vectors), unroll, order, ahead, int(tile.outerRows)},
                  false};
        m_loops.vectorize(lane, tile.vectors);
        m_loops.unrollTile(row, tile.rows);
        m_loops.unrollTile(outerRow, tile.outerRows);
        const std::vector<AxisIndex> reductions = reductionsFor(contraction.a);
        const auto innermost =
            std::find_if(reductions.rbegin(), reductions.rend(),
                         [&](AxisIndex axis) { return m_loops.extentOf(axis) > 1; });
        if (innermost != reductions.rend()) {
            if (unroll > 1 && runsAlong(contraction.a, *innermost, row))
                m_loops.unrollLoops({m_loops.nameOf(*innermost)});
            else
                m_loops.unrollPart(*innermost, unroll);
        }
        // A tile's part of B stays in the cache while the loops over rows run, or all of B does.
        std::vector<std::string> outer;
        for (const AxisIndex axis : contraction.both)
            outer.push_back(m_loops.nameOf(axis));
        if (order == 1)
            for (const AxisIndex axis : contraction.onlyA)
                std::ranges::move(m_loops.loopsOf(axis), std::back_inserter(outer));
        outer.push_back(m_loops.nameOf(lane) + ".o");
        m_loops.arrange(reductions, outer);
        packConstants(ahead);
        chooseImages();
    }

    /// Tells whether all tiles of B are to be used on a few rows before the next ones, because B
    /// stays in a core's own cache and the rest does not: A would come from behind it again for
    /// each, and lines of the result that two tiles share would go there in between.
    bool keepsRows(const Contraction &contraction, AxisIndex lane, std::int64_t vectors) const
    {
        const auto bytesOf = [&](BlockTensorIndex tensor) {
            return m_tensors[tensor].elements() * std::int64_t(sizeof(float));
        };
        const std::int64_t rows =
            bytesOf(m_nest.reads[contraction.a].tensor) + bytesOf(m_nest.stores.front().tensor);
        return m_target.ownCache > 0 && !m_isShared &&
               m_loops.extentOf(lane) > vectors * m_target.lanes && rows > m_target.ownCache &&
               bytesOf(m_nest.reads[contraction.b].tensor) <= m_target.ownCache / 2;
    }

    /// Tells whether neighbouring rows read windows along `axis` that lie side by side in memory,
    /// so that a few vectors hold what the rows of a register tile read: a convolution of an image.
    bool runsAlong(ReadIndex read, AxisIndex axis, AxisIndex row) const
    {
        constexpr std::int64_t widest = 7;
        if (!m_target.byElement || !row.isValid() || m_loops.extentOf(axis) > widest)
            return false;
        const NestRead &operand = m_nest.reads[read];
        const IndexForm offset = offsetOf(operand.map, m_storages[operand.tensor]);
        const auto near = offset.stepOf(axis), far = offset.stepOf(row);
        return near && far && *near == 1 && *far >= 1 && *far <= m_loops.extentOf(axis);
    }

    /// Tells whether a core's caches hold what a register tile reads of operand B twice, for this
    /// tile and the next one, beside as much of the rest.
    bool holdsTwo(const RegisterTile &tile) const
    {
        constexpr std::int64_t unknown = 768 * 1024;
        std::int64_t bytes = tile.vectors * m_target.lanes * std::int64_t(sizeof(float));
        for (const AxisIndex axis : reductionAxes())
            bytes *= m_loops.extentOf(axis);
        return 3 * bytes <= (m_target.ownCache > 0 ? m_target.ownCache : unknown);
    }

    /// Estimates how far operand B of a product is to be prefetched, if it does not stay in a
    /// core's own caches: the part of the next tile while rows use this one's, or a little where
    /// one or two tiles of rows are all, or the caches have no room for both parts.
    int estimatedAhead(const Contraction &contraction, AxisIndex lane, const RegisterTile &tile,
                       int order) const
    {
        constexpr std::int64_t leastBytes = 128 * 1024, fewUses = 2;
        constexpr int little = 4096, none = -1;
        std::int64_t points = 1;
        for (const AxisIndex axis : contraction.onlyA)
            points *= m_loops.extentOf(axis);
        if (m_isShared || m_tensors[m_nest.reads[contraction.b].tensor].elements() * 4 < leastBytes)
            return none;
        if (ceilDiv(points, tile.rows * tile.outerRows) <= fewUses)
            return little;
        const bool hasNext = m_loops.extentOf(lane) > tile.vectors * m_target.lanes;
        if (!hasNext || order == 1)
            return none;
        return holdsTwo(tile) ? ScheduleChoice::nextTile : little;
    }

    /// Schedules sliding windows and other reductions with adjacent results as lanes.
    void window(AxisIndex lane)
    {
        AxisIndex row;
        for (const AxisIndex axis : m_nest.spaceAxes())
            if (axis != lane && m_loops.extentOf(axis) > 1)
                row = axis;
        auto [rows, vectors] = windowTile(row.isValid() ? m_loops.extentOf(row) : 1,
                                          ceilDiv(m_loops.extentOf(lane), m_target.lanes));
        if (m_choice.rows > 0) {
            rows = m_choice.rows;
            vectors = m_choice.vectors;
        }
        // In a small image, the weights of some channels stay near for all points.
        constexpr std::int64_t small = 128 * 1024;
        std::int64_t bytes = 0;
        for (const ReadIndex read : readsIn(m_nest.body))
            bytes += m_tensors[m_nest.reads[read].tensor].elements() * std::int64_t(sizeof(float));
        const int order = m_choice.order != 0             ? m_choice.order
                          : bytes <= small && !m_isShared ? 2
                                                          : 1;
        m_tile = {{int(rows), int(vectors), 1, order, -1}, true};
        m_loops.vectorize(lane, vectors);
        m_loops.unrollTile(row, rows);
        // The window is unrolled as long as the code stays small, inner axes first.
        const std::vector<AxisIndex> reductions = reductionAxes();
        std::int64_t unrolled = rows * vectors;
        std::vector<std::string> inner;
        for (std::size_t i = reductions.size(); i-- > 0;) {
            unrolled *= m_loops.extentOf(reductions[i]);
            if (unrolled > mostUnrolled)
                break;
            if (m_loops.has(m_loops.nameOf(reductions[i])))
                inner.insert(inner.begin(), m_loops.nameOf(reductions[i]));
        }
        m_loops.unrollLoops(inner);
        std::vector<std::string> outer = spaceByStride();
        if (order == 2)
            outer.insert(outer.begin(), m_loops.nameOf(lane) + ".o");
        m_loops.arrange(reductions, outer);
        packConstants();
        chooseImages();
    }

    /// Returns the rows and vectors of a sliding window's tile, of so many in all.
    std::pair<std::int64_t, std::int64_t> windowTile(std::int64_t rows, std::int64_t vectors) const
    {
        const auto rowsOf = [&](std::int64_t most) {
            return bestDivision(rows, std::clamp<std::int64_t>(most, 1, 8));
        };
        // Accumulators leave half of the registers for loads.
        const int registers = m_target.vectorRegisters;
        if (vectors < 2)
            return {rowsOf(registers / 2), 1};
        if (m_target.byElement)
            return loadingWindowTile(rowsOf, registers);
        const std::int64_t ofTwo = rowsOf(registers / 4), ofOne = rowsOf(registers / 2 - 1);
        // Two vectors use cache lines whole, but need twice as many registers for what the next
        // column of the window reads again: one, if that does not take more tiles.
        if (2 * ceilDiv(rows, ofOne) <= ceilDiv(rows, ofTwo))
            return {ofOne, 1};
        return {ofTwo, 2};
    }

    /// Does the same for two or more vectors where operands of multiply-adds are always registers:
    /// those that hold the columns of neighbouring windows, too, as many as there are results and
    /// almost the width of a window more. One vector of a few rows hides the latency of
    /// multiply-adds.
    template <class RowsOf>
    std::pair<std::int64_t, std::int64_t> loadingWindowTile(RowsOf rowsOf, int registers) const
    {
        constexpr std::int64_t fewRows = 5;
        std::int64_t width = 1;
        for (const AxisIndex axis : reductionAxes())
            if (m_loops.extentOf(axis) > 1)
                width = m_loops.extentOf(axis);
        const std::int64_t ofOne = rowsOf(registers / 2 - width);
        if (ofOne >= fewRows)
            return {ofOne, 1};
        return {rowsOf(registers / 4 - width + 1), 2};
    }

    /// Returns a tile size up to `most` that gives the fewest tiles, if possible all full.
    static std::int64_t bestDivision(std::int64_t extent, std::int64_t most)
    {
        std::int64_t best = 1;
        for (std::int64_t size = 1; size <= std::min(most, extent); ++size)
            if (ceilDiv(extent, size) < ceilDiv(extent, best) ||
                (ceilDiv(extent, size) == ceilDiv(extent, best) && extent % size == 0))
                best = size;
        return best;
    }

    /// Packs the constants of the body, and prefetches them (ScheduleChoice::ahead).
    void packConstants(int ahead = -1)
    {
        for (const ReadIndex read : readsIn(m_nest.body)) {
            const NestRead &operand = m_nest.reads[read];
            const BlockTensor &tensor = m_tensors[operand.tensor];
            if (tensor.role == BlockTensor::Role::Constant && isOfLanes(tensor.type) &&
                tensor.elements() > 1)
                if (m_loops.pack(read) && ahead > 0) {
                    if (ahead == ScheduleChoice::nextTile)
                        m_loops.prefetchTile(read);
                    else
                        m_loops.prefetch(read, ahead);
                }
        }
    }

    /// Makes operands images where they can be (ScheduleChoice::images).
    void chooseImages()
    {
        if (m_target.imageTexels == 0)
            return;
        const bool wanted = m_choice.images != 0 ? m_choice.images == 1 : m_target.prefersImages;
        if (m_tile)
            m_tile->choice.images = wanted ? 1 : 2;
        if (!wanted)
            return;
        for (const ReadIndex read : readsIn(m_nest.body)) {
            const BlockTensorIndex tensor = m_nest.reads[read].tensor;
            // What a group computes may be in memory of the task, and is written by its kernel.
            const bool isGiven =
                !m_isShared || m_tensors[tensor].role == BlockTensor::Role::Constant;
            if (isGiven && canBeImage(m_tensors[tensor].type) &&
                readsTexels(m_nest, m_loops.schedule(), read, m_storages[tensor],
                            m_target.imageTexels))
                m_loops.image(read);
        }
    }

    const Nest &m_nest;
    const BlockTensors &m_tensors;
    const BlockStorages &m_storages;
    ScheduleTarget m_target;
    ScheduleChoice m_choice;
    bool m_isShared; // a tile of a group: operands are read again for each
    Lanes m_lanes;
    LoopArrangement m_loops;
    std::optional<EstimatedTile> m_tile;
};

} // namespace

Schedule defaultSchedule(const Nest &nest, const BlockTensors &tensors,
                         const BlockStorages &storages, const ScheduleTarget &target,
                         const std::vector<SharedLoop> &shared, const ScheduleChoice &choice)
{
    Scheduler scheduler(nest, tensors, storages, target, shared, choice);
    scheduler.run();
    return scheduler.schedule();
}

std::optional<EstimatedTile> estimatedTile(const Nest &nest, const BlockTensors &tensors,
                                           const BlockStorages &storages,
                                           const ScheduleTarget &target,
                                           const std::vector<SharedLoop> &shared)
{
    Scheduler scheduler(nest, tensors, storages, target, shared, {});
    scheduler.run();
    return scheduler.tile();
}

} // namespace graphloom

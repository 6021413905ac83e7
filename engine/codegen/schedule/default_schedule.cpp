// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/schedule/default_schedule.h"

#include "engine/base/integer_division.h"
#include "engine/codegen/index/expr_edit.h"
#include "engine/codegen/index/index_map.h"
#include "engine/codegen/nests/contraction.h"
#include "engine/codegen/schedule/lanes.h"
#include "engine/codegen/schedule/register_tiles.h"

#include <algorithm>
#include <iterator>

namespace graphloom {

namespace {

/// Code that is written out for one point of the outer loops, at most.
constexpr std::int64_t mostUnrolled = 400;

/// Chooses tiles and the order of loops by what kind of nest it is.
class Scheduler {
public:
    Scheduler(const Nest &nest, const BlockTensors &tensors, const BlockStorages &storages,
              const ScheduleTarget &target, const std::vector<SharedLoop> &shared,
              const ScheduleChoice &choice)
        : m_nest(nest), m_tensors(tensors), m_storages(storages), m_target(target),
          m_choice(choice), m_lanes(nest, tensors, storages), m_loops(nest, target.lanes, shared)
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
            product(*contraction, lane);
        else if (m_nest.reduces())
            window(lane);
        else
            elementwise(lane);
    }

    const Schedule &schedule() const { return m_loops.schedule(); }
    /// That was made, where there is a register tile.
    const std::optional<ScheduleChoice> &tile() const { return m_tile; }

private:
    /// Does the lane axis run through one operand only?
    static bool isProduct(const Contraction &contraction, AxisIndex lane)
    {
        return std::ranges::count(contraction.onlyB, lane) ||
               std::ranges::count(contraction.onlyA, lane);
    }

    std::vector<AxisIndex> reductionAxes() const
    {
        const IndexRange<AxisIndex> axes = m_nest.reductionAxes();
        return {axes.begin(), axes.end()};
    }

    /// Those that take longer steps in the tensor first.
    void sortByStride(std::vector<AxisIndex> &axes, const std::vector<IndexForm> &map,
                      BlockTensorIndex tensor) const
    {
        const IndexForm offset = offsetOf(map, m_storages[tensor]);
        std::ranges::stable_sort(axes, std::greater(), [&](AxisIndex axis) {
            const auto step = offset.stepOf(axis);
            return step ? std::abs(*step) : 0;
        });
    }

    /// Reduction axes, the one along which an operand is contiguous innermost.
    std::vector<AxisIndex> reductionsFor(ReadIndex read) const
    {
        std::vector<AxisIndex> axes = reductionAxes();
        const NestRead &operand = m_nest.reads[read];
        sortByStride(axes, operand.map, operand.tensor);
        return axes;
    }

    /// Space axes with those that take longer steps in what is written outside.
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
            workOf(m_nest.stores.front().value) > 16 ? 2 : 4; // fewer where registers are needed
        m_loops.vectorize(lane, std::min(vectors, ceilDiv(m_loops.extentOf(lane), m_target.lanes)));
        m_loops.arrange({}, spaceByStride());
    }

    void overReduction(AxisIndex axis)
    {
        m_loops.vectorize(axis, 1);
        // Products of rows: several results at a time share their loads.
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
    }

    /// A register tile of rows of one operand times vectors of the other.
    void product(const Contraction &given, AxisIndex lane)
    {
        Contraction contraction = given;
        if (std::ranges::count(contraction.onlyA, lane)) {
            std::swap(contraction.a, contraction.b);
            std::swap(contraction.onlyA, contraction.onlyB);
        }
        AxisIndex row;
        for (const AxisIndex axis : contraction.onlyA)
            if (m_loops.extentOf(axis) > 1 && (!row.isValid() || axis > row))
                row = axis;
        RegisterTile tile =
            registerTiles(row.isValid() ? m_loops.extentOf(row) : 1, m_loops.extentOf(lane),
                          m_target, m_lanes.isGathered(contraction.b, lane))
                .front();
        if (m_choice.rows > 0)
            tile = {m_choice.rows, m_choice.vectors};
        m_tile = {int(tile.rows), int(tile.vectors), 1, 2};
        m_loops.vectorize(lane, tile.vectors);
        m_loops.unrollTile(row, tile.rows);
        const std::vector<AxisIndex> reductions = reductionsFor(contraction.a);
        if (!reductions.empty())
            m_loops.unrollPart(reductions.back(), m_choice.unroll);
        // A tile's share of B stays in the cache while the rows go by.
        std::vector<std::string> outer;
        for (const AxisIndex axis : contraction.both)
            outer.push_back(m_loops.nameOf(axis));
        if (m_choice.order == 1)
            for (const AxisIndex axis : contraction.onlyA)
                std::ranges::move(m_loops.loopsOf(axis), std::back_inserter(outer));
        outer.push_back(m_loops.nameOf(lane) + ".o");
        m_loops.arrange(reductions, outer);
        packConstants();
    }

    /// Sliding windows and other reductions with results side by side.
    void window(AxisIndex lane)
    {
        AxisIndex row;
        for (const AxisIndex axis : m_nest.spaceAxes())
            if (axis != lane && m_loops.extentOf(axis) > 1)
                row = axis;
        std::int64_t vectors =
            std::min<std::int64_t>(ceilDiv(m_loops.extentOf(lane), m_target.lanes), 2);
        // As many as leave half of the registers for what they load.
        const std::int64_t most = std::max<std::int64_t>(m_target.vectorRegisters / 2 / vectors, 1);
        std::int64_t rows =
            row.isValid() ? bestDivision(m_loops.extentOf(row), std::min<std::int64_t>(most, 8))
                          : 1;
        if (m_choice.rows > 0) {
            rows = m_choice.rows;
            vectors = m_choice.vectors;
        }
        m_tile = {int(rows), int(vectors), 1, 1};
        m_loops.vectorize(lane, vectors);
        m_loops.unrollTile(row, rows);
        // The window is unrolled as far as the code stays small, its inner axes first.
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
        if (m_choice.order == 2)
            outer.insert(outer.begin(), m_loops.nameOf(lane) + ".o");
        m_loops.arrange(reductions, outer);
        packConstants();
    }

    /// The greatest tile of at most `most` that wastes least of the last one.
    static std::int64_t bestDivision(std::int64_t extent, std::int64_t most)
    {
        std::int64_t best = 1;
        for (std::int64_t size = 1; size <= std::min(most, extent); ++size)
            if (ceilDiv(extent, size) < ceilDiv(extent, best) ||
                (ceilDiv(extent, size) == ceilDiv(extent, best) && extent % size == 0))
                best = size;
        return best;
    }

    void packConstants()
    {
        for (const ReadIndex read : readsIn(m_nest.body)) {
            const NestRead &operand = m_nest.reads[read];
            const BlockTensor &tensor = m_tensors[operand.tensor];
            if (tensor.role == BlockTensor::Role::Constant && tensor.type == DataType::Float &&
                tensor.elements() > 1)
                m_loops.pack(read);
        }
    }

    const Nest &m_nest;
    const BlockTensors &m_tensors;
    const BlockStorages &m_storages;
    ScheduleTarget m_target;
    ScheduleChoice m_choice;
    Lanes m_lanes;
    LoopArrangement m_loops;
    std::optional<ScheduleChoice> m_tile;
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

std::optional<ScheduleChoice> estimatedChoice(const Nest &nest, const BlockTensors &tensors,
                                              const BlockStorages &storages,
                                              const ScheduleTarget &target,
                                              const std::vector<SharedLoop> &shared)
{
    Scheduler scheduler(nest, tensors, storages, target, shared, {});
    scheduler.run();
    return scheduler.tile();
}

} // namespace graphloom

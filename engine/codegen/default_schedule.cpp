// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/default_schedule.h"

#include "engine/base/integer_division.h"
#include "engine/codegen/expr_edit.h"
#include "engine/codegen/index_map.h"
#include "engine/codegen/vectorizable.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <set>

namespace graphloom {

namespace {

/// Code that is written out for one point of the outer loops, at most.
constexpr std::int64_t mostUnrolled = 400;

class Scheduler {
public:
    Scheduler(const Nest &nest, const std::vector<BlockTensor> &tensors,
              std::span<const Storage> storages, const ScheduleTarget &target,
              const std::vector<SharedLoop> &shared, const ScheduleChoice &choice)
        : m_nest(nest), m_tensors(tensors), m_storages(storages), m_target(target),
          m_choice(choice), m_schedule(nest)
    {
        for (const NestAxis &axis : nest.axes) {
            m_names.push_back(axis.name);
            m_extents.push_back(axis.extent);
        }
        for (const SharedLoop &loop : shared) {
            const auto axis = std::size_t(loop.axis);
            if (loop.tile < m_extents[axis]) {
                if (loop.tile > 1) {
                    must(m_schedule.tile(m_names[axis], loop.tile));
                    m_shared.push_back(m_names[axis] + ".o");
                    m_names[axis] += ".i";
                } else {
                    m_shared.push_back(m_names[axis]);
                }
            }
            m_extents[axis] = std::min(m_extents[axis], loop.tile);
        }
        m_isGrouped = !shared.empty();
    }

    Schedule run()
    {
        int lane = innermostAxis(m_nest, m_storages);
        if (lane >= 0 && (extentOf(lane) == 1 || !isVectorizable(m_nest, m_tensors, lane)))
            lane = -1;
        const auto contraction = contractionOf(m_nest);
        if (const int reduction = reductionLane(); reduction >= 0 && (lane < 0 || gathers(lane)))
            return overReduction(reduction);
        if (lane < 0)
            return plain();
        if (contraction && isProduct(*contraction, lane))
            return product(*contraction, lane);
        return m_nest.reduces() ? window(lane) : elementwise(lane);
    }

private:
    /// The loop that is left of an axis inside of the shared ones, and its iterations.
    const std::string &nameOf(int axis) const { return m_names[std::size_t(axis)]; }
    std::int64_t extentOf(int axis) const { return m_extents[std::size_t(axis)]; }
    bool has(const std::string &loop) const
    {
        return std::ranges::count(m_schedule.loops(), loop, &Loop::name) > 0;
    }

    /// Whether something that is no constant is loaded lane by lane.
    bool isGathered(int read, int lane) const
    {
        const NestRead &operand = m_nest.reads[std::size_t(read)];
        const BlockTensor &tensor = m_tensors[std::size_t(operand.tensor)];
        if (tensor.role == BlockTensor::Role::Constant || !dependsOn(operand.map, lane))
            return false;
        const auto step =
            offsetOf(operand.map, m_storages[std::size_t(operand.tensor)]).stepOf(lane);
        return !step || *step != 1;
    }

    /// Whether the body does so.
    bool gathers(int lane) const
    {
        return std::ranges::any_of(readsOf(m_nest.body),
                                   [&](int read) { return isGathered(read, lane); });
    }

public:
    /// A reduction axis along which everything that depends on it is contiguous.
    int reductionLane() const
    {
        if (!m_nest.reduces())
            return -1;
        for (int axis = int(m_nest.axes.size()) - 1; axis >= m_nest.spaceAxes(); --axis) {
            if (extentOf(axis) < m_target.lanes / 2 || !isVectorizable(m_nest, m_tensors, axis))
                continue;
            bool contiguous = true;
            for (const int read : readsOf(m_nest.body)) {
                const NestRead &operand = m_nest.reads[std::size_t(read)];
                if (!dependsOn(operand.map, axis))
                    continue;
                const auto step =
                    offsetOf(operand.map, m_storages[std::size_t(operand.tensor)]).stepOf(axis);
                contiguous = contiguous && step && *step == 1 && !operand.guarded;
            }
            if (contiguous)
                return axis;
        }
        return -1;
    }

    const std::optional<ScheduleChoice> &tile() const { return m_tile; }

    int preferredReduction() const
    {
        const int lane = innermostAxis(m_nest, m_storages);
        const int reduction = reductionLane();
        const bool isLane = lane >= 0 && isVectorizable(m_nest, m_tensors, lane);
        return reduction >= 0 && (!isLane || gathers(lane)) ? reduction : -1;
    }

private:
    /// Does the lane axis run through one operand only?
    static bool isProduct(const Contraction &contraction, int lane)
    {
        return std::ranges::count(contraction.onlyB, lane) ||
               std::ranges::count(contraction.onlyA, lane);
    }

    /// Primitives on loops that are there cannot be refused.
    static void must([[maybe_unused]] const Result<void> &done) { assert(done.has_value()); }

    /// The axis of several lanes: tiles of `vectors` vectors, unrolled, the lanes innermost.
    void vectorize(int lane, std::int64_t vectors)
    {
        const std::string name = nameOf(lane);
        std::string inner = name;
        if (extentOf(lane) > vectors * m_target.lanes) {
            must(m_schedule.tile(name, vectors * m_target.lanes));
            inner = name + ".i";
        }
        if (std::min(extentOf(lane), vectors * m_target.lanes) > m_target.lanes) {
            must(m_schedule.tile(inner, m_target.lanes));
            m_unrolled.push_back(inner + ".o");
            inner += ".i";
        }
        m_vector = inner;
    }

    /// Tiles of `count` points, unrolled.
    void unrollTile(int axis, std::int64_t count)
    {
        if (axis < 0 || count <= 1 || extentOf(axis) == 1)
            return;
        std::string inner = nameOf(axis);
        if (extentOf(axis) > count) {
            must(m_schedule.tile(inner, count));
            inner += ".i";
        }
        m_unrolled.insert(m_unrolled.begin(), inner);
    }

    /// Iterations of the innermost reduction in code, as chosen.
    void unrollReduction(const std::vector<int> &reductions)
    {
        if (m_choice.unroll <= 1 || reductions.empty() ||
            extentOf(reductions.back()) < 2 * m_choice.unroll)
            return;
        must(m_schedule.tile(nameOf(reductions.back()), m_choice.unroll));
        m_unrolled.insert(m_unrolled.begin(), nameOf(reductions.back()) + ".i");
    }

    /// Order: outer loops, reductions, unrolled loops, lanes.
    void arrange(const std::vector<int> &reductions, const std::vector<std::string> &outerFirst)
    {
        std::vector<std::string> order;
        const auto add = [&](const std::string &name) {
            if (has(name) && !std::ranges::count(order, name))
                order.push_back(name);
        };
        const auto isInner = [&](const std::string &name) {
            return name == m_vector || std::ranges::count(m_unrolled, name);
        };
        for (const std::string &name : m_shared)
            add(name);
        for (const std::string &name : outerFirst)
            if (!isInner(name))
                add(name);
        for (const Loop &loop : m_schedule.loops())
            if (!m_schedule.reduces(loop) && !isInner(loop.name))
                add(loop.name);
        const std::size_t outer = order.size();
        for (const int axis : reductions)
            for (const Loop &loop : m_schedule.loops())
                if (loop.axis == axis && !isInner(loop.name))
                    add(loop.name);
        for (const std::string &name : m_unrolled)
            add(name);
        add(m_vector);
        must(m_schedule.reorder(order));
        for (std::size_t i = 0; i < (m_isGrouped ? m_shared.size() : outer); ++i)
            must(m_schedule.parallelize(order[i]));
        for (const std::string &name : m_unrolled)
            must(m_schedule.unroll(name));
        if (!m_vector.empty())
            must(m_schedule.vectorize(m_vector));
    }

    std::vector<int> reductionAxes() const
    {
        std::vector<int> axes;
        for (int axis = m_nest.spaceAxes(); axis < int(m_nest.axes.size()); ++axis)
            axes.push_back(axis);
        return axes;
    }

    /// Reduction axes, the one along which an operand is contiguous innermost.
    std::vector<int> reductionsFor(int read) const
    {
        std::vector<int> axes = reductionAxes();
        const NestRead &operand = m_nest.reads[std::size_t(read)];
        const IndexForm offset = offsetOf(operand.map, m_storages[std::size_t(operand.tensor)]);
        std::ranges::stable_sort(axes, std::greater(), [&](int axis) {
            const auto step = offset.stepOf(axis);
            return step ? std::abs(*step) : 0;
        });
        return axes;
    }

    /// Space axes with those that take longer steps in what is written outside.
    std::vector<std::string> spaceByStride() const
    {
        const NestStore &store = m_nest.stores.front();
        const IndexForm offset = offsetOf(store.map, m_storages[std::size_t(store.tensor)]);
        std::vector<int> axes(std::size_t(m_nest.spaceAxes()));
        std::iota(axes.begin(), axes.end(), 0);
        std::ranges::stable_sort(axes, std::greater(), [&](int axis) {
            const auto step = offset.stepOf(axis);
            return step ? std::abs(*step) : 0;
        });
        std::vector<std::string> names;
        for (const int axis : axes)
            for (const Loop &loop : m_schedule.loops())
                if (loop.axis == axis)
                    names.push_back(loop.name);
        return names;
    }

    Schedule plain()
    {
        arrange(reductionAxes(), {});
        return m_schedule;
    }

    Schedule elementwise(int lane)
    {
        const std::int64_t vectors =
            workOf(m_nest.stores.front().value) > 16 ? 2 : 4; // fewer where registers are needed
        vectorize(lane, std::min(vectors, ceilDiv(extentOf(lane), m_target.lanes)));
        arrange({}, spaceByStride());
        return m_schedule;
    }

    Schedule overReduction(int axis)
    {
        const std::string name = nameOf(axis);
        std::string lanes = name;
        if (extentOf(axis) > m_target.lanes) {
            must(m_schedule.tile(name, m_target.lanes));
            lanes = name + ".i";
        }
        m_vector = lanes;
        // Products of rows: several results at a time share their loads.
        if (const auto contraction = contractionOf(m_nest)) {
            const auto longest = [&](const std::vector<int> &axes) {
                int best = -1;
                for (const int candidate : axes)
                    if (extentOf(candidate) > 1 &&
                        (best < 0 || extentOf(candidate) > extentOf(best)))
                        best = candidate;
                return best;
            };
            unrollTile(longest(contraction->onlyA), 4);
            unrollTile(longest(contraction->onlyB), 4);
        }
        std::vector<int> reductions = reductionAxes();
        std::erase(reductions, axis);
        reductions.push_back(axis);
        arrange(reductions, {});
        return m_schedule;
    }

    /// A register tile of rows of one operand times vectors of the other.
    Schedule product(const Contraction &given, int lane)
    {
        Contraction contraction = given;
        if (std::ranges::count(contraction.onlyA, lane)) {
            std::swap(contraction.a, contraction.b);
            std::swap(contraction.onlyA, contraction.onlyB);
        }
        int row = -1;
        for (const int axis : contraction.onlyA)
            if (extentOf(axis) > 1 && (row < 0 || axis > row))
                row = axis;
        RegisterTile tile = registerTiles(row < 0 ? 1 : extentOf(row), extentOf(lane), m_target,
                                          isGathered(contraction.b, lane))
                                .front();
        if (m_choice.rows > 0)
            tile = {m_choice.rows, m_choice.vectors};
        m_tile = {int(tile.rows), int(tile.vectors), 1, 2};
        vectorize(lane, tile.vectors);
        unrollTile(row, tile.rows);
        const std::vector<int> reductions = reductionsFor(contraction.a);
        unrollReduction(reductions);
        // A tile's share of B stays in the cache while the rows go by.
        std::vector<std::string> outer;
        for (const int axis : contraction.both)
            outer.push_back(nameOf(axis));
        if (m_choice.order == 1)
            for (const int axis : contraction.onlyA)
                for (const Loop &loop : m_schedule.loops())
                    if (loop.axis == axis)
                        outer.push_back(loop.name);
        outer.push_back(nameOf(lane) + ".o");
        arrange(reductions, outer);
        packConstants();
        return m_schedule;
    }

    /// Sliding windows and other reductions with results side by side.
    Schedule window(int lane)
    {
        int row = -1;
        for (int axis = 0; axis < m_nest.spaceAxes(); ++axis)
            if (axis != lane && extentOf(axis) > 1)
                row = axis;
        std::int64_t vectors = std::min<std::int64_t>(ceilDiv(extentOf(lane), m_target.lanes), 2);
        // As many as leave half of the registers for what they load.
        const std::int64_t most = std::max<std::int64_t>(m_target.vectorRegisters / 2 / vectors, 1);
        std::int64_t rows =
            row < 0 ? 1 : bestDivision(extentOf(row), std::min<std::int64_t>(most, 8));
        if (m_choice.rows > 0) {
            rows = m_choice.rows;
            vectors = m_choice.vectors;
        }
        m_tile = {int(rows), int(vectors), 1, 1};
        vectorize(lane, vectors);
        unrollTile(row, rows);
        // The window is unrolled as far as the code stays small, its inner axes first.
        const std::vector<int> reductions = reductionAxes();
        std::int64_t unrolled = rows * vectors;
        std::vector<std::string> inner;
        for (std::size_t i = reductions.size(); i-- > 0;) {
            unrolled *= extentOf(reductions[i]);
            if (unrolled > mostUnrolled)
                break;
            if (has(nameOf(reductions[i])))
                inner.insert(inner.begin(), nameOf(reductions[i]));
        }
        m_unrolled.insert(m_unrolled.begin(), inner.begin(), inner.end());
        std::vector<std::string> outer = spaceByStride();
        if (m_choice.order == 2)
            outer.insert(outer.begin(), nameOf(lane) + ".o");
        arrange(reductions, outer);
        packConstants();
        return m_schedule;
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
        for (const int read : readsOf(m_nest.body)) {
            const NestRead &operand = m_nest.reads[std::size_t(read)];
            const BlockTensor &tensor = m_tensors[std::size_t(operand.tensor)];
            if (tensor.role == BlockTensor::Role::Constant && tensor.type == DataType::Float &&
                m_schedule.isPackable(read) && tensor.elements() > 1)
                must(m_schedule.pack(read));
        }
    }

    const Nest &m_nest;
    const std::vector<BlockTensor> &m_tensors;
    std::span<const Storage> m_storages;
    ScheduleTarget m_target;
    ScheduleChoice m_choice;
    std::optional<ScheduleChoice> m_tile; // that was made, where there is a register tile
    Schedule m_schedule;
    std::vector<std::string> m_names; // by axis: see nameOf()
    std::vector<std::int64_t> m_extents;
    std::vector<std::string> m_shared; // loops in common with others
    bool m_isGrouped = false;
    std::vector<std::string> m_unrolled; // outermost first
    std::string m_vector;
};

} // namespace

std::optional<Contraction> contractionOf(const Nest &nest)
{
    if (nest.combine != Combine::Sum || nest.body->fn != Fn::Mul)
        return std::nullopt;
    const Expr left = nest.body.argument(0), right = nest.body.argument(1);
    if (left->fn != Fn::Load || right->fn != Fn::Load)
        return std::nullopt;
    const NestRead &a = nest.reads[std::size_t(left->index)];
    const NestRead &b = nest.reads[std::size_t(right->index)];
    if (a.tensor == b.tensor && a.map == b.map) // a square
        return std::nullopt;
    Contraction contraction{left->index, right->index, {}, {}, {}};
    for (int axis = 0; axis < nest.spaceAxes(); ++axis) {
        const bool inA = dependsOn(a.map, axis), inB = dependsOn(b.map, axis);
        (inA && inB ? contraction.both
         : inA      ? contraction.onlyA
                    : contraction.onlyB)
            .push_back(axis);
    }
    return contraction;
}

int innermostAxis(const Nest &nest, std::span<const Storage> storages)
{
    // Where results are stored in several orders, the first one counts that has such an axis.
    for (const NestStore &store : nest.stores) {
        const IndexForm offset = offsetOf(store.map, storages[std::size_t(store.tensor)]);
        for (int axis = 0; axis < nest.spaceAxes(); ++axis)
            if (nest.axes[std::size_t(axis)].extent > 1)
                for (const auto &[atom, coefficient] : offset.terms()) {
                    const bool direct =
                        atom->kind == IndexForm::Kind::Variable && atom->number == axis;
                    const bool digit = atom->kind == IndexForm::Kind::Remainder &&
                                       atom->argument.asVariable() == axis;
                    if (coefficient == 1 && (direct || digit))
                        return axis;
                }
    }
    return -1;
}

Nest withJoinedAxes(const Nest &nest, const std::vector<BlockTensor> &tensors,
                    std::span<const Storage> storages)
{
    Nest joined = nest;
    const auto isUsedAsValue = [](const Nest &in, int axis) {
        bool used = false;
        const auto look = [&](const Expr &expr) {
            forEachPart(expr, [&](const Expr::Node &node) {
                used = used || (node.fn == Fn::Axis && node.index == axis);
            });
        };
        if (!in.body.empty())
            look(in.body);
        for (const NestStore &store : in.stores)
            look(store.value);
        return used;
    };
    for (int inner = int(nest.axes.size()) - 1; inner > 0; --inner) {
        const int outer = inner - 1;
        const NestAxis &a = joined.axes[std::size_t(outer)], &b = joined.axes[std::size_t(inner)];
        if (a.reduces != b.reduces || a.extent <= 1 || b.extent <= 1 ||
            joined.combine >= Combine::ArgMax || isUsedAsValue(joined, outer) ||
            isUsedAsValue(joined, inner))
            continue;
        bool possible = true;
        const auto look = [&](const std::vector<IndexForm> &map, int tensor, bool guarded) {
            if (!dependsOn(map, outer) && !dependsOn(map, inner))
                return;
            const Storage storage = tensors[std::size_t(tensor)].role == BlockTensor::Role::Constant
                                        ? Storage::rowMajor(tensors[std::size_t(tensor)].extents)
                                        : storages[std::size_t(tensor)];
            const IndexForm offset = offsetOf(map, storage);
            const auto far = offset.stepOf(outer), near = offset.stepOf(inner);
            possible = possible && !guarded && far && near && *far == *near * b.extent;
        };
        for (const NestRead &read : joined.reads)
            look(read.map, read.tensor, read.guarded);
        for (const NestStore &store : joined.stores)
            look(store.map, store.tensor, false);
        if (!possible)
            continue;
        const std::int64_t extent = b.extent;
        joined.axes[std::size_t(inner)].extent = a.extent * b.extent;
        joined.axes[std::size_t(inner)].name = a.name + b.name;
        joined.axes[std::size_t(outer)].extent = 1;
        const std::vector<std::int64_t> extents = joined.extents();
        const auto replace = [&](std::vector<IndexForm> &map) {
            for (IndexForm &form : map)
                form = form.substituted(
                    [&](int axis) -> std::optional<IndexForm> {
                        const IndexForm both = IndexForm::variable(inner);
                        if (axis == outer)
                            return IndexForm::quotient(both, extent, extents);
                        if (axis == inner)
                            return IndexForm::remainder(both, extent, extents);
                        return std::nullopt;
                    },
                    extents);
        };
        for (NestRead &read : joined.reads)
            replace(read.map);
        for (NestStore &store : joined.stores)
            replace(store.map);
    }
    // Schedules tell loops apart by name.
    std::set<std::string> names;
    for (NestAxis &axis : joined.axes)
        while (axis.extent != 1 && !names.insert(axis.name).second)
            axis.name += "'";
    return joined;
}

std::vector<RegisterTile> registerTiles(std::int64_t rows, std::int64_t columns,
                                        const ScheduleTarget &target, bool gathered)
{
    const std::int64_t all = ceilDiv(columns, target.lanes);
    struct Candidate {
        RegisterTile tile;
        double cost;
    };
    std::vector<Candidate> candidates;
    for (std::int64_t vectors = 1; vectors <= std::min<std::int64_t>(all, 6); ++vectors)
        for (std::int64_t r = 1; r <= std::min<std::int64_t>(rows, 30); ++r) {
            // Accumulators, a vector of B for each column, and one of A.
            if (r * vectors + vectors + 1 > target.vectorRegisters)
                break;
            // Cycles with two multiply-adds and two loads each; at least eight chains of
            // multiply-adds are needed to hide their latency of four cycles. A gathered vector
            // takes a load and a move for each lane.
            const double vector = gathered ? double(target.lanes) : 0;
            const auto cycles = [&](std::int64_t m, std::int64_t n) {
                const double multiplyAdds = double(std::max<std::int64_t>(m * n, 8)) / 2;
                return std::max(multiplyAdds, double(m + n) / 2) + 0.15 * double(m + n) +
                       vector * double(n);
            };
            const std::int64_t wholeRows = rows / r, restRows = rows % r;
            const std::int64_t wholeColumns = all / vectors, restColumns = all % vectors;
            double cost = double(wholeRows * wholeColumns) * cycles(r, vectors);
            if (restRows)
                cost += double(wholeColumns) * cycles(restRows, vectors);
            if (restColumns)
                cost += double(wholeRows) * cycles(r, restColumns);
            if (restRows && restColumns)
                cost += cycles(restRows, restColumns);
            candidates.push_back({{r, vectors}, cost});
        }
    std::ranges::stable_sort(candidates, {}, &Candidate::cost);
    std::vector<RegisterTile> tiles;
    for (const Candidate &candidate : candidates)
        tiles.push_back(candidate.tile);
    return tiles;
}

Schedule defaultSchedule(const Nest &nest, const std::vector<BlockTensor> &tensors,
                         std::span<const Storage> storages, const ScheduleTarget &target,
                         const std::vector<SharedLoop> &shared, const ScheduleChoice &choice)
{
    return Scheduler(nest, tensors, storages, target, shared, choice).run();
}

std::optional<ScheduleChoice> estimatedChoice(const Nest &nest,
                                              const std::vector<BlockTensor> &tensors,
                                              std::span<const Storage> storages,
                                              const ScheduleTarget &target,
                                              const std::vector<SharedLoop> &shared)
{
    Scheduler scheduler(nest, tensors, storages, target, shared, {});
    scheduler.run();
    return scheduler.tile();
}

int preferredReductionLane(const Nest &nest, const std::vector<BlockTensor> &tensors,
                           std::span<const Storage> storages, const ScheduleTarget &target)
{
    return nest.reduces() ? Scheduler(nest, tensors, storages, target, {}, {}).preferredReduction()
                          : -1;
}

} // namespace graphloom

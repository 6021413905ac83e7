// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/phase_model.h"

#include "engine/base/integer_division.h"
#include "engine/codegen/emit/plan_kernels.h"
#include "engine/ops/describe/expr_edit.h"
#include "engine/ops/describe/stage_facts.h"

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

/// Describes a cache of a unit, and how fast the level behind it fills it.
struct Cache {
    double bytes = 0;
    double fill = 0; // bytes/s
};

std::vector<Cache> cachesOf(const Device &device)
{
    std::vector<Cache> caches;
    if (!device.machine)
        return caches;
    const UnitKind &unit = fastestUnits(*device.machine);
    for (std::size_t level = 0; level < unit.memory.size(); ++level) {
        if (!unit.memory[level].bytes)
            continue;
        const double behind = level + 1 < unit.memory.size()
                                  ? unit.memory[level + 1].bandwidth.value
                                  : device.machine->memory.front().bandwidth.value / device.units;
        caches.push_back({unit.memory[level].bytes->value, behind});
    }
    return caches;
}

/// Counts what the code of one nest does with a schedule.
class NestModel {
public:
    NestModel(const BlockKernel &kernel, NestIndex number, const Schedule &schedule,
              const ScheduleTarget &target)
        : m_kernel(kernel), m_nest(kernel.block.nests[number]), m_schedule(schedule),
          m_loops(schedule.loops()), m_target(target)
    {
        m_tile.resize(m_nest.axes.size());
        std::ranges::fill(m_tile, 1);
        for (const LoopIndex l : m_loops.indices()) {
            const Loop &loop = m_loops[l];
            const bool isVector = loop.kind == Loop::Kind::Vector;
            if (!isVector && loop.kind != Loop::Kind::Unrolled)
                continue;
            if (schedule.reduces(loop)) {
                m_unrolled *= double(tripsOf(l));
                continue;
            }
            m_tile[loop.axis] *= tripsOf(l);
            if (isVector) {
                m_lane = loop.axis;
                m_lanes = tripsOf(l);
            }
        }
    }

    /// Returns the cycles of all tiles. A cycle has two vector operations, two loads and a store;
    /// eight chains of multiply-adds hide their latency of four cycles.
    double cycles() const
    {
        double tiles = 1, steps = 1, accumulators = 1;
        for (const AxisIndex axis : m_nest.axes.indices()) {
            const std::int64_t extent = m_nest.axes[axis].extent;
            (m_nest.axes[axis].reduces ? steps : tiles) *= double(ceilDiv(extent, m_tile[axis]));
            accumulators *= double(m_tile[axis]);
        }
        accumulators /= double(m_lanes);
        double each = m_nest.reduces() ? steps * stepCycles(accumulators) : 0;
        for (const NestStore &store : m_nest.stores)
            each += std::max(accumulators * operations(store.value) / 2, loads(store.value) / 2) +
                    accumulators * accesses(store.map, store.tensor, false);
        return tiles * each;
    }

    /// Returns the bytes that come into a cache again, after they came once, as the loops around
    /// its contents run.
    double bytesAgain(double cache) const
    {
        constexpr double share = 0.5; // the rest holds what else passes through
        std::vector<const std::vector<IndexForm> *> maps;
        std::vector<BlockTensorIndex> tensors;
        for (const NestRead &read : m_nest.reads) {
            maps.push_back(&read.map);
            tensors.push_back(read.tensor);
        }
        for (const NestStore &store : m_nest.stores) {
            maps.push_back(&store.map);
            tensors.push_back(store.tensor);
        }
        // The outermost loops inside of which everything stays in the cache.
        int inside = 0;
        std::vector<double> held(maps.size());
        for (;; ++inside) {
            double all = 0;
            for (std::size_t m = 0; m < maps.size(); ++m)
                all += held[m] = footprint(*maps[m], tensors[m], inside);
            if (all <= share * cache || inside == int(m_loops.size()))
                break;
        }
        double again = 0;
        for (std::size_t m = 0; m < maps.size(); ++m) {
            double times = 1;
            bool changes = false; // what the cache holds of it
            for (int outer = inside - 1; outer >= 0; --outer) {
                const LoopIndex l(outer);
                changes = changes || std::ranges::any_of(*maps[m], [&](const IndexForm &form) {
                              return form.dependsOn(m_loops[l].axis);
                          });
                if (changes)
                    times *= double(tripsOf(l));
            }
            again += std::max(0., held[m] * times - footprint(*maps[m], tensors[m], 0));
        }
        return again;
    }

    double parallelTasks() const
    {
        double tasks = 1;
        for (const LoopIndex l : m_loops.indices())
            if (m_loops[l].kind == Loop::Kind::Parallel)
                tasks *= double(tripsOf(l));
        return tasks;
    }

private:
    std::int64_t tripsOf(LoopIndex loop) const
    {
        return ceilDiv(spanOf(m_loops, loop, m_nest), m_loops[loop].step);
    }

    static double operations(const Expr &expr)
    {
        constexpr double function = 20; // of vector operations that an elementary function takes
        return operationsOf(expr) + function * functionsOf(expr);
    }

    /// Returns the cycles of one iteration of the reduction for a tile.
    double stepCycles(double accumulators) const
    {
        constexpr double overhead = 0.15; // of each load: addresses, operands used once
        const double operation = operations(m_nest.body) + 1; // a multiply-add does two
        const double loaded = loads(m_nest.body);
        // In registers stay one operand for the others, or, with the next elements of what lanes
        // share, all of them.
        double least = loaded, all = 0;
        for (const int read : readsOf(m_nest.body)) {
            const double vectors = vectorsOf(ReadIndex(read));
            least = std::min(least, vectors);
            all += vectors;
        }
        const double held = takesElements() ? all : least + 1;
        const double missing = std::max(0., accumulators + held - double(m_target.vectorRegisters));
        return std::max(std::max(accumulators, 8.) * operation / 4, loaded / 2) +
               overhead * loaded + missing + 1 / m_unrolled;
    }

    double loads(const Expr &expr) const
    {
        double sum = 0;
        for (const int read : readsOf(expr))
            sum += loadsOf(ReadIndex(read));
        return sum;
    }
    /// Tells whether multiply-adds take elements of vectors (ScheduleTarget::byElement).
    bool takesElements() const
    {
        return m_target.byElement && m_lane.isValid() && m_unrolled >= double(m_target.lanes);
    }
    double loadsOf(ReadIndex number) const
    {
        const NestRead &read = m_nest.reads[number];
        const bool isShared = takesElements() && !dependsOn(read.map, m_lane);
        return vectorsOf(number) / (isShared ? double(m_target.lanes) : 1.);
    }
    /// Returns the loads of one iteration of the reduction by itself.
    double vectorsOf(ReadIndex number) const
    {
        const NestRead &read = m_nest.reads[number];
        double count = 1;
        for (const AxisIndex axis : m_nest.axes.indices())
            if (!m_nest.axes[axis].reduces && dependsOn(read.map, axis))
                count *= double(axis == m_lane ? m_tile[axis] / m_lanes : m_tile[axis]);
        return count * accesses(read.map, read.tensor, m_schedule.packed().contains(number));
    }

    static bool dependsOn(const std::vector<IndexForm> &map, AxisIndex axis)
    {
        return std::ranges::any_of(map,
                                   [axis](const IndexForm &form) { return form.dependsOn(axis); });
    }

    /// Returns how many accesses a vector takes: 1, or one for each lane whose neighbours are
    /// elsewhere.
    double accesses(const std::vector<IndexForm> &map, BlockTensorIndex tensor, bool packed) const
    {
        if (packed || !m_lane.isValid() || !dependsOn(map, m_lane))
            return 1;
        std::int64_t step = 0;
        for (std::size_t d = 0; d < map.size(); ++d) {
            if (!map[d].dependsOn(m_lane))
                continue;
            const auto own = map[d].stepOf(m_lane);
            if (!own || d >= m_kernel.storages[tensor].strides.size())
                return double(m_lanes);
            step += *own * m_kernel.storages[tensor].strides[d];
        }
        return step == 1 ? 1 : double(m_lanes);
    }

    /// Returns the bytes that an iteration of the first `outer` loops touches.
    double footprint(const std::vector<IndexForm> &map, BlockTensorIndex number, int outer) const
    {
        AxisExtents spans = m_nest.extents();
        for (const LoopIndex l : firstIndices<LoopIndex>(outer))
            spans[m_loops[l].axis] = std::min(spans[m_loops[l].axis], m_loops[l].step);
        const BlockTensor &tensor = m_kernel.block.tensors[number];
        double elements = 1;
        for (std::size_t d = 0; d < map.size(); ++d) {
            const std::int64_t extent = tensor.extents[d];
            const Bounds bounds = map[d].hasLookup() ? Bounds{0, extent - 1} : map[d].bounds(spans);
            elements *= double(std::clamp<std::int64_t>(bounds.most - bounds.least + 1, 1,
                                                        std::max<std::int64_t>(extent, 1)));
        }
        return elements * double(bytesOf(tensor.type, 1));
    }

    const BlockKernel &m_kernel;
    const Nest &m_nest;
    const Schedule &m_schedule;
    const Loops &m_loops;
    const ScheduleTarget &m_target;
    IndexedVector<AxisIndex, std::int64_t> m_tile; // points of the register tile
    double m_unrolled = 1;                         // iterations of reductions
    AxisIndex m_lane;                              // invalid: there are no vectors
    std::int64_t m_lanes = 1;
};

} // namespace

PhaseTimes modelledPhaseTimes(const Device &device, const ScheduleTarget &target)
{
    return [device, target, caches = cachesOf(device)](const BlockKernel &kernel, PhaseIndex phase,
                                                       GroupSchedules schedules) {
        const NestGroup &group = kernel.groups[phase];
        // A unit at its peak does two multiply-adds with all lanes in a cycle.
        const double cycle =
            4. * std::max(device.lanes, target.lanes) * device.units / device.peakFlops;
        double seconds = 0, tasks = 1;
        for (const MemberIndex member : group.members()) {
            if (kernel.block.nests[group.nestOf(member)].points(true) == 0)
                continue;
            const NestModel nest(kernel, group.nestOf(member), schedules[member], target);
            seconds += nest.cycles() * cycle;
            for (const Cache &cache : caches)
                seconds += nest.bytesAgain(cache.bytes) / cache.fill;
            tasks = std::max(tasks, nest.parallelTasks());
        }
        const double threads = std::clamp(double(target.threads), 1., double(device.units));
        const KernelWork work = workOf(kernel, phase);
        KernelWork moved;
        moved.bytes = work.bytes;
        moved.cacheBytes = work.cacheBytes;
        const double whole =
            kernelSeconds(device, moved) + seconds * std::ceil(tasks / threads) / tasks;
        return PhaseTime{whole, whole};
    };
}

} // namespace graphloom

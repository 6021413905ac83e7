// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/schedule/loop_arrangement.h"

#include "engine/base/integer_division.h"

#include <algorithm>
#include <cassert>

namespace graphloom {

namespace {

/// Asserts that a primitive succeeded, as it must on existing loops.
void must([[maybe_unused]] const Result<void> &done)
{
    assert(done.has_value());
}

} // namespace

LoopArrangement::LoopArrangement(const Nest &nest, int lanes, const std::vector<SharedLoop> &shared,
                                 int items)
    : m_nest(nest), m_lanes(lanes), m_items(items), m_schedule(nest), m_isGrouped(!shared.empty())
{
    for (const NestAxis &axis : nest.axes) {
        m_names.push_back(axis.name);
        m_extents.push_back(axis.extent);
    }
    for (const SharedLoop &loop : shared) {
        const AxisIndex axis = loop.axis;
        if (loop.slides) {
            // How many rows are new is known only at run time: no tiles, nothing unrolled.
            m_sliding = m_names[axis];
            m_extents[axis] = 1;
            continue;
        }
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
}

bool LoopArrangement::has(const std::string &loop) const
{
    return std::ranges::count(m_schedule.loops(), loop, &Loop::name) > 0;
}

std::vector<std::string> LoopArrangement::loopsOf(AxisIndex axis) const
{
    std::vector<std::string> names;
    for (const Loop &loop : m_schedule.loops())
        if (loop.axis == axis)
            names.push_back(loop.name);
    return names;
}

void LoopArrangement::vectorize(AxisIndex axis, std::int64_t vectors)
{
    const std::string name = nameOf(axis);
    std::string inner = name;
    if (extentOf(axis) > vectors * m_lanes) {
        must(m_schedule.tile(name, vectors * m_lanes));
        inner = name + ".i";
    }
    if (std::min(extentOf(axis), vectors * m_lanes) > m_lanes) {
        must(m_schedule.tile(inner, m_lanes));
        m_unrolled.push_back(inner + ".o");
        inner += ".i";
    }
    m_vector = inner;
}

void LoopArrangement::unrollTile(AxisIndex axis, std::int64_t count)
{
    if (!axis.isValid() || count <= 1 || extentOf(axis) == 1)
        return;
    std::string inner = nameOf(axis);
    if (extentOf(axis) > count) {
        must(m_schedule.tile(inner, count));
        inner += ".i";
    }
    m_unrolled.insert(m_unrolled.begin(), inner);
}

void LoopArrangement::unrollPart(AxisIndex axis, std::int64_t count)
{
    if (count <= 1 || extentOf(axis) < 2 * count)
        return;
    must(m_schedule.tile(nameOf(axis), count));
    m_unrolled.insert(m_unrolled.begin(), nameOf(axis) + ".i");
}

void LoopArrangement::arrange(const std::vector<AxisIndex> &reductions,
                              const std::vector<std::string> &outerFirst)
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
    const auto isOrdered = [&](const std::string &name) {
        const auto loop = std::ranges::find(m_schedule.loops(), name, &Loop::name);
        return loop != m_schedule.loops().end() && m_schedule.isOrdered(*loop);
    };
    for (const std::string &name : outerFirst)
        if (!isInner(name) && !isOrdered(name))
            add(name);
    for (const Loop &loop : m_schedule.loops())
        if (!m_schedule.reduces(loop) && !isInner(loop.name) && !m_schedule.isOrdered(loop))
            add(loop.name);
    const std::size_t outer = order.size();
    for (const Loop &loop : m_schedule.loops())
        if (m_schedule.isOrdered(loop) && !isInner(loop.name))
            add(loop.name);
    for (const AxisIndex axis : reductions)
        for (const std::string &name : loopsOf(axis))
            if (!isInner(name))
                add(name);
    for (const std::string &name : m_unrolled)
        add(name);
    add(m_vector);
    must(m_schedule.reorder(order));
    for (std::size_t i = 0; i < (m_isGrouped ? m_shared.size() : outer); ++i)
        must(m_schedule.parallelize(order[i]));
    if (m_isGrouped && m_items > 1)
        distribute({order.begin() + std::ptrdiff_t(m_shared.size()),
                    order.begin() + std::ptrdiff_t(outer)});
    if (!m_sliding.empty())
        must(m_schedule.slide(m_sliding));
    for (const std::string &name : m_unrolled)
        must(m_schedule.unroll(name));
    if (!m_vector.empty())
        must(m_schedule.vectorize(m_vector));
}

void LoopArrangement::distribute(const std::vector<std::string> &loops)
{
    std::int64_t items = 1;
    for (std::size_t i = loops.size(); i-- > 0;) {
        if (loops[i] == m_sliding)
            continue;
        const auto loop = std::ranges::find(m_schedule.loops(), loops[i], &Loop::name);
        const LoopIndex at(loop - m_schedule.loops().begin());
        const std::int64_t count = ceilDiv(spanOf(m_schedule.loops(), at, m_nest), loop->step);
        if (items * count > m_items)
            continue;
        items *= count;
        must(m_schedule.distribute(loops[i]));
    }
}

void LoopArrangement::unrollLoops(const std::vector<std::string> &loops)
{
    m_unrolled.insert(m_unrolled.begin(), loops.begin(), loops.end());
}

bool LoopArrangement::pack(ReadIndex read)
{
    if (!m_schedule.isPackable(read))
        return false;
    must(m_schedule.pack(read));
    return true;
}

void LoopArrangement::prefetch(ReadIndex read, std::int64_t bytes)
{
    must(m_schedule.prefetch(read, bytes));
}

void LoopArrangement::prefetchTile(ReadIndex read)
{
    must(m_schedule.prefetchTile(read));
}

void LoopArrangement::image(ReadIndex read)
{
    must(m_schedule.image(read));
}

} // namespace graphloom

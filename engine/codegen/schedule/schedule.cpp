// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/schedule/schedule.h"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace graphloom {

namespace {

constexpr std::string_view betweenSchedules = " | ";

} // namespace

std::string_view nameOf(Loop::Kind kind)
{
    switch (kind) {
    case Loop::Kind::Serial:
        return "serial";
    case Loop::Kind::Parallel:
        return "parallel";
    case Loop::Kind::Unrolled:
        return "unroll";
    case Loop::Kind::Vector:
        return "vectorize";
    case Loop::Kind::Sliding:
        return "slide";
    case Loop::Kind::Item:
        return "item";
    }
    return "";
}

Schedule::Schedule(const Nest &nest)
{
    for (const AxisIndex number : nest.axes.indices()) {
        const NestAxis &axis = nest.axes[number];
        m_reduces.push_back(axis.reduces);
        m_ordered.push_back(axis.ordered);
        m_axes.push_back(axis.name);
        if (axis.extent != 1)
            m_loops.push_back({axis.name, number, 1, Loop::Kind::Serial});
    }
    for (const NestRead &read : nest.reads)
        m_packable.push_back(!read.guarded &&
                             std::ranges::none_of(read.map, &IndexForm::hasLookup));
}

Result<LoopIndex> Schedule::find(std::string_view name) const
{
    const auto found = std::ranges::find(m_loops, name, &Loop::name);
    if (found == m_loops.end()) {
        std::string known;
        for (const Loop &loop : m_loops)
            known += (known.empty() ? "" : ", ") + loop.name;
        return fail(Error::Kind::Usage, "there is no loop \"" + std::string(name) +
                                            "\"; there are " + (known.empty() ? "none" : known));
    }
    return LoopIndex(found - m_loops.begin());
}

void Schedule::note(const std::string &primitive)
{
    m_text += (m_text.empty() ? "" : "; ") + primitive;
}

Result<void> Schedule::tile(std::string_view name, std::int64_t size)
{
    GL_TRY_CONST(at, find(name));
    Loop outer = m_loops[*at], inner = outer;
    if (size < 1)
        return fail(Error::Kind::Usage, "a tile of " + std::to_string(size) + " iterations of \"" +
                                            std::string(name) + "\"");
    if (outer.kind != Loop::Kind::Serial)
        return fail(Error::Kind::Usage, "\"" + std::string(name) + "\" is " +
                                            std::string(nameOf(outer.kind)) +
                                            " already; tile it before");
    outer.name += ".o";
    inner.name += ".i";
    outer.step *= size;
    note("tile " + std::string(name) + " " + std::to_string(size)); // `name` may refer to the loop
    m_loops[*at] = outer;
    m_loops.elements().insert(m_loops.begin() + at->number() + 1, inner);
    return {};
}

Result<void> Schedule::reorder(const std::vector<std::string> &names)
{
    Loops loops;
    std::string text = "reorder";
    for (const std::string &name : names) {
        GL_TRY_CONST(at, find(name));
        loops.push_back(m_loops[*at]);
        text += " " + name;
    }
    if (loops.size() != m_loops.size())
        return fail(Error::Kind::Usage,
                    "a new order must name all " + std::to_string(m_loops.size()) + " loops once");
    for (const LoopIndex i : loops.indices())
        for (const LoopIndex j : IndexRange(i + 1, loops.nextIndex())) {
            if (loops[i].name == loops[j].name)
                return fail(Error::Kind::Usage,
                            "the new order names \"" + loops[i].name + "\" twice");
            // A loop inside of a tile needs to know which tile.
            if (loops[i].axis == loops[j].axis && loops[i].step < loops[j].step)
                return fail(Error::Kind::Usage, "\"" + loops[j].name + "\" must stay outside \"" +
                                                    loops[i].name +
                                                    "\", which runs inside of its tiles");
        }
    const auto orderedOf = [this](const Loops &all) {
        std::vector<std::string> ordered;
        for (const Loop &loop : all)
            if (isOrdered(loop))
                ordered.push_back(loop.name);
        return ordered;
    };
    if (orderedOf(loops) != orderedOf(m_loops))
        return fail(Error::Kind::Usage, "loops whose iterations may write the same element must "
                                        "stay in their order");
    m_loops = std::move(loops);
    note(text);
    return {};
}

Result<void> Schedule::setKind(std::string_view name, Loop::Kind kind, std::string_view primitive)
{
    GL_TRY_CONST(at, find(name));
    m_loops[*at].kind = kind;
    note(std::string(primitive) + " " + std::string(name));
    return {};
}

Result<void> Schedule::vectorize(std::string_view name)
{
    GL_TRY_CONST(at, find(name));
    if (m_loops[*at].step != 1)
        return fail(Error::Kind::Usage,
                    "\"" + std::string(name) +
                        "\" runs over tiles: adjacent iterations cannot be lanes");
    if (isOrdered(m_loops[*at]))
        return fail(Error::Kind::Usage, "iterations of \"" + std::string(name) +
                                            "\" may write the same element: they cannot be lanes");
    if (std::ranges::count(m_loops, Loop::Kind::Vector, &Loop::kind))
        return fail(Error::Kind::Usage, "there is a vector loop already");
    return setKind(name, Loop::Kind::Vector, "vectorize");
}

Result<void> Schedule::unroll(std::string_view name)
{
    return setKind(name, Loop::Kind::Unrolled, "unroll");
}

Result<void> Schedule::checkIndependent(LoopIndex at) const
{
    const Loop &loop = m_loops[at];
    if (reduces(loop))
        return fail(Error::Kind::Usage, "\"" + loop.name +
                                            "\" runs over a reduction, whose iterations depend on "
                                            "each other");
    if (isOrdered(loop))
        return fail(Error::Kind::Usage, "iterations of \"" + loop.name +
                                            "\" may write the same element and must run in order");
    return {};
}

Result<void> Schedule::parallelize(std::string_view name)
{
    GL_TRY_CONST(at, find(name));
    GL_TRY(checkIndependent(*at));
    return setKind(name, Loop::Kind::Parallel, "parallel");
}

Result<void> Schedule::distribute(std::string_view name)
{
    GL_TRY_CONST(at, find(name));
    GL_TRY(checkIndependent(*at));
    return setKind(name, Loop::Kind::Item, "item");
}

Result<void> Schedule::slide(std::string_view name)
{
    GL_TRY_CONST(at, find(name));
    const Loop &loop = m_loops[*at];
    if (reduces(loop) || isOrdered(loop) || loop.step != 1 ||
        std::ranges::count(m_loops, loop.axis, &Loop::axis) > 1)
        return fail(Error::Kind::Usage,
                    "\"" + std::string(name) +
                        "\" cannot slide: it must be the only loop of an axis over space");
    return setKind(name, Loop::Kind::Sliding, "slide");
}

Result<void> Schedule::pack(ReadIndex read)
{
    const std::string number = std::to_string(read.number());
    GL_TRY(checkRead(read));
    if (!isPackable(read))
        return fail(Error::Kind::Usage,
                    "read " + number +
                        " cannot be packed: it reads at positions known only at run time");
    m_packed.insert(read);
    note("pack " + number);
    return {};
}

Result<void> Schedule::checkRead(ReadIndex read) const
{
    if (m_packable.contains(read))
        return {};
    return fail(Error::Kind::Usage, "there is no read " + std::to_string(read.number()));
}

Result<void> Schedule::checkPacked(ReadIndex read) const
{
    if (m_packed.contains(read))
        return {};
    return fail(Error::Kind::Usage, "read " + std::to_string(read.number()) +
                                        " is not packed, and cannot be prefetched");
}

Result<void> Schedule::prefetchTile(ReadIndex read)
{
    GL_TRY(checkPacked(read));
    m_tilePrefetches.insert(read);
    note("prefetch " + std::to_string(read.number()) + " tile");
    return {};
}

Result<void> Schedule::prefetch(ReadIndex read, std::int64_t bytes)
{
    const std::string number = std::to_string(read.number());
    GL_TRY(checkPacked(read));
    constexpr std::int64_t mostBytes = 1 << 20;
    if (bytes < 1 || bytes > mostBytes)
        return fail(Error::Kind::Usage, "read " + number + " can be prefetched by 1 to " +
                                            std::to_string(mostBytes) + " bytes, not by " +
                                            std::to_string(bytes));
    m_prefetched[read] = bytes;
    note("prefetch " + number + " " + std::to_string(bytes));
    return {};
}

Result<void> Schedule::image(ReadIndex read)
{
    GL_TRY(checkRead(read));
    m_images.insert(read);
    note("image " + std::to_string(read.number()));
    return {};
}

std::int64_t Schedule::prefetchBytes(ReadIndex read) const
{
    const auto found = m_prefetched.find(read);
    return found == m_prefetched.end() ? 0 : found->second;
}

Result<void> Schedule::check() const
{
    bool inReduction = false, inRegisters = false, beyondParallel = false;
    for (const Loop &loop : m_loops) {
        const bool reduction = reduces(loop);
        const bool inCode = loop.kind == Loop::Kind::Unrolled || loop.kind == Loop::Kind::Vector;
        if (loop.kind == Loop::Kind::Parallel && beyondParallel)
            return fail(Error::Kind::Usage, "the parallel loop \"" + loop.name +
                                                "\" must not be inside a sequential one");
        beyondParallel = beyondParallel || loop.kind != Loop::Kind::Parallel;
        if (!inCode && inRegisters)
            return fail(Error::Kind::Usage, "\"" + loop.name + "\" is inside an unrolled loop");
        if (!reduction && inReduction && !inCode)
            return fail(Error::Kind::Usage, "the loop \"" + loop.name +
                                                "\" inside the reduction must be unrolled or "
                                                "vectorized: its points are accumulators");
        inReduction = inReduction || reduction;
        inRegisters = inRegisters || inCode;
    }
    for (const LoopIndex at : m_loops.indices())
        if (m_loops[at].kind == Loop::Kind::Vector && at != m_loops.lastIndex())
            return fail(Error::Kind::Usage, "the vector loop must be the innermost one");
    return {};
}

Result<void> Schedule::apply(std::string_view text)
{
    std::istringstream primitives{std::string(text)};
    for (std::string primitive; std::getline(primitives, primitive, ';');) {
        std::istringstream words(primitive);
        std::vector<std::string> list;
        for (std::string word; words >> word;)
            list.push_back(word);
        if (list.empty())
            continue;
        const auto number = [&](std::size_t i) -> std::int64_t {
            std::int64_t value = -1;
            if (i < list.size())
                std::from_chars(list[i].data(), list[i].data() + list[i].size(), value);
            return value;
        };
        const std::string name = list.size() > 1 ? list[1] : "";
        const std::string &verb = list.front();
        Result<void> done;
        if (verb == "tile")
            done = tile(name, number(2));
        else if (verb == "reorder")
            done = reorder({list.begin() + 1, list.end()});
        else if (verb == "vectorize")
            done = vectorize(name);
        else if (verb == "unroll")
            done = unroll(name);
        else if (verb == "parallel")
            done = parallelize(name);
        else if (verb == "item")
            done = distribute(name);
        else if (verb == "slide")
            done = slide(name);
        else if (verb == "pack")
            done = pack(ReadIndex(number(1)));
        else if (verb == "prefetch")
            done = list.size() > 2 && list[2] == "tile" ? prefetchTile(ReadIndex(number(1)))
                                                        : prefetch(ReadIndex(number(1)), number(2));
        else if (verb == "image")
            done = image(ReadIndex(number(1)));
        else
            done = fail(Error::Kind::Usage, "\"" + verb + "\" is not a schedule primitive");
        if (!done)
            return done;
    }
    return {};
}

std::int64_t spanOf(const Loops &loops, LoopIndex at, const Nest &nest)
{
    std::int64_t span = nest.axes[loops[at].axis].extent;
    for (const LoopIndex outer : firstIndices<LoopIndex>(at.number()))
        if (loops[outer].axis == loops[at].axis)
            span = std::min(span, loops[outer].step);
    return span;
}

std::string textOf(GroupSchedules schedules)
{
    std::string text;
    std::string_view between;
    for (const Schedule &schedule : schedules) {
        text.append(between).append(schedule.text());
        between = betweenSchedules;
    }
    return text;
}

IndexedVector<MemberIndex, std::string> schedulesIn(std::string_view text)
{
    IndexedVector<MemberIndex, std::string> schedules;
    for (std::size_t from = 0;;) {
        const std::size_t to = text.find(betweenSchedules, from);
        schedules.emplace_back(text.substr(from, to - from));
        if (to == std::string_view::npos)
            return schedules;
        from = to + betweenSchedules.size();
    }
}

} // namespace graphloom

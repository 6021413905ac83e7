// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/stages/strip_access.h"

#include "engine/base/integer_division.h"

#include <algorithm>
#include <cmath>

namespace graphloom {

using strip::stripLength;

namespace {

/// Returns start + value * stride; it only wraps around if the element is outside of the tensor.
std::int64_t advanced(std::int64_t start, std::int64_t value, std::int64_t stride)
{
    return std::int64_t(std::uint64_t(start) + std::uint64_t(value) * std::uint64_t(stride));
}

std::int64_t affinePart(const LoweredIndex &index, const Point &at)
{
    std::int64_t value = index.offset;
    for (std::size_t a = 0; a < index.coefficients.size(); ++a)
        value += index.coefficients[a] * at[a];
    return value;
}

/// Applies division, table and modulo to the affine part of an index.
std::int64_t bent(const LoweredIndex &index, std::int64_t value)
{
    if (index.divide != 1)
        value = floorDiv(value, index.divide);
    if (index.modulo != 0)
        value -= floorDiv(value, index.modulo) * index.modulo;
    return index.table ? (*index.table)[std::size_t(value)] : value;
}

/// Returns the index shifted by the looked-up value, which counts from the end if it is negative.
std::int64_t shifted(const LoweredIndex &index, std::int64_t value, std::int64_t looked)
{
    looked = scalar::boundedIndex(looked);
    return value + (looked < 0 ? looked + index.extent : looked);
}

double asOutside(const LoweredMap &map, double)
{
    return map.outsideValue;
}
std::int64_t asOutside(const LoweredMap &map, std::int64_t)
{
    return scalar::saturatedTo(map.type, map.outsideValue);
}

} // namespace

void StageFailure::report(bool isFault, std::string message)
{
    const std::lock_guard lock(m_mutex);
    if (!m_first)
        m_first = Report{isFault, std::move(message)};
    m_happened.store(true, std::memory_order_relaxed);
}

StripAccess::StripAccess(const LoweredStage &stage, const LoweredMap &map, int axis)
    : m_stage(stage), m_map(map), m_axis(axis)
{
    if (axis >= 0)
        m_step = map.steps[std::size_t(axis)];
    const bool oneRunInside =
        map.outside == Read::Outside::Never || map.outside == Read::Outside::Value;
    for (const LoweredIndex &index : map.special) {
        const LoweredMap *looked =
            index.lookup >= 0 ? &stage.reads[std::size_t(index.lookup)] : nullptr;
        const bool varies = axis >= 0 && (index.coefficients[std::size_t(axis)] != 0 ||
                                          (looked && looked->depends[std::size_t(axis)]));
        if (varies && index.affine() && oneRunInside) {
            m_ranged.push_back(&index);
            continue;
        }
        Special special{&index, nullptr};
        if (looked)
            special.lookup = std::make_unique<StripAccess>(stage, *looked, varies ? axis : -1);
        (varies ? m_each : m_fixed).push_back(std::move(special));
    }
    m_uniform = m_step == 0 && m_ranged.empty() && m_each.empty();
}

double StripAccess::cost() const
{
    if (m_uniform)
        return 0.2;
    if (!m_each.empty())
        return 10 * double(m_each.size());
    std::int64_t step = m_step;
    for (const LoweredIndex *index : m_ranged)
        step += index->coefficients[std::size_t(m_axis)] * index->stride;
    const bool slowType = bitsOf(m_map.type) < 32 && isFloatingPoint(m_map.type);
    return (std::abs(step) <= 1 ? 1 : std::abs(step) <= 16 ? 2 : 4) + (slowType ? 10 : 0);
}

bool StripAccess::settle(const LoweredIndex &index, std::int64_t &value, bool raw,
                         StageFailure &failure) const
{
    if (value >= 0 && value < index.extent)
        return true;
    if (raw || m_map.outside == Read::Outside::Value)
        return false;
    const std::string place = "dimension " + std::to_string(index.dimension) + ", which has " +
                              std::to_string(index.extent) + " elements";
    if (m_map.outside == Read::Outside::Never) {
        const std::int64_t given = index.lookup >= 0 && value < 0 ? value - index.extent : value;
        failure.report(index.lookup < 0,
                       "index " + std::to_string(given) + " is outside of " + place);
        return false;
    }
    if (index.extent == 0) {
        failure.report(false, "cannot read from " + place);
        return false;
    }
    if (m_map.outside == Read::Outside::Clamp) {
        value = std::clamp<std::int64_t>(value, 0, index.extent - 1);
    } else if (m_map.outside == Read::Outside::Wrap) {
        value -= floorDiv(value, index.extent) * index.extent;
    } else { // Reflect: … 2 1 0 1 2 … last-1 last last-1 …
        const std::int64_t period = std::max<std::int64_t>(2 * (index.extent - 1), 1);
        value -= floorDiv(value, period) * period;
        value = std::min(value, period - value);
    }
    return true;
}

void StripAccess::locateRange(const LoweredIndex &index, const Point &at, bool raw,
                              Located &located, StageFailure &failure) const
{
    const std::int64_t start = affinePart(index, at);
    const std::int64_t step = index.coefficients[std::size_t(m_axis)];
    // Points i with 0 <= start + i * step < extent, for either sign of the step.
    const std::int64_t pace = std::abs(step);
    const std::int64_t before = step > 0 ? -start : start - index.extent + 1;
    const std::int64_t until = step > 0 ? index.extent - start : start + 1;
    const std::int64_t first = before <= 0 ? 0
                               : pace == 1 ? before
                                           : floorDiv(before - 1, pace) + 1;
    const std::int64_t end = until <= 0 ? 0 : pace == 1 ? until : floorDiv(until - 1, pace) + 1;
    if (m_map.outside == Read::Outside::Never && !raw && located.end > 0 &&
        (first > 0 || end < located.end))
        failure.report(true, "a read that was proved to be in range exceeds dimension " +
                                 std::to_string(index.dimension));
    located.first = int(std::clamp<std::int64_t>(first, located.first, located.end));
    located.end = int(std::clamp<std::int64_t>(end, located.first, located.end));
    located.places.start = advanced(located.places.start, start, index.stride);
    located.places.step = advanced(located.places.step, step, index.stride);
}

void StripAccess::locateEach(const Special &special, const Point &at, int count, bool raw,
                             Scratch &scratch, StageFailure &failure) const
{
    const LoweredIndex &index = *special.index;
    std::int64_t looked[stripLength];
    if (special.lookup)
        special.lookup->load(at, count, looked, failure);
    std::int64_t linear = affinePart(index, at);
    for (int i = 0; i < count; ++i, linear += index.coefficients[std::size_t(m_axis)]) {
        std::int64_t value = bent(index, linear);
        if (special.lookup)
            value = shifted(index, value, looked[i]);
        if (!settle(index, value, raw, failure))
            scratch.inside[i] = 0;
        else
            scratch.positions[i] += value * index.stride;
    }
}

StripAccess::Located StripAccess::locate(const Point &at, int count, bool raw, Scratch &scratch,
                                         StageFailure &failure) const
{
    Located located{{m_map.base, m_step, nullptr}, 0, count};
    for (std::size_t a = 0; a < m_map.steps.size(); ++a)
        located.places.start += m_map.steps[a] * at[a];
    for (const Special &special : m_fixed) {
        std::int64_t value = bent(*special.index, affinePart(*special.index, at));
        if (special.lookup) {
            std::int64_t looked = 0;
            special.lookup->load(at, 1, &looked, failure);
            value = shifted(*special.index, value, looked);
        }
        if (settle(*special.index, value, raw, failure))
            located.places.start += value * special.index->stride;
        else
            located.end = 0; // no point is inside
    }
    for (const LoweredIndex *index : m_ranged)
        locateRange(*index, at, raw, located, failure);
    if (m_each.empty())
        return located;
    strip::ramp(scratch.positions, 0, located.places.step, count);
    strip::fill(scratch.inside, 1, count);
    for (const Special &special : m_each)
        locateEach(special, at, count, raw, scratch, failure);
    located.places.positions = scratch.positions;
    return located;
}

/// Calls visit(first, end, inside) for runs of points that are all inside or all outside, in order.
template <class Visit>
void StripAccess::forEachRun(const Located &located, int count, const Scratch &scratch, Visit visit)
{
    if (located.first > 0)
        visit(0, located.first, false);
    if (!located.places.positions) {
        if (located.end > located.first)
            visit(located.first, located.end, true);
    } else {
        for (int i = located.first; i < located.end;) {
            int end = i + 1;
            while (end < located.end && scratch.inside[end] == scratch.inside[i])
                ++end;
            visit(i, end, scratch.inside[i] != 0);
            i = end;
        }
    }
    if (located.end < count)
        visit(located.end, count, false);
}

namespace {

/// Returns the places of the points from `first` on.
strip::Places behind(const strip::Places &places, int first)
{
    if (places.positions)
        return {places.start, places.step, places.positions + first};
    return {advanced(places.start, first, places.step), places.step, nullptr};
}

} // namespace

template <class T>
void StripAccess::load(const Point &at, int count, T *out, StageFailure &failure) const
{
    Scratch scratch;
    const Located located = locate(at, count, false, scratch, failure);
    forEachRun(located, count, scratch, [&](int first, int end, bool isInside) {
        if (isInside)
            strip::load(m_map.type, m_map.data, behind(located.places, first), end - first,
                        out + first);
        else
            strip::fill(out + first, asOutside(m_map, T()), end - first);
    });
}

void StripAccess::inside(const Point &at, int count, std::int64_t *out, StageFailure &failure) const
{
    Scratch scratch;
    const Located located = locate(at, count, true, scratch, failure);
    forEachRun(located, count, scratch, [&](int first, int end, bool isInside) {
        strip::fill(out + first, std::int64_t(isInside), end - first);
    });
}

template <class T>
void StripAccess::store(std::byte *target, const Point &at, int count, const T *in,
                        StageFailure &failure) const
{
    Scratch scratch;
    const Located located = locate(at, count, false, scratch, failure);
    forEachRun(located, count, scratch, [&](int first, int end, bool isInside) {
        if (isInside)
            strip::store(m_map.type, target, behind(located.places, first), end - first,
                         in + first);
    });
}

template void StripAccess::load(const Point &, int, double *, StageFailure &) const;
template void StripAccess::load(const Point &, int, std::int64_t *, StageFailure &) const;
template void StripAccess::store(std::byte *, const Point &, int, const double *,
                                 StageFailure &) const;
template void StripAccess::store(std::byte *, const Point &, int, const std::int64_t *,
                                 StageFailure &) const;

} // namespace graphloom

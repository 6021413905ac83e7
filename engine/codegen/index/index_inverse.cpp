// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/index/index_inverse.h"

#include "engine/codegen/index/index_map.h"

#include <algorithm>
#include <cstddef>

namespace graphloom {

namespace {

/// Describes axis = floor(number / divide) mod modulo; modulo is 0 for the leading digit.
struct Digit {
    AxisIndex axis;
    std::int64_t divide = 1, modulo = 0;
};

/// Returns the axes of a mixed-radix number, least significant first; none if the form is not one.
std::optional<std::vector<Digit>> digitsOf(const IndexForm &form, const AxisExtents &extents)
{
    if (form.offset() != 0 || !form.isAffine())
        return std::nullopt;
    std::vector<Digit> digits;
    for (const auto &[atom, coefficient] : form.terms())
        if (extents[atom->variable] != 1)
            digits.push_back({atom->variable, coefficient, 0});
    std::ranges::sort(digits, {}, &Digit::divide);
    std::int64_t radix = 1;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (digits[i].divide != radix)
            return std::nullopt;
        const std::int64_t extent = extents[digits[i].axis];
        digits[i].modulo = i + 1 < digits.size() ? extent : 0;
        radix *= extent;
    }
    return digits;
}

IndexForm valueOf(const Digit &digit, const IndexForm &number, const AxisExtents &extents)
{
    IndexForm value = IndexForm::quotient(number, digit.divide, extents);
    return digit.modulo == 0 ? value : IndexForm::remainder(value, digit.modulo, extents);
}

} // namespace

std::optional<AxisForms> axesFrom(const std::vector<IndexForm> &map, const AxisExtents &axisExtents,
                                  const std::vector<IndexForm> &element, const AxisExtents &extents)
{
    AxisForms axes(axisExtents.size());
    IndexedVector<AxisIndex, bool> found(axisExtents.size());
    for (std::size_t d = 0; d < map.size(); ++d) {
        const auto digits = digitsOf(map[d], axisExtents);
        if (!digits)
            return std::nullopt;
        for (const Digit &digit : *digits) {
            if (found[digit.axis])
                return std::nullopt;
            found[digit.axis] = true;
            axes[digit.axis] = valueOf(digit, element[d], extents);
        }
    }
    for (const AxisIndex axis : axes.indices())
        if (!found[axis] && axisExtents[axis] != 1)
            return std::nullopt;
    return axes;
}

std::optional<AxisForms>
axesThrough(const std::vector<IndexForm> &read, const AxisExtents &readExtents,
            const std::vector<std::int64_t> &shape, const std::vector<IndexForm> &write,
            const AxisExtents &writeExtents, IndexRange<AxisIndex> reductions)
{
    for (const IndexForm &form : write)
        for (const AxisIndex axis : reductions)
            if (form.dependsOn(axis))
                return std::nullopt;
    // Tries dimension by dimension, then by position in the whole tensor.
    if (auto axes = axesFrom(read, readExtents, write, writeExtents))
        return axes;
    const Storage rowMajor = Storage::rowMajor(shape);
    return axesFrom({offsetOf(read, rowMajor)}, readExtents, {offsetOf(write, rowMajor)},
                    writeExtents);
}

} // namespace graphloom

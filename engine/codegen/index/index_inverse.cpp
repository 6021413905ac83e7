// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/index/index_inverse.h"

#include "engine/codegen/index/index_map.h"

#include <algorithm>
#include <cstddef>

namespace graphloom {

namespace {

/// Axis = floor(number / divide) mod modulo; modulo 0 where nothing is beyond it.
struct Digit {
    int axis = 0;
    std::int64_t divide = 1, modulo = 0;
};

/// The axes that make up a mixed-radix number, least first; none where the form is another.
std::optional<std::vector<Digit>> digitsOf(const IndexForm &form,
                                           const std::vector<std::int64_t> &extents)
{
    if (form.offset() != 0 || !form.isAffine())
        return std::nullopt;
    std::vector<Digit> digits;
    for (const auto &[atom, coefficient] : form.terms())
        if (extents[std::size_t(atom->number)] != 1)
            digits.push_back({atom->number, coefficient, 0});
    std::ranges::sort(digits, {}, &Digit::divide);
    std::int64_t radix = 1;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (digits[i].divide != radix)
            return std::nullopt;
        const std::int64_t extent = extents[std::size_t(digits[i].axis)];
        digits[i].modulo = i + 1 < digits.size() ? extent : 0;
        radix *= extent;
    }
    return digits;
}

IndexForm valueOf(const Digit &digit, const IndexForm &number,
                  const std::vector<std::int64_t> &extents)
{
    IndexForm value = IndexForm::quotient(number, digit.divide, extents);
    return digit.modulo == 0 ? value : IndexForm::remainder(value, digit.modulo, extents);
}

} // namespace

std::optional<std::vector<IndexForm>> axesFrom(const std::vector<IndexForm> &map,
                                               const std::vector<std::int64_t> &axisExtents,
                                               const std::vector<IndexForm> &element,
                                               const std::vector<std::int64_t> &extents)
{
    std::vector<IndexForm> axes(axisExtents.size());
    std::vector<bool> found(axisExtents.size());
    for (std::size_t d = 0; d < map.size(); ++d) {
        const auto digits = digitsOf(map[d], axisExtents);
        if (!digits)
            return std::nullopt;
        for (const Digit &digit : *digits) {
            if (found[std::size_t(digit.axis)])
                return std::nullopt;
            found[std::size_t(digit.axis)] = true;
            axes[std::size_t(digit.axis)] = valueOf(digit, element[d], extents);
        }
    }
    for (std::size_t a = 0; a < axes.size(); ++a)
        if (!found[a] && axisExtents[a] != 1)
            return std::nullopt;
    return axes;
}

std::optional<std::vector<IndexForm>>
axesThrough(const std::vector<IndexForm> &read, const std::vector<std::int64_t> &readExtents,
            const std::vector<std::int64_t> &shape, const std::vector<IndexForm> &write,
            const std::vector<std::int64_t> &writeExtents, int writeSpaceAxes)
{
    for (const IndexForm &form : write)
        for (int a = writeSpaceAxes; a < int(writeExtents.size()); ++a)
            if (form.dependsOn(a))
                return std::nullopt;
    // As they stand, dimension by dimension; else by position in the whole tensor.
    if (auto axes = axesFrom(read, readExtents, write, writeExtents))
        return axes;
    const Storage rowMajor = Storage::rowMajor(shape);
    return axesFrom({offsetOf(read, rowMajor)}, readExtents, {offsetOf(write, rowMajor)},
                    writeExtents);
}

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/nests/moved_reads.h"

#include <algorithm>
#include <cstdio>

namespace graphloom {

namespace {

/// Limits the operands that are read at indices of more than one variable each.
constexpr std::size_t mostReads = 16;
/// Limits the terms of an index, written out. Few indices of real models have ten; longer ones come
/// from chains of reshapes that do not fit together.
constexpr std::int64_t longestIndex = 64;
/// Limits the terms of an index before it is simplified, which may leave fewer.
constexpr std::int64_t mostTried = 1024;

bool isRenaming(const AxisForms &axes)
{
    return std::ranges::all_of(
        axes, [](const IndexForm &form) { return form.isConstant() || form.asVariable(); });
}

/// Returns the maximum number of terms of the form after its variables are replaced.
std::int64_t sizeThrough(const IndexForm &form, const AxisForms &axes)
{
    std::int64_t size = form.size();
    form.forEachVariable([&](AxisIndex axis) { size += axes[axis].size(); });
    return size;
}

std::string textOfWork(double work)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", work);
    return text;
}

} // namespace

std::string MovedReads::tooMany()
{
    return "more than " + std::to_string(mostReads) +
           " operands would be read at indices of their own";
}

void MovedReads::add(MovedRead read)
{
    const auto isKnown = [&](const MovedRead &known) {
        return known.read.tensor == read.read.tensor && known.lookedUp == read.lookedUp &&
               known.read.map == read.read.map;
    };
    if (m_many || std::ranges::any_of(m_reads, isKnown))
        return;
    m_reads.push_back(std::move(read));
    if (m_reads.size() > mostReads) {
        m_many = true;
        m_reads.clear();
    }
}

void MovedReads::add(const MovedReads &others)
{
    m_many = m_many || others.m_many;
    if (m_many)
        m_reads.clear();
    for (const MovedRead &read : others.m_reads)
        add(read);
}

tl::expected<MovedReads, std::string>
MovedReads::through(const AxisForms &axes, const Nest &reader, const NestRead &read,
                    const Nest &producer, const BlockTensors &tensors, Steps &steps) const
{
    const bool renames = isRenaming(axes);
    if (m_many && !renames)
        return tl::unexpected(tooMany());
    const AxisExtents extents = reader.extents();
    MovedReads moved;
    moved.m_many = m_many;
    IndexWork inlined(tensors, extents), stored(tensors, producer.extents());
    for (const MovedRead &own : m_reads) {
        MovedRead there = own;
        for (IndexForm &form : there.read.map) {
            std::int64_t size = sizeThrough(form, axes);
            if (size <= mostTried) {
                steps.add(std::uint64_t(size));
                form = form.substituted(
                    [&](AxisIndex axis) -> std::optional<IndexForm> { return axes[axis]; },
                    extents);
                size = form.size();
            }
            if (size > longestIndex)
                return tl::unexpected("its elements would be read at an index of " +
                                      std::to_string(size) + " terms, " +
                                      std::to_string(longestIndex) + " are allowed");
        }
        if (!renames) {
            inlined.add(there);
            stored.add(own);
        }
        moved.add(std::move(there));
    }
    if (renames)
        return moved;
    const BlockTensor &tensor = tensors[read.tensor];
    IndexWork reading(tensors, extents);
    reading.add({read, false});
    const double apart = stored.work() + reading.work() + storingWork(tensor);
    if (inlined.work() <= apart)
        return moved;
    return tl::unexpected("computing the positions of its elements takes " +
                          textOfWork(inlined.work()) + " operations, writing and reading it " +
                          textOfWork(apart));
}

} // namespace graphloom

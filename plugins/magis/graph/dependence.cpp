// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/graph/dependence.h"

#include <algorithm>
#include <bit>

namespace graphloom::magis {

void Dependence::Sets::addWithMembers(Place set, Place added)
{
    for (std::size_t w = 0; w < m_words; ++w)
        m_bits[rowOf(set) + w] |= m_bits[rowOf(added) + w];
    m_bits[rowOf(set) + wordOf(added)] |= std::uint64_t(1) << (added.number() % 64);
}

int Dependence::Sets::size(Place set) const
{
    int size = 0;
    for (std::size_t w = 0; w < m_words; ++w)
        size += std::popcount(m_bits[rowOf(set) + w]);
    return size;
}

Dependence::Dependence(const StepGraph &memory, std::span<const StepIndex> steps)
    : m_before(steps.size())
{
    const IndexedSpan<Place, const StepIndex> stepAt(steps);
    IndexedVector<StepIndex, Place> placeOf(memory.steps().size());
    for (const Place place : stepAt.indices())
        placeOf[stepAt[place]] = place;
    Sets after(steps.size());
    const auto forEachBefore = [&](Place place, auto visit) {
        for (const StepIndex before : memory.steps()[stepAt[place]].before)
            if (const Place earlier = placeOf[before]; earlier.isValid())
                visit(earlier);
    };
    for (const Place i : stepAt.indices())
        forEachBefore(i, [&](Place b) { m_before.addWithMembers(i, b); });
    for (const Place i : stepAt.indices().reversed())
        forEachBefore(i, [&](Place b) { after.addWithMembers(b, i); });
    m_waists.reserve(steps.size());
    for (const Place i : stepAt.indices())
        m_waists.push_back(int(steps.size()) - 1 - m_before.size(i) - after.size(i));
}

std::vector<std::vector<StepIndex>> partition(const StepGraph &memory,
                                              std::span<const StepIndex> steps)
{
    using Place = Dependence::Place;
    const Dependence dependence(memory, steps);
    const IndexedSpan<Place, const StepIndex> stepAt(steps);
    std::vector<std::vector<StepIndex>> segments;
    std::vector<Place> open; // places that are in no segment yet
    for (const Place i : stepAt.indices()) {
        open.push_back(i);
        const bool last = i + 1 == Place(steps.size());
        if (dependence.waist(i) > 1 && !last)
            continue;
        std::vector<StepIndex> segment;
        std::erase_if(open, [&](Place j) {
            const bool inside = last || j == i || dependence.isEarlier(j, i);
            if (inside)
                segment.push_back(stepAt[j]);
            return inside;
        });
        segments.push_back(std::move(segment));
    }
    return segments;
}

} // namespace graphloom::magis

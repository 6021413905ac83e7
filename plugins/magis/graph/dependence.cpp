// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/graph/dependence.h"

#include <algorithm>
#include <bit>

namespace graphloom::magis {

Dependence::Dependence(const StepGraph &memory, std::span<const int> steps)
    : m_words((steps.size() + 63) / 64), m_before(steps.size() * m_words, 0)
{
    const std::size_t count = steps.size();
    std::vector<int> place(memory.steps().size(), -1);
    for (std::size_t i = 0; i < count; ++i)
        place[std::size_t(steps[i])] = int(i);
    std::vector<std::uint64_t> after(count * m_words, 0);
    const auto forEachBefore = [&](std::size_t i, auto visit) {
        for (const int before : memory.steps()[std::size_t(steps[i])].before)
            if (const int b = place[std::size_t(before)]; b >= 0)
                visit(std::size_t(b));
    };
    const auto unite = [&](std::vector<std::uint64_t> &rows, std::size_t to, std::size_t from) {
        for (std::size_t w = 0; w < m_words; ++w)
            rows[to * m_words + w] |= rows[from * m_words + w];
        rows[to * m_words + from / 64] |= std::uint64_t(1) << (from % 64);
    };
    for (std::size_t i = 0; i < count; ++i)
        forEachBefore(i, [&](std::size_t b) { unite(m_before, i, b); });
    for (std::size_t i = count; i-- > 0;)
        forEachBefore(i, [&](std::size_t b) { unite(after, b, i); });
    m_waists.assign(count, int(count) - 1);
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t w = 0; w < m_words; ++w)
            m_waists[i] -=
                std::popcount(m_before[i * m_words + w]) + std::popcount(after[i * m_words + w]);
}

std::vector<std::vector<int>> partition(const StepGraph &memory, std::span<const int> steps)
{
    const Dependence dependence(memory, steps);
    std::vector<std::vector<int>> segments;
    std::vector<std::size_t> open; // places that no segment has yet
    for (std::size_t i = 0; i < steps.size(); ++i) {
        open.push_back(i);
        if (dependence.waist(i) > 1 && i + 1 < steps.size())
            continue;
        const bool last = i + 1 == steps.size();
        std::vector<int> segment;
        std::erase_if(open, [&](std::size_t j) {
            const bool inside = last || j == i || dependence.isEarlier(j, i);
            if (inside)
                segment.push_back(steps[j]);
            return inside;
        });
        segments.push_back(std::move(segment));
    }
    return segments;
}

} // namespace graphloom::magis

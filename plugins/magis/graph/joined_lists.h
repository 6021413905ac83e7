// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/typed_index.h"

#include <span>
#include <utility>
#include <vector>

namespace graphloom::magis {

/// Holds a list for each index, one list after the other, which is faster to go through than lists
/// that are allocated one by one.
template <class I, class T> class JoinedLists {
public:
    std::span<const T> operator[](I index) const
    {
        return {m_elements.data() + m_begins[index], m_elements.data() + m_begins[index + 1]};
    }

    /// Adds an element to the list after those that are finished.
    void push_back(const T &element) { m_elements.push_back(element); }
    void finishList() { m_begins.push_back(int(m_elements.size())); }

    /// Makes `count` lists anew of elements with the indices of their lists. Elements of one list
    /// keep their order.
    void assign(std::size_t count, std::span<const std::pair<I, T>> entries)
    {
        m_begins.assign(count + 1, 0);
        for (const auto &[index, element] : entries)
            ++m_begins[index + 1];
        for (const I index : firstIndices<I>(count))
            m_begins[index + 1] += m_begins[index];
        m_elements.resize(entries.size());
        IndexedVector<I, int> next = m_begins;
        for (const auto &[index, element] : entries)
            m_elements[std::size_t(next[index]++)] = element;
    }

private:
    std::vector<T> m_elements;
    IndexedVector<I, int> m_begins{0}; // of the lists, and the end of the last one
};

} // namespace graphloom::magis

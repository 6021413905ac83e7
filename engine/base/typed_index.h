// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace graphloom {

/// Represents the place of an element in a list of one kind, counted from 0, or no place. Indices
/// of different tags cannot be mixed up: neither assigned, nor compared, nor used for each other's
/// lists. For example,
///
///     using Step = TypedIndex<struct StepTag>;
///     IndexedVector<Step, double> seconds;
///
/// Costs as much as the int that it holds.
template <class Tag> class TypedIndex {
public:
    /// Constructs an index of no element.
    constexpr TypedIndex() = default;
    template <std::integral Integer>
    constexpr explicit TypedIndex(Integer number) : m_number(static_cast<int>(number))
    {
    }

    constexpr bool isValid() const { return m_number >= 0; }
    /// Returns the place, -1 for none.
    constexpr int number() const { return m_number; }

    constexpr auto operator<=>(const TypedIndex &) const = default;

    constexpr TypedIndex &operator++() { return ++m_number, *this; }
    constexpr TypedIndex &operator--() { return --m_number, *this; }
    constexpr TypedIndex operator++(int) { return TypedIndex(m_number++); }
    constexpr TypedIndex operator--(int) { return TypedIndex(m_number--); }
    constexpr TypedIndex &operator+=(int distance) { return m_number += distance, *this; }
    constexpr TypedIndex &operator-=(int distance) { return m_number -= distance, *this; }
    friend constexpr TypedIndex operator+(TypedIndex index, int distance)
    {
        return index += distance;
    }
    friend constexpr TypedIndex operator-(TypedIndex index, int distance)
    {
        return index -= distance;
    }
    friend constexpr int operator-(TypedIndex a, TypedIndex b) { return a.m_number - b.m_number; }

private:
    int m_number = -1;
};

/// A range of consecutive indices, to go through in a loop. (Clang 14 cannot compile the views of
/// libstdc++ that would do the same.)
template <class I> class IndexRange {
public:
    class Iterator {
    public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = I;
        using difference_type = int;
        using pointer = const I *;
        using reference = I;

        constexpr Iterator() = default;
        constexpr Iterator(I at, int step) : m_at(at), m_step(step) {}
        constexpr I operator*() const { return m_at; }
        constexpr Iterator &operator++() { return m_at += m_step, *this; }
        constexpr Iterator operator++(int) { return {std::exchange(m_at, m_at + m_step), m_step}; }
        constexpr bool operator==(const Iterator &other) const { return m_at == other.m_at; }

    private:
        I m_at;
        int m_step = 1;
    };

    /// Constructs the range from `begin` to the index before `end`.
    constexpr IndexRange(I begin, I end) : m_first(begin), m_past(end < begin ? begin : end) {}

    constexpr Iterator begin() const { return {m_first, m_step}; }
    constexpr Iterator end() const { return {m_past, m_step}; }
    constexpr int size() const { return (m_past - m_first) * m_step; }
    constexpr bool empty() const { return m_first == m_past; }
    /// Returns the same indices, the last one first.
    constexpr IndexRange reversed() const
    {
        IndexRange result = *this;
        result.m_first = m_past - m_step;
        result.m_past = m_first - m_step;
        result.m_step = -m_step;
        return result;
    }

private:
    I m_first, m_past;
    int m_step = 1;
};

/// Returns the first `count` indices.
template <class I> constexpr IndexRange<I> firstIndices(std::integral auto count)
{
    return {I(0), I(count)};
}

/// A std::span whose elements are found by an index of one kind alone.
template <class I, class T> class IndexedSpan {
public:
    constexpr IndexedSpan() = default;
    constexpr explicit IndexedSpan(std::span<T> elements) : m_elements(elements) {}

    constexpr T &operator[](I index) const
    {
        return m_elements[static_cast<std::size_t>(index.number())];
    }
    constexpr std::size_t size() const { return m_elements.size(); }
    constexpr bool empty() const { return m_elements.empty(); }
    constexpr IndexRange<I> indices() const { return firstIndices<I>(size()); }
    constexpr auto begin() const { return m_elements.begin(); }
    constexpr auto end() const { return m_elements.end(); }
    constexpr std::span<T> elements() const { return m_elements; }

private:
    std::span<T> m_elements;
};

/// A std::vector whose elements are found by an index of one kind alone.
template <class I, class T> class IndexedVector {
public:
    using Elements = std::vector<T>;
    using value_type = T;

    IndexedVector() = default;
    IndexedVector(std::initializer_list<T> elements) : m_elements(elements) {}
    explicit IndexedVector(std::size_t count) : m_elements(count) {}
    IndexedVector(std::size_t count, const T &value) : m_elements(count, value) {}
    explicit IndexedVector(Elements elements) : m_elements(std::move(elements)) {}

    typename Elements::reference operator[](I index) { return m_elements[place(index)]; }
    typename Elements::const_reference operator[](I index) const
    {
        return m_elements[place(index)];
    }
    bool contains(I index) const { return index.isValid() && place(index) < size(); }

    std::size_t size() const { return m_elements.size(); }
    bool empty() const { return m_elements.empty(); }
    IndexRange<I> indices() const { return firstIndices<I>(size()); }
    /// Returns the index that the next appended element gets.
    I nextIndex() const { return I(size()); }
    I lastIndex() const { return nextIndex() - 1; }

    /// Appends an element and returns its index.
    I append(T element)
    {
        m_elements.push_back(std::move(element));
        return lastIndex();
    }
    void push_back(T element) { m_elements.push_back(std::move(element)); }
    template <class... Arguments> decltype(auto) emplace_back(Arguments &&...arguments)
    {
        return m_elements.emplace_back(std::forward<Arguments>(arguments)...);
    }
    void pop_back() { m_elements.pop_back(); }
    void assign(std::size_t count, const T &value) { m_elements.assign(count, value); }
    void resize(std::size_t count) { m_elements.resize(count); }
    void resize(std::size_t count, const T &value) { m_elements.resize(count, value); }
    void reserve(std::size_t count) { m_elements.reserve(count); }
    void clear() { m_elements.clear(); }

    decltype(auto) front() { return m_elements.front(); }
    decltype(auto) front() const { return m_elements.front(); }
    decltype(auto) back() { return m_elements.back(); }
    decltype(auto) back() const { return m_elements.back(); }
    auto begin() { return m_elements.begin(); }
    auto begin() const { return m_elements.begin(); }
    auto end() { return m_elements.end(); }
    auto end() const { return m_elements.end(); }

    /// Returns the elements as a plain list, for what does not count in these indices.
    const Elements &elements() const { return m_elements; }
    Elements &elements() { return m_elements; }
    IndexedSpan<I, const T> span() const requires(!std::same_as<T, bool>)
    {
        return IndexedSpan<I, const T>(m_elements);
    }

    bool operator==(const IndexedVector &) const = default;

private:
    static std::size_t place(I index) { return static_cast<std::size_t>(index.number()); }

    Elements m_elements;
};

} // namespace graphloom

template <class Tag> struct std::hash<graphloom::TypedIndex<Tag>> {
    std::size_t operator()(graphloom::TypedIndex<Tag> index) const noexcept
    {
        return static_cast<std::size_t>(index.number());
    }
};

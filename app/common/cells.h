// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/format.h"

#include <QVariant>

#include <concepts>
#include <functional>
#include <optional>
#include <type_traits>

namespace graphloom {

/// Describes how the cells of a column are obtained, by the number of their row. See makeCells().
struct Cells {
    /// Returns the content of a cell, not its formatted text: a number in the column's unit, a
    /// truth value or a text. Returns an invalid variant for an empty cell.
    std::function<QVariant(int row)> value;
    std::function<QString(int row)> text;
    std::function<bool(int row, int other)> isLess; // compares without QVariant, for long tables
    std::function<QString(int row)> toolTip = {};   // null: the text
    bool number = false;                            // aligned to the right

    /// Replaces the text. For text that is more than the formatted content.
    Cells shownAs(std::function<QString(int row)> shown) &&
    {
        text = std::move(shown);
        return std::move(*this);
    }
    Cells withToolTip(std::function<QString(int row)> shown) &&
    {
        toolTip = std::move(shown);
        return std::move(*this);
    }
    /// Sorts by a key of the row instead of the content.
    template <class Key> Cells sortedBy(Key key) &&
    {
        isLess = [key](int row, int other) { return key(row) < key(other); };
        return std::move(*this);
    }
    Cells toTheRight() &&
    {
        number = true;
        return std::move(*this);
    }
};

template <class T>
inline constexpr bool
    isNumeric = (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) || std::is_same_v<T, Dim>;
template <class T> inline constexpr bool isNumeric<std::optional<T>> = isNumeric<T>;

/// Returns the text of a cell. `show` is a function of the content, the word for "true", or null:
/// numbers are then written in full, or with four digits if they are real.
template <class T, class Show> QString cellText(const T &content, const Show &show)
{
    if constexpr (requires { content.has_value(); })
        return content ? cellText(*content, show) : QString();
    else if constexpr (std::is_invocable_v<const Show &, const T &>)
        return show(content);
    else if constexpr (std::is_same_v<T, bool>)
        return content ? QString(show) : QString();
    else if constexpr (std::is_same_v<T, Dim>)
        return content == Dim(0) ? QString() : formatDim(content);
    else if constexpr (std::is_enum_v<T>)
        return fromUtf8(nameOf(content));
    else if constexpr (std::integral<T>)
        return QString::number(content);
    else if constexpr (std::floating_point<T>)
        return formatReal(content);
    else if constexpr (std::is_same_v<T, QString>)
        return content;
    else
        return fromUtf8(content);
}

/// Returns the content of a cell as a variant. Empty texts and missing numbers are invalid.
template <class T> QVariant cellValue(const T &content)
{
    if constexpr (requires { content.has_value(); })
        return content ? cellValue(*content) : QVariant();
    else if constexpr (std::is_same_v<T, bool> || std::floating_point<T>)
        return content;
    else if constexpr (std::signed_integral<T>)
        return qlonglong(content);
    else if constexpr (std::unsigned_integral<T>)
        return qulonglong(content);
    else if constexpr (std::is_same_v<T, Dim>)
        return valueOf(content);
    else {
        const QString text = cellText(content, nullptr);
        return text.isEmpty() ? QVariant() : text;
    }
}

template <class T> bool isLessCell(const T &a, const T &b)
{
    if constexpr (std::is_same_v<T, Dim>)
        return isFewer(a, b);
    else
        return a < b;
}

/// Makes the cells of a column from a function that returns the content of a row: a number, a truth
/// value, a text, an optional one of these, a Dim, or an enumerator, which nameOf() names and which
/// sorts by its order. For `show`, see cellText().
template <class Content, class Show = std::nullptr_t>
Cells makeCells(Content content, Show show = {})
{
    using T = std::remove_cvref_t<std::invoke_result_t<const Content &, int>>;
    Cells cells;
    cells.value = [content](int row) { return cellValue<T>(content(row)); };
    cells.text = [content, show](int row) { return cellText<T>(content(row), show); };
    cells.isLess = [content](int row, int other) {
        return isLessCell<T>(content(row), content(other));
    };
    cells.number = isNumeric<T>;
    return cells;
}

} // namespace graphloom

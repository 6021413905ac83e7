// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/index/index_form.h"

#include <QtGlobal>

#include <functional>
#include <vector>

namespace graphloom::test {

/// Holds a value for each variable.
using Point = IndexedVector<AxisIndex, std::int64_t>;

using IndexForms = std::vector<IndexForm>;

/// Returns the variable with this number.
inline IndexForm v(int number)
{
    return IndexForm::variable(AxisIndex(number));
}

inline std::int64_t floored(std::int64_t a, std::int64_t b)
{
    return a / b - (a % b != 0 && a < 0);
}

/// Returns the value of an index form without lookups, evaluated literally.
inline std::int64_t valueAt(const IndexForm &form, const Point &at)
{
    std::int64_t value = form.offset();
    for (const auto &[atom, coefficient] : form.terms()) {
        std::int64_t part = 0;
        switch (atom->kind) {
        case IndexForm::Kind::Variable:
            part = at[atom->variable];
            break;
        case IndexForm::Kind::Quotient:
            part = floored(valueAt(atom->argument, at), atom->divisor);
            break;
        case IndexForm::Kind::Remainder:
            part = valueAt(atom->argument, at);
            part -= atom->divisor * floored(part, atom->divisor);
            break;
        case IndexForm::Kind::Table:
            part = atom->table->at(std::size_t(valueAt(atom->argument, at)));
            break;
        case IndexForm::Kind::Lookup:
            qFatal("a lookup has no value without data");
        }
        value += coefficient * part;
    }
    return value;
}

inline void forEachPoint(const AxisExtents &extents,
                         const std::function<void(const Point &)> &visit)
{
    Point at(extents.size(), 0);
    const std::function<void(AxisIndex)> go = [&](AxisIndex axis) {
        if (!extents.contains(axis))
            return visit(at);
        for (at[axis] = 0; at[axis] < extents[axis]; ++at[axis])
            go(axis + 1);
        at[axis] = 0;
    };
    go(AxisIndex(0));
}

} // namespace graphloom::test

// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/index/index_form.h"

/// Replaces variables and reads of index forms, which stay canonical.
namespace graphloom {

IndexForm IndexForm::substituted(const std::function<std::optional<IndexForm>(AxisIndex)> &of,
                                 const AxisExtents &extents) const
{
    IndexForm result = m_offset;
    for (const auto &[atom, coefficient] : m_terms) {
        IndexForm part;
        switch (atom->kind) {
        case Kind::Variable: {
            auto other = of(atom->variable);
            if (other)
                part = *std::move(other);
            else
                part.add(atom, 1);
            break;
        }
        case Kind::Quotient:
        case Kind::Remainder:
        case Kind::Table:
            part = withArgument(*atom, atom->argument.substituted(of, extents), extents);
            break;
        case Kind::Lookup:
            part.add(atom, 1);
            break;
        }
        result = result + part * coefficient;
    }
    return result;
}

IndexForm IndexForm::renumbered(const std::function<ReadIndex(ReadIndex)> &read) const
{
    if (!hasLookup())
        return *this;
    IndexForm result = m_offset;
    for (const auto &[atom, coefficient] : m_terms) {
        if (atom->kind == Kind::Lookup)
            result.add(makeLookup(read(atom->read), atom->divisor), coefficient);
        else if (atom->kind == Kind::Table && atom->looksUp)
            result.add(makeTable(atom->table, atom->tableKey, atom->entries,
                                 atom->argument.renumbered(read)),
                       coefficient);
        else if (atom->looksUp)
            result.add(makeDivision(atom->kind, atom->argument.renumbered(read), atom->divisor),
                       coefficient);
        else
            result.add(atom, coefficient);
    }
    return result;
}

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/index/index_form.h"

#include "engine/base/hash.h"
#include "engine/base/integer_division.h"

#include <algorithm>

namespace graphloom {

namespace {

using Kind = IndexForm::Kind;

/// Longer tables are identified by a hash, as a key is built whenever a table is indexed.
constexpr std::size_t longestKey = 32;

std::string keyOf(const IndexForm &form)
{
    std::string key;
    for (const auto &[atom, coefficient] : form.terms())
        key += std::to_string(coefficient) + "*" + atom->key + "+";
    return key + std::to_string(form.offset());
}

} // namespace

IndexForm::AtomPointer IndexForm::makeVariable(AxisIndex axis)
{
    Atom atom;
    atom.kind = Kind::Variable;
    atom.variable = axis;
    atom.key = "v" + std::to_string(axis.number());
    return std::make_shared<const Atom>(std::move(atom));
}

IndexForm::AtomPointer IndexForm::makeLookup(ReadIndex read, std::int64_t extent)
{
    Atom atom;
    atom.kind = Kind::Lookup;
    atom.read = read;
    atom.divisor = extent;
    atom.looksUp = true;
    atom.key = "l" + std::to_string(read.number()) + ":" + std::to_string(extent);
    return std::make_shared<const Atom>(std::move(atom));
}

IndexForm::AtomPointer IndexForm::makeDivision(Kind kind, IndexForm argument, std::int64_t divisor)
{
    Atom atom;
    atom.kind = kind;
    atom.argument = std::move(argument);
    atom.divisor = divisor;
    atom.size += atom.argument.size();
    atom.looksUp = atom.argument.hasLookup();
    atom.key = "(" + keyOf(atom.argument) + (kind == Kind::Quotient ? ")/" : ")%") +
               std::to_string(divisor);
    return std::make_shared<const Atom>(std::move(atom));
}

IndexForm::AtomPointer IndexForm::makeTable(Table table, std::string key, Bounds entries,
                                            IndexForm argument)
{
    Atom atom;
    atom.kind = Kind::Table;
    atom.argument = std::move(argument);
    atom.table = std::move(table);
    atom.entries = entries;
    atom.tableKey = std::move(key);
    atom.size += atom.argument.size();
    atom.looksUp = atom.argument.hasLookup();
    atom.key = "t" + atom.tableKey + "[" + keyOf(atom.argument) + "]";
    return std::make_shared<const Atom>(std::move(atom));
}

IndexForm IndexForm::withArgument(const Atom &atom, IndexForm argument, const AxisExtents &extents)
{
    switch (atom.kind) {
    case Kind::Quotient:
        return quotient(argument, atom.divisor, extents);
    case Kind::Remainder:
        return remainder(argument, atom.divisor, extents);
    case Kind::Table:
        if (argument.isConstant())
            return table(atom.table, argument);
        return ofAtom(makeTable(atom.table, atom.tableKey, atom.entries, std::move(argument)));
    case Kind::Variable:
        return variable(atom.variable);
    case Kind::Lookup:
        return lookup(atom.read, atom.divisor);
    }
    return {};
}

void IndexForm::add(const AtomPointer &atom, std::int64_t coefficient)
{
    const auto at = std::ranges::lower_bound(
        m_terms, atom->key, {},
        [](const Term &term) -> const std::string & { return term.first->key; });
    if (at != m_terms.end() && at->first->key == atom->key) {
        at->second += coefficient;
        if (at->second == 0)
            m_terms.erase(at);
    } else if (coefficient != 0) {
        m_terms.insert(at, {atom, coefficient});
    }
}

IndexForm IndexForm::variable(AxisIndex axis)
{
    // Forms share the atoms of the first axes, as most use only these.
    static const auto first = [] {
        IndexedVector<AxisIndex, AtomPointer> atoms;
        for (const AxisIndex known : firstIndices<AxisIndex>(32))
            atoms.push_back(makeVariable(known));
        return atoms;
    }();
    return ofAtom(first.contains(axis) ? first[axis] : makeVariable(axis));
}

IndexForm IndexForm::ofAtom(const AtomPointer &atom)
{
    IndexForm form;
    form.add(atom, 1);
    return form;
}

IndexForm IndexForm::table(Table values, const IndexForm &entry)
{
    if (entry.isConstant() && !values->empty())
        return (*values)[std::size_t(
            std::clamp<std::int64_t>(entry.m_offset, 0, std::int64_t(values->size()) - 1))];
    // An arithmetic progression needs no table.
    if (values->size() > 1) {
        const std::int64_t step = (*values)[1] - (*values)[0];
        bool even = true;
        for (std::size_t i = 1; even && i < values->size(); ++i)
            even = (*values)[i] - (*values)[i - 1] == step;
        if (even)
            return entry * step + IndexForm((*values)[0]);
    }
    Bounds entries;
    if (!values->empty())
        entries = {std::ranges::min(*values), std::ranges::max(*values)};
    std::string key;
    if (values->size() <= longestKey) {
        for (const std::int64_t value : *values)
            key += std::to_string(value) + ",";
    } else {
        const auto bytes = std::as_bytes(std::span(*values));
        for (const std::uint64_t seed : {0, 1})
            key += std::to_string(hashBytes(bytes, seed)) + ",";
        key += "of " + std::to_string(values->size());
    }
    return ofAtom(makeTable(std::move(values), std::move(key), entries, entry));
}

IndexForm IndexForm::lookup(ReadIndex read, std::int64_t extent)
{
    return ofAtom(makeLookup(read, extent));
}

IndexForm operator+(const IndexForm &a, const IndexForm &b)
{
    IndexForm sum = a;
    for (const auto &[atom, coefficient] : b.m_terms)
        sum.add(atom, coefficient);
    sum.m_offset += b.m_offset;
    return sum;
}

IndexForm operator*(const IndexForm &a, std::int64_t factor)
{
    if (factor == 0)
        return 0;
    IndexForm product = a;
    for (auto &[atom, coefficient] : product.m_terms)
        coefficient *= factor;
    product.m_offset *= factor;
    return product;
}

bool IndexForm::operator==(const IndexForm &other) const
{
    return m_offset == other.m_offset &&
           std::ranges::equal(m_terms, other.m_terms, [](const Term &a, const Term &b) {
               return a.second == b.second && a.first->key == b.first->key;
           });
}

std::optional<AxisIndex> IndexForm::asVariable() const
{
    if (m_offset != 0 || m_terms.size() != 1 || m_terms[0].second != 1 ||
        m_terms[0].first->kind != Kind::Variable)
        return std::nullopt;
    return m_terms[0].first->variable;
}

std::optional<std::int64_t> IndexForm::stepOf(AxisIndex variable) const
{
    std::int64_t step = 0;
    for (const auto &[atom, coefficient] : m_terms) {
        if (atom->kind == Kind::Variable)
            step += atom->variable == variable ? coefficient : 0;
        else if (atom->kind == Kind::Lookup || atom->argument.dependsOn(variable))
            return std::nullopt; // only the nest knows what a lookup depends on
    }
    return step;
}

bool IndexForm::dependsOn(AxisIndex variable) const
{
    return std::ranges::any_of(m_terms, [&](const Term &term) {
        const Atom &atom = *term.first;
        return atom.kind == Kind::Variable ? atom.variable == variable
                                           : atom.argument.dependsOn(variable);
    });
}

bool IndexForm::hasLookup() const
{
    return std::ranges::any_of(m_terms, [](const Term &term) { return term.first->looksUp; });
}

bool IndexForm::isAffine() const
{
    return std::ranges::all_of(m_terms,
                               [](const Term &term) { return term.first->kind == Kind::Variable; });
}

std::int64_t IndexForm::size() const
{
    std::int64_t size = 0;
    for (const Term &term : m_terms)
        size += term.first->size;
    return size;
}

Bounds IndexForm::bounds(const AxisExtents &extents) const
{
    Bounds sum{m_offset, m_offset};
    for (const auto &[atom, coefficient] : m_terms) {
        Bounds of;
        switch (atom->kind) {
        case Kind::Variable:
            of = {0, std::max<std::int64_t>(extents[atom->variable] - 1, 0)};
            break;
        case Kind::Quotient: {
            const Bounds argument = atom->argument.bounds(extents);
            of = {floorDiv(argument.least, atom->divisor), floorDiv(argument.most, atom->divisor)};
            break;
        }
        case Kind::Remainder:
            of = {0, atom->divisor - 1};
            break;
        case Kind::Table:
            of = atom->entries;
            break;
        case Kind::Lookup:
            of = {0, std::max<std::int64_t>(atom->divisor - 1, 0)};
            break;
        }
        sum.least += coefficient * (coefficient > 0 ? of.least : of.most);
        sum.most += coefficient * (coefficient > 0 ? of.most : of.least);
    }
    return sum;
}

void IndexForm::forEachVariable(const std::function<void(AxisIndex)> &visit) const
{
    for (const auto &[atom, coefficient] : m_terms) {
        if (atom->kind == Kind::Variable)
            visit(atom->variable);
        else
            atom->argument.forEachVariable(visit);
    }
}

void IndexForm::forEachLookup(const std::function<void(ReadIndex)> &visit) const
{
    for (const auto &[atom, coefficient] : m_terms) {
        if (atom->kind == Kind::Lookup)
            visit(atom->read);
        else if (atom->looksUp)
            atom->argument.forEachLookup(visit);
    }
}

std::string IndexForm::text(const std::function<std::string(AxisIndex)> &name) const
{
    std::string text;
    for (const auto &[atom, coefficient] : m_terms) {
        if (!text.empty())
            text += coefficient < 0 ? " - " : " + ";
        else if (coefficient < 0)
            text += "-";
        const std::int64_t size = coefficient < 0 ? -coefficient : coefficient;
        if (size != 1)
            text += std::to_string(size) + " * ";
        switch (atom->kind) {
        case Kind::Variable:
            text += name(atom->variable);
            break;
        case Kind::Quotient:
        case Kind::Remainder:
            text += "(" + atom->argument.text(name) + ")" +
                    (atom->kind == Kind::Quotient ? " / " : " % ") + std::to_string(atom->divisor);
            break;
        case Kind::Table:
            text += "table[" + atom->argument.text(name) + "]";
            break;
        case Kind::Lookup:
            text += "lookup" + std::to_string(atom->read.number());
            break;
        }
    }
    if (text.empty())
        return std::to_string(m_offset);
    if (m_offset != 0)
        text +=
            (m_offset < 0 ? " - " : " + ") + std::to_string(m_offset < 0 ? -m_offset : m_offset);
    return text;
}

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/nests/index_price.h"

#include "engine/codegen/index/index_map.h"

namespace graphloom {

namespace {

/// A division by a constant becomes a multiplication and a shift, a remainder one more
/// multiplication; entries of tables and data-dependent indices are loaded and checked.
constexpr double divisionWork = 3, loadWork = 4;
/// The work of multiplying and adding a term.
constexpr double termWork = 1;
/// The work of writing a byte and reading it back, if a core moves about 5 GB/s while all are busy
/// and computes about 5 * 10^9 scalar operations per second: both transfers, and that of the line
/// fetched before it is written.
constexpr double byteWork = 3;
/// The loop overhead per element of a data movement that is a nest of its own.
constexpr double loopWork = 4;

} // namespace

/// Returns how many times a form is computed.
double IndexWork::pointsOf(const IndexForm &form) const
{
    std::set<AxisIndex> axes;
    form.forEachVariable([&](AxisIndex axis) { axes.insert(axis); });
    double points = 1;
    for (const AxisIndex axis : m_extents.indices())
        if (axes.contains(axis) || form.hasLookup()) // the form does not tell a lookup's axes
            points *= double(m_extents[axis]);
    return points;
}

void IndexWork::add(const IndexForm &form)
{
    for (const auto &[atom, coefficient] : form.terms()) {
        if (atom->kind == IndexForm::Kind::Variable || atom->kind == IndexForm::Kind::Lookup ||
            !m_known.insert(atom->key).second)
            continue;
        const double own = atom->kind == IndexForm::Kind::Table ? loadWork : divisionWork;
        m_work += pointsOf(IndexForm::ofAtom(atom)) *
                  (own + termWork * double(atom->argument.terms().size()));
        add(atom->argument);
    }
}

void IndexWork::add(const MovedRead &moved)
{
    const NestRead &read = moved.read;
    const BlockTensor &tensor = m_tensors[read.tensor];
    if (read.guarded) // each index is tested
        for (const IndexForm &form : read.map)
            add(form);
    // Divisions that come from reshapes cancel out in the offset within the whole tensor.
    const IndexForm place = offsetOf(read.map, Storage::rowMajor(tensor.extents));
    add(place);
    if (moved.lookedUp)
        m_work += loadWork * pointsOf(place);
}

double storingWork(const BlockTensor &tensor)
{
    return double(tensor.elements()) *
           (loopWork + byteWork * double(bytesOf(tensor.type, std::uint64_t{1})));
}

} // namespace graphloom

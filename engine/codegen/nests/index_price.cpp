// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/nests/index_price.h"

#include "engine/codegen/index/index_map.h"

namespace graphloom {

namespace {

/// A division by a number that is known becomes a multiplication and a shift, a remainder one more
/// multiplication; an entry of a table, or what data say, is loaded and checked.
constexpr double divisionWork = 3, loadWork = 4;
/// A term that is multiplied and added.
constexpr double termWork = 1;
/// A byte that is written and read back, where a core moves some 5 GB/s while the others do and
/// computes some 5 * 10^9 scalar operations a second: both ways, and the line that is fetched to be
/// written.
constexpr double byteWork = 3;
/// The loop around a movement that is one by itself, for each element.
constexpr double loopWork = 4;

} // namespace

/// How often it is computed.
double IndexWork::pointsOf(const IndexForm &form) const
{
    std::set<AxisIndex> axes;
    form.forEachVariable([&](AxisIndex axis) { axes.insert(axis); });
    double points = 1;
    for (const AxisIndex axis : m_extents.indices())
        if (axes.contains(axis) || form.hasLookup()) // of a lookup one cannot tell from the form
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
    if (read.guarded) // each dimension is compared
        for (const IndexForm &form : read.map)
            add(form);
    // Divisions that reshapes bring in vanish in the place within the whole tensor.
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

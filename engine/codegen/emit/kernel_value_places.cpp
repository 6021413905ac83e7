// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/emit/kernel_values.h"

#include <algorithm>
#include <bit>
#include <set>

namespace graphloom {

IndexForm KernelValues::axisAt(AxisIndex axis, const NestPoint &point) const
{
    IndexForm form;
    const Loops &loops = m_job.schedule->loops();
    for (const LoopIndex at : loops.indices())
        if (loops[at].axis == axis &&
            (loops[at].kind != Loop::Kind::Vector || !point.laneAxis.isValid()))
            form = form + point.at[at] * loops[at].step;
    if (point.laneAxis == axis)
        form = form + IndexForm::variable(m_lane);
    return form;
}

IndexForm KernelValues::formAt(const IndexForm &form, const NestPoint &point)
{
    if (m_options.steps)
        m_options.steps->add(std::uint64_t(form.size()));
    m_extents.back() = std::max(point.lanes, 1);
    return form.substituted(
        [&](AxisIndex axis) -> std::optional<IndexForm> { return axisAt(axis, point); }, m_extents);
}

IndexForm KernelValues::offsetOf(const std::vector<IndexForm> &map, const Storage &storage,
                                 const NestPoint &point)
{
    IndexForm offset = storage.base, inTile, inRing;
    for (std::size_t d = 0; d < map.size(); ++d) {
        if (storage.ring.slots > 0 && d == storage.ring.dimension) {
            const std::int64_t before = storage.margins.empty() ? 0 : storage.margins[d].first;
            inRing = IndexForm::remainder(formAt(map[d] + before, point), storage.ring.slots,
                                          m_extents) *
                     storage.strides[d];
            continue;
        }
        (storage.local.empty() || !storage.local[d] ? offset : inTile) =
            (storage.local.empty() || !storage.local[d] ? offset : inTile) +
            map[d] * storage.strides[d];
    }
    if (inTile.isConstant())
        return formAt(offset.joined(), point) + inRing;
    NestPoint origin = point;
    const Loops &loops = m_job.schedule->loops();
    for (LoopIndex at(0); loops.contains(at) && loops[at].kind == Loop::Kind::Parallel; ++at)
        origin.at[at] = IndexForm(0);
    return formAt(offset.joined(), point) + formAt(inTile.joined(), origin) + inRing;
}

IndexForm KernelValues::packedOffset(const PackedOperand &operand, const NestPoint &point) const
{
    IndexForm offset;
    std::int64_t stride = 1;
    const Loops &loops = m_job.schedule->loops();
    for (std::size_t d = operand.dimensions.size(); d-- > 0;) {
        const PackedOperand::Dimension &dimension = operand.dimensions[d];
        const LoopIndex loop = dimension.loop;
        offset = offset + (loops[loop].kind == Loop::Kind::Vector && point.laneAxis.isValid()
                               ? IndexForm::variable(m_lane)
                               : point.at[loop]) *
                              stride;
        stride *= dimension.count;
    }
    return offset;
}

KernelValues::LevelIndex KernelValues::levelOf(const IndexForm &form) const
{
    LevelIndex level = outermost;
    form.forEachVariable([&](AxisIndex variable) {
        for (const LevelIndex at : IndexRange(outermost + 1, m_levels.nextIndex()))
            if (m_levels[at].loop == loopOf(variable))
                level = std::max(level, at);
    });
    return level;
}

std::string KernelValues::textOf(const IndexForm &form, const NestPoint &point)
{
    std::string text;
    for (const auto &[atom, coefficient] : form.terms()) {
        const std::int64_t size = coefficient < 0 ? -coefficient : coefficient;
        if (!text.empty() || coefficient < 0)
            text += coefficient < 0 ? " - " : " + ";
        std::string part;
        switch (atom->kind) {
        case IndexForm::Kind::Variable:
            part = nameOf(loopOf(atom->variable));
            break;
        case IndexForm::Kind::Quotient:
        case IndexForm::Kind::Remainder: {
            const bool quotient = atom->kind == IndexForm::Kind::Quotient;
            const std::string argument = textOf(atom->argument, point);
            const bool isPower = std::has_single_bit(std::uint64_t(atom->divisor));
            if (atom->argument.bounds(m_extents).least < 0)
                part = (quotient ? "gi_floordiv(" : "gi_mod(") + argument + ", " +
                       std::to_string(atom->divisor) + ")";
            else if (!quotient && isPower)
                part = "((" + argument + ") & " + std::to_string(atom->divisor - 1) + ")";
            else
                part =
                    "(" + argument + (quotient ? ") / " : ") % ") + std::to_string(atom->divisor);
            if (size != 1)
                part = "(" + part + ")";
            break;
        }
        case IndexForm::Kind::Table: {
            std::string values;
            for (const std::int64_t value : *atom->table)
                values += (values.empty() ? "" : ", ") + std::to_string(value);
            part = "((const int64_t[]){" + values + "})[" + textOf(atom->argument, point) + "]";
            break;
        }
        case IndexForm::Kind::Lookup: {
            const Value value = loaded(atom->read, point);
            part = "gi_lookup(" + value.text + ", " + std::to_string(atom->divisor) + ", status)";
            break;
        }
        }
        text += size == 1 ? part : std::to_string(size) + " * " + part;
    }
    if (text.empty())
        return std::to_string(form.offset());
    if (form.offset() != 0)
        text += (form.offset() < 0 ? " - " : " + ") + std::to_string(std::abs(form.offset()));
    return text;
}

void KernelValues::forEachLookedUp(const IndexForm &form, const NestPoint &point,
                                   const std::function<void(const IndexForm &)> &visit)
{
    std::set<ReadIndex> seen;
    const std::function<void(const IndexForm &)> go = [&](const IndexForm &from) {
        from.forEachLookup([&](ReadIndex read) {
            if (seen.insert(read).second)
                for (const IndexForm &index : m_nest.reads[read].map) {
                    const IndexForm at = formAt(index, point);
                    visit(at);
                    go(at);
                }
        });
    };
    go(form);
}

std::pair<std::string, std::int64_t>
KernelValues::addressOf(const std::string &buffer, const IndexForm &offset, const NestPoint &point)
{
    const KernelLanguage &language = *m_options.language;
    const DeclaredTensor &declared = *m_declared.at(buffer);
    // Each loop of the reduction gets a pointer, so that it adds only what it changes.
    const std::string type =
        declared.isImage ? "const " + language.indexType() : language.pointerTo(declared);
    std::string pointer = declared.isImage ? firstOf(declared) : buffer;
    LevelIndex level = outermost;
    for (const LevelIndex open : m_levels.indices()) {
        IndexForm part;
        for (const auto &[atom, coefficient] : offset.terms()) {
            IndexForm term = IndexForm::ofAtom(atom);
            LevelIndex of = levelOf(term);
            forEachLookedUp(term, point,
                            [&](const IndexForm &at) { of = std::max(of, levelOf(at)); });
            if (of == open)
                part = part + term * coefficient;
        }
        if (part.isConstant())
            continue;
        level = open;
        Value value{pointer + " + (" + textOf(part, point) + ")", Value::Kind::Integer, false,
                    false, level};
        pointer = named(std::move(value), type).text;
    }
    return {pointer, offset.offset()};
}

Bounds KernelValues::storedOf(const NestRead &read, std::size_t dimension) const
{
    const Storage &storage = (*m_job.storages)[read.tensor];
    Bounds stored{0, (*m_job.tensors)[read.tensor].extents[dimension] - 1};
    if (!storage.margins.empty() && storage.marginValue == read.outsideValue) {
        stored.least -= storage.margins[dimension].first;
        stored.most += storage.margins[dimension].second;
    }
    return stored;
}

std::string KernelValues::within(const std::vector<IndexForm> &map, const NestPoint &point,
                                 const std::function<Bounds(std::size_t)> &allowed,
                                 LevelIndex &level)
{
    std::string text;
    for (std::size_t d = 0; d < map.size(); ++d) {
        const IndexForm form = formAt(map[d], point);
        const Bounds bounds = form.bounds(m_extents), wanted = allowed(d);
        if (bounds.least >= wanted.least && bounds.most <= wanted.most)
            continue;
        level = std::max(level, levelOf(form));
        // The unsigned comparison rejects indices below the lower bound, too.
        text += (text.empty() ? "" : " && ") + std::string("(uint64_t)(") +
                textOf(form - IndexForm(wanted.least), point) + ") < " +
                std::to_string(wanted.most - wanted.least + 1) + "u";
    }
    return text;
}

std::string KernelValues::inside(const NestRead &read, const NestPoint &point, LevelIndex &level)
{
    return within(
        read.map, point, [&](std::size_t d) { return storedOf(read, d); }, level);
}

std::string KernelValues::guardOf(const NestStore &store, const NestPoint &point)
{
    const std::vector<std::int64_t> &extents = (*m_job.tensors)[store.tensor].extents;
    const auto allowed = [&](std::size_t d) { return Bounds{0, extents[d] - 1}; };
    for (std::size_t d = 0; d < store.map.size(); ++d) {
        const IndexForm form = formAt(store.map[d], point);
        const Bounds bounds = form.bounds(m_extents);
        if (form.dependsOn(m_lane) && (bounds.least < 0 || bounds.most >= extents[d]))
            fail("a guard along the lanes of a store");
    }
    LevelIndex level = outermost;
    const std::string text = within(store.map, point, allowed, level);
    return text.empty() ? "" : "if (" + text + ") ";
}

} // namespace graphloom

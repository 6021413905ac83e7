// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/derive/part_candidates.h"

#include "engine/ops/describe/stage_facts.h"
#include "engine/ops/gradient/adjoint.h"
#include "engine/ops/gradient/gradient.h"

#include <algorithm>
#include <set>

namespace graphloom {

namespace {

using List = std::vector<std::int64_t>;

/// A tensor of the call that the split cuts: its shape, whole and in the part.
struct CutTensor {
    Shape whole, part;
    int dim;
};

std::vector<CutTensor> cutTensors(const PartFacts &facts)
{
    std::vector<CutTensor> result;
    const auto add = [&](const Shape &whole, const TensorPart &part) {
        if (part.dim < 0)
            return;
        result.push_back({whole, whole, part.dim});
        result.back().part[std::size_t(part.dim)] = part.end - part.begin;
    };
    for (std::size_t o = 0; o < facts.outputs.size(); ++o)
        add(*facts.whole.description.values[o].shape, facts.outputs[o]);
    for (std::size_t i = 0; i < facts.inputs.size(); ++i)
        if (facts.whole.operands[i])
            add(*facts.whole.operands[i]->shape, facts.inputs[i]);
    return result;
}

void addNew(std::vector<List> &lists, List list)
{
    if (std::ranges::find(lists, list) == lists.end())
        lists.push_back(std::move(list));
}

/// Returns the unchanged list, and the list with whole extents replaced by those of the part.
std::vector<List> withExtents(const PartFacts &facts, const List &list,
                              std::span<const CutTensor> tensors)
{
    std::vector<List> lists{list};
    for (const CutTensor &tensor : tensors) {
        if (tensor.whole.size() != list.size())
            continue;
        const auto d = std::size_t(tensor.dim);
        if (tensor.whole[d] == Dim(list[d])) {
            List changed = list;
            changed[d] = tensor.part[d].value();
            addNew(lists, std::move(changed));
        }
        List whole;
        for (const Dim &extent : tensor.part)
            whole.push_back(extent.value());
        addNew(lists, std::move(whole));
    }
    for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i] == facts.split.extent) {
            List changed = list;
            changed[i] = facts.steps;
            addNew(lists, std::move(changed));
        }
    return lists;
}

/// The offsets of an index that the split cuts.
struct Shift {
    std::int64_t before = 0, after = 0; // in the whole call and in the part
};
std::vector<Shift> shiftsOf(const PartFacts &facts)
{
    std::vector<Shift> shifts;
    for (std::size_t s = 0; s < facts.description.stages.size(); ++s) {
        const Stage &whole = facts.whole.description.stages[s], &part = facts.description.stages[s];
        for (std::size_t r = 0; r < part.reads.size(); ++r)
            for (std::size_t d = 0; d < part.reads[r].map.size(); ++d) {
                const Index &index = part.reads[r].map[d];
                const bool cut = std::ranges::any_of(index.terms, [&](const auto &term) {
                    return std::ranges::find(facts.split.axes[s], term.axis) !=
                           facts.split.axes[s].end();
                });
                if (cut && index.offset.isConstant())
                    shifts.push_back({whole.reads[r].map[d].offset.value(), index.offset.value()});
            }
    }
    return shifts;
}

/// Returns pads with possible changes in one dimension: `at` and `at + half` of the list.
std::vector<List> withPads(const PartFacts &facts, const List &pads, std::size_t at)
{
    const std::size_t half = pads.size() / 2;
    std::set<std::int64_t> begins;
    std::int64_t most = 0;
    for (const Shift &shift : shiftsOf(facts)) {
        const std::int64_t by = shift.after - shift.before;
        for (const std::int64_t begin : {pads[at] - by, pads[at] + by, -shift.after, shift.after})
            if (begin >= 0)
                begins.insert(begin);
    }
    for (const SplitTensor &cut : facts.split.inputs)
        most = std::max(most, std::abs(cut.before) + std::abs(cut.after) + cut.step);
    std::vector<List> lists;
    for (const std::int64_t begin : begins)
        for (std::int64_t end = 0; end <= most + pads[at + half]; ++end) {
            List changed = pads;
            changed[at] = begin;
            changed[at + half] = end;
            lists.push_back(std::move(changed));
        }
    return lists;
}

/// Derives the pads of windows from their indices: the offset of the first window, and how far the
/// last one extends beyond the tensor, for each dimension after the first two.
std::optional<List> padsOfWindows(const PartFacts &facts)
{
    const Stage &stage = facts.description.stages.front();
    if (stage.reads.empty() || stage.reads[0].operand.kind != Operand::Kind::Input)
        return std::nullopt;
    const IndexMap &map = stage.reads[0].map;
    const Shape &shape = facts.inputShapes[std::size_t(stage.reads[0].operand.index)];
    if (map.size() < 3 || map.size() != shape.size())
        return std::nullopt;
    List pads(2 * (map.size() - 2), 0);
    for (std::size_t d = 2; d < map.size(); ++d) {
        const Index &index = map[d];
        if (!index.isAffine())
            return std::nullopt;
        std::int64_t last = index.offset.value();
        for (const Index::Term &term : index.terms)
            last +=
                term.coefficient.value() * (stage.axes[std::size_t(term.axis)].extent.value() - 1);
        pads[d - 2] = -index.offset.value();
        pads[d - 2 + map.size() - 2] = std::max<std::int64_t>(0, last + 1 - shape[d].value());
        if (pads[d - 2] < 0)
            return std::nullopt;
    }
    return pads;
}

class Proposals {
public:
    Proposals(const PartFacts &facts, const std::function<bool(const PartCandidate &)> &accept)
        : m_facts(facts), m_accept(accept), m_tensors(cutTensors(facts)),
          m_read(inputsRead(facts.whole.description, facts.inputs.size()))
    {
    }

    bool run()
    {
        const Attributes &attributes = m_facts.whole.node.attributes;
        for (const Attributes &extents : withOmitted(attributes))
            for (const Attributes &counts : withCounts(extents)) {
                PartCandidate candidate{counts, {}};
                if (tryLists(candidate, 0))
                    return true;
                for (Attributes &window : withWindows(counts)) {
                    candidate.attributes = std::move(window);
                    if (tryLists(candidate, 0))
                        return true;
                }
            }
        return false;
    }

private:
    /// Tries lists in inputs that only describe the call.
    bool tryLists(PartCandidate &candidate, std::size_t input)
    {
        for (; input < m_read.size(); ++input)
            if (!m_read[input] && m_facts.whole.operands[input] && m_facts.inputs[input].dim < 0)
                break;
        if (input >= m_read.size())
            return m_accept(candidate);
        const auto known = m_facts.whole.call().integers(input);
        if (!known)
            return tryLists(candidate, input + 1);
        for (const List &list : listsFor(*known)) {
            const bool changed = list != *known;
            if (changed)
                candidate.lists.emplace_back(input, list);
            if (tryLists(candidate, input + 1))
                return true;
            if (changed)
                candidate.lists.pop_back();
        }
        return false;
    }

    std::vector<List> listsFor(const List &list) const
    {
        std::vector<List> lists = withExtents(m_facts, list, m_tensors);
        for (const CutTensor &tensor : m_tensors)
            if (list.size() == 2 * tensor.whole.size()) {
                for (List &pads : withPads(m_facts, list, std::size_t(tensor.dim)))
                    addNew(lists, std::move(pads));
                break;
            }
        return lists;
    }

    /// Returns attributes with changed counts that equal the steps of the split: groups, heads.
    std::vector<Attributes> withCounts(const Attributes &attributes) const
    {
        std::vector<Attributes> result{attributes};
        for (const Attribute &attribute : attributes) {
            const auto *value = std::get_if<std::int64_t>(&attribute.value);
            if (value && *value == m_facts.split.extent)
                result.push_back(attributes.with(attribute.name, m_facts.steps));
            const auto *list = std::get_if<List>(&attribute.value);
            if (!list || list->empty() || attribute.name.starts_with("gradient_"))
                continue;
            const auto lists = withExtents(m_facts, *list, m_tensors);
            for (std::size_t k = 1; k < lists.size(); ++k)
                result.push_back(attributes.with(attribute.name, lists[k]));
        }
        return result;
    }

    /// Returns attributes with changed extents of the inputs that a gradient node does not read:
    /// any of these may be cut.
    std::vector<Attributes> withOmitted(const Attributes &attributes) const
    {
        const auto omitted = omittedInputs(m_facts.whole.node);
        if (!omitted || omitted->empty())
            return {attributes};
        std::vector<std::vector<OmittedInput>> choices{{}};
        for (const OmittedInput &input : *omitted) {
            std::vector<std::vector<OmittedInput>> next;
            for (const OmittedInput &choice : partsOf(input))
                for (const auto &before : choices) {
                    next.push_back(before);
                    next.back().push_back(choice);
                }
            choices = std::move(next);
        }
        std::vector<Attributes> result;
        for (const auto &choice : choices)
            result.push_back(withOmittedInputs(attributes, choice));
        return result;
    }

    /// Returns the input with possible extents of a part, and finally the unchanged input.
    std::vector<OmittedInput> partsOf(const OmittedInput &input) const
    {
        std::vector<OmittedInput> parts;
        for (const CutTensor &tensor : m_tensors)
            for (const bool fromEnd : {false, true}) {
                const auto d = std::size_t(tensor.dim) +
                               (fromEnd ? input.shape.size() - tensor.whole.size() : 0);
                if (d >= input.shape.size() ||
                    !(input.shape[d] == tensor.whole[std::size_t(tensor.dim)]))
                    continue;
                OmittedInput part = input;
                part.shape[d] = tensor.part[std::size_t(tensor.dim)];
                if (std::ranges::find(parts, part.shape, &OmittedInput::shape) == parts.end())
                    parts.push_back(std::move(part));
            }
        parts.push_back(input);
        return parts;
    }

    /// Returns attributes of windows with pads only at the true border.
    std::vector<Attributes> withWindows(Attributes attributes) const
    {
        const auto tensor =
            std::ranges::find_if(m_tensors, [](const CutTensor &cut) { return cut.dim >= 2; });
        if (tensor == m_tensors.end())
            return {};
        const std::size_t count = tensor->whole.size() - 2, at = std::size_t(tensor->dim) - 2;
        std::vector<Attributes> bases, result;
        if (attributes.contains("auto_pad"))
            attributes = attributes.with("auto_pad", std::string("NOTSET"));
        if (attributes.integer("ceil_mode", 0) != 0)
            attributes = attributes.with("ceil_mode", std::int64_t{0});
        attributes = attributes.without("output_shape");
        bases.push_back(attributes);
        List extra = attributes.integers("output_padding");
        if (extra.size() == count && extra[at] != 0) {
            extra[at] = 0;
            bases.push_back(attributes.with("output_padding", extra));
        }
        List pads = attributes.integers("pads");
        if (pads.size() != 2 * count)
            pads.assign(2 * count, 0);
        for (const Attributes &base : bases) {
            if (const auto exact = padsOfWindows(m_facts); exact && exact->size() == 2 * count) {
                List changed = pads;
                changed[at] = (*exact)[at];
                changed[at + count] = (*exact)[at + count];
                result.push_back(base.with("pads", std::move(changed)));
                result.push_back(base.with("pads", *exact));
            }
            for (List &changed : withPads(m_facts, pads, at))
                result.push_back(base.with("pads", std::move(changed)));
        }
        return result;
    }

    const PartFacts &m_facts;
    const std::function<bool(const PartCandidate &)> &m_accept;
    const std::vector<CutTensor> m_tensors;
    const std::vector<bool> m_read;
};

} // namespace

bool proposeParts(const PartFacts &facts, const std::function<bool(const PartCandidate &)> &accept)
{
    return Proposals(facts, accept).run();
}

} // namespace graphloom

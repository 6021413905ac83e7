// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/tree_editing.h"

#include "plugins/magis/description.h"
#include "plugins/magis/search/fission_tree.h"

#include <algorithm>

namespace graphloom::magis {

namespace {

std::string numbersText(const std::vector<int> &numbers)
{
    std::string text;
    for (const int number : numbers)
        if (number > 1)
            text += (text.empty() ? "" : ", ") + std::to_string(number);
    return text;
}

class TreeEditor {
public:
    TreeEditor(const Variant &variant, const Decisions &decisions)
        : m_variant(variant), m_table(variant.space->fissions()), m_decisions(decisions)
    {
    }

    /// Returns the state with another number of parts of a fission; `lift` disables those in the
    /// way.
    Result<State> with(std::size_t place, int number, bool lift) const
    {
        const EnabledFission &target = m_decisions.tree[place];
        const Fission &fission = m_table.fission(target.fission);
        if (number > 1 && !std::ranges::count(fission.numbers(), number))
            return refuse(place, "it can be in " + numbersText(fission.numbers()) + " parts, not " +
                                     std::to_string(number));
        std::vector<EnabledFission> fissions = m_decisions.state.arrangement->fissions().elements();
        std::erase_if(fissions,
                      [&](const EnabledFission &other) { return other.fission == target.fission; });
        if (number > 1) {
            for (std::size_t other = 0; other < m_decisions.tree.size(); ++other) {
                const auto at = std::ranges::find(fissions, m_decisions.tree[other].fission,
                                                  &EnabledFission::fission);
                if (at == fissions.end() || !isInTheWay(fission, m_table.fission(at->fission)))
                    continue;
                if (!lift)
                    return refuse(
                        place,
                        "it shares nodes with the region " + nameOf(other) +
                            ", which is enabled; lift it instead, or disable that one first");
                if (m_decisions.locked[other])
                    return refuse(place, "it shares nodes with the region " + nameOf(other) +
                                             ", which is locked; unlock that one first");
                fissions.erase(at);
            }
            fissions.push_back({target.fission, number});
        }
        const SearchSpace &space = *m_variant.space;
        const auto arrangement = space.arrange(m_decisions.state.order, fissions);
        if (!arrangement)
            return refuse(
                place,
                "not enough elements are left to split further inside the enclosing regions");
        Simulator simulator(*m_variant.memory, space.evictions());
        if (auto state = space.evaluate(simulator, m_decisions.state.order, arrangement,
                                        m_decisions.state.policies))
            return *std::move(state);
        // Recomputed tensors may need ones that are gone: they are kept instead.
        Policies policies = m_decisions.state.policies;
        std::ranges::replace(policies, Policy::Recompute, Policy::Keep);
        if (auto state = space.evaluate(simulator, m_decisions.state.order, arrangement,
                                        std::move(policies)))
            return *std::move(state);
        return refuse(place, "the steps cannot run in this order");
    }

private:
    /// Tells whether the fissions overlap without one containing the other, or are equal: two ways
    /// to cut one region.
    static bool isInTheWay(const Fission &fission, const Fission &other)
    {
        const std::size_t shared = fission.overlap(other);
        return shared > 0 &&
               ((shared != fission.nodes().size() && shared != other.nodes().size()) ||
                fission.nodes().size() == other.nodes().size());
    }
    std::string nameOf(std::size_t place) const
    {
        const Graph &graph = m_variant.graph;
        const auto &nodes = m_table.fission(m_decisions.tree[place].fission).nodes();
        return "from " + graph.node(nodes.front()).label() + " to " +
               graph.node(nodes.back()).label();
    }
    tl::unexpected<Error> refuse(std::size_t place, std::string reason) const
    {
        return fail(Error::Kind::Usage, std::move(reason), "the region " + nameOf(place));
    }

    const Variant &m_variant;
    const FissionTable &m_table;
    const Decisions &m_decisions;
};

} // namespace

Result<Decisions> edited(const Variant &variant, Decisions decisions,
                         const Context::FissionEdit &edit)
{
    if (edit.fission < 0 || std::size_t(edit.fission) >= decisions.tree.size())
        return fail(Error::Kind::Usage, "the plan has no fission with this number",
                    std::to_string(edit.fission));
    const auto place = std::size_t(edit.fission);
    if (edit.number != decisions.tree[place].number) {
        GL_TRY_RESULT(state, TreeEditor(variant, decisions).with(place, edit.number, edit.lift));
        decisions.state = *std::move(state);
    }
    std::vector<FissionIndex> locked;
    for (std::size_t f = 0; f < decisions.tree.size(); ++f)
        if (f == place ? edit.locked : bool(decisions.locked[f]))
            locked.push_back(decisions.tree[f].fission);
    // Fissions that are no longer enabled become candidates.
    std::vector<FissionIndex> candidates;
    for (const EnabledFission &enabled : decisions.tree)
        candidates.push_back(enabled.fission);
    decisions.tree = treeOf(*variant.space, decisions.state, candidates);
    decisions.locked.clear();
    for (const EnabledFission &enabled : decisions.tree)
        decisions.locked.push_back(std::ranges::count(locked, enabled.fission) > 0);
    return decisions;
}

void addChoices(const Variant &variant, const Decisions &decisions, MemoryPlan &plan)
{
    const SearchSpace &space = *variant.space;
    const MemoryGraph &memory = *variant.memory;
    Trace trace;
    Simulator(memory, space.evictions())
        .run(*variant.unoptimized.arrangement, variant.unoptimized.policies, &trace);
    RegionScores scores(memory, hotSpots(trace, variant.unoptimized.outcome.peak));
    const TreeEditor editor(variant, decisions);
    for (std::size_t f = 0; f < decisions.tree.size(); ++f) {
        MemoryPlan::Fission &entry = plan.fissions[f];
        entry.locked = decisions.locked[f];
        const Fission &fission = space.fissions().fission(decisions.tree[f].fission);
        const NodeScore score = scores.of(fission.nodes());
        entry.heat = score.heat;
        entry.score = score.score;
        const bool enabled = decisions.tree[f].number > 1;
        const int least = fission.numbers().size() > 1 ? fission.numbers()[1] : 1;
        const auto changed = editor.with(f, enabled ? 1 : least, false);
        if (changed)
            entry.changed = {changed->outcome.seconds * 1e3, changed->outcome.peak, {}};
        else
            entry.changed.origin = changed.error().message;
    }
}

} // namespace graphloom::magis

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/interpreter/compare.h"
#include "engine/interpreter/interpreter.h"
#include "plugins/magis/realize/arena_run.h"
#include "plugins/magis/realize/constant_parts.h"
#include "plugins/magis/search/search_space.h"

#include <QString>

/// Runs plans of a graph, and compares them with it.
namespace graphloom::test {

/// What plans consist of, and how many of them do.
struct PlanKinds {
    int plans = 0, split = 0, nested = 0, windows = 0, recomputed = 0, swapped = 0;
    /// Plans that need as much as the search says, and that need less.
    int exact = 0, less = 0;

    PlanKinds &operator+=(const PlanKinds &other)
    {
        for (const auto member :
             {&PlanKinds::plans, &PlanKinds::split, &PlanKinds::nested, &PlanKinds::windows,
              &PlanKinds::recomputed, &PlanKinds::swapped, &PlanKinds::exact, &PlanKinds::less})
            this->*member += other.*member;
        return *this;
    }

    QString text() const
    {
        return QString("%1 plans: %2 with fissions, %3 nested, %4 with windows; %5 compute again, "
                       "%6 swap; %7 need what the search says, %8 less")
            .arg(plans)
            .arg(split)
            .arg(nested)
            .arg(windows)
            .arg(recomputed)
            .arg(swapped)
            .arg(exact)
            .arg(less);
    }
};

class PlanCheck {
public:
    PlanCheck(const magis::SearchSpace &space, const Opsets &opsets, std::vector<TensorData> inputs)
        : m_space(space), m_opsets(opsets), m_inputs(std::move(inputs))
    {
        auto expected = interpret(space.memory().graph(), opsets, m_inputs);
        if (!expected)
            qFatal("%s", expected.error().text().c_str());
        m_expected = *std::move(expected);
    }

    /// Statistics of few elements magnify what parts round differently.
    void setTolerance(double tolerance) { m_tolerance = tolerance; }
    /// Weights stay as they are, as in inference: parts of them are weights.
    void foldWeights() { m_foldsWeights = true; }
    const PlanKinds &kinds() const { return m_kinds; }
    const std::vector<TensorData> &expected() const { return m_expected; }

    bool hasWindows(const magis::State &state) const
    {
        return std::ranges::any_of(
            state.arrangement->fissions(), [&](const magis::EnabledFission &enabled) {
                return m_space.fissions().fission(enabled.fission).hasWindows();
            });
    }

    /// What is wrong with a state; empty if nothing is. Runs it in an arena, and with `exported` as
    /// the graph that it is without one.
    QString wrong(const magis::State &state, bool exported = true)
    {
        const magis::MemoryGraph &memory = m_space.memory();
        magis::Trace trace;
        magis::Simulator(memory, m_space.evictions())
            .run(*state.arrangement, state.policies, &trace);
        auto made =
            magis::realized(memory, m_space.fissions(), *state.arrangement, trace, m_opsets);
        if (made && m_foldsWeights)
            made = magis::withConstantParts(*std::move(made), m_opsets);
        if (!made)
            return QString::fromStdString(made.error().text());
        count(state, *made);
        if (exported) {
            const auto given = interpret(made->graph, m_opsets, m_inputs);
            if (!given)
                return QString::fromStdString(given.error().text());
            if (const QString text = difference(*given); !text.isEmpty())
                return "interpreted: " + text;
        }
        const auto run = magis::runInArena(memory, *made, m_opsets, m_inputs);
        if (!run)
            return QString::fromStdString(run.error().text());
        if (const QString text = difference(run->outputs); !text.isEmpty())
            return "in the arena: " + text;
        return wrongMemory(state, *made, *run);
    }

private:
    QString difference(const std::vector<TensorData> &given) const
    {
        const magis::MemoryGraph &memory = m_space.memory();
        for (std::size_t o = 0; o < m_expected.size(); ++o) {
            const Comparison comparison = compare(m_expected[o], given[o]);
            if (!(comparison.maxRelError <= m_tolerance))
                return QString("\"%1\" differs: %2")
                    .arg(memory.graph().tensor(memory.graph().outputs()[o]).name.c_str(),
                         comparison.worst.c_str());
        }
        return {};
    }

    /// Of what is planned, what the run needs, and what the search has said.
    QString wrongMemory(const magis::State &state, const magis::Realized &made,
                        const magis::ArenaRun &run)
    {
        if (run.usedBytes > run.arenaBytes || run.usedBytes <= run.arenaBytes - 64)
            return QString("%1 bytes of an arena of %2").arg(run.usedBytes).arg(run.arenaBytes);
        const std::int64_t planned = memoryOf(m_space.memory(), made).peak,
                           said = state.outcome.peak;
        (planned == said ? m_kinds.exact : m_kinds.less) += 1;
        // Parts may be smaller than the largest one, and what is swapped is there while it is on
        // its way.
        const bool mayBeLess = !state.arrangement->fissions().empty() || !made.swaps.empty();
        if (mayBeLess ? planned > said : planned != said)
            return QString("needs %1 bytes, the search says %2").arg(planned).arg(said);
        return {};
    }

    void count(const magis::State &state, const magis::Realized &made)
    {
        const auto &fissions = state.arrangement->fissions();
        ++m_kinds.plans;
        m_kinds.split += !fissions.empty();
        m_kinds.nested += std::ranges::any_of(state.arrangement->regions(), [](const auto &region) {
            return region.parent.isValid();
        });
        m_kinds.windows += hasWindows(state);
        m_kinds.recomputed += std::ranges::any_of(
            made.graph.order(), [&](NodeId id) { return made.origins[id.index].again; });
        m_kinds.swapped += !made.swaps.empty();
    }

    const magis::SearchSpace &m_space;
    const Opsets m_opsets;
    const std::vector<TensorData> m_inputs;
    std::vector<TensorData> m_expected;
    PlanKinds m_kinds;
    double m_tolerance = 1e-4;
    bool m_foldsWeights = false;
};

/// The fissions of a state, for messages.
inline QString fissionsOf(const magis::SearchSpace &space, const magis::State &state)
{
    QString text;
    for (const magis::RegionIndex region : state.arrangement->regions().indices()) {
        const auto &enabled = state.arrangement->fissions()[region];
        const magis::Fission &fission = space.fissions().fission(enabled.fission);
        text += QString("; %1 parts (size %2) of %3 units, in %4:")
                    .arg(enabled.number)
                    .arg(enabled.size)
                    .arg(fission.units())
                    .arg(state.arrangement->regions()[region].parent.number());
        for (const NodeId id : fission.nodes())
            text += QString(" %1/%2")
                        .arg(space.memory().graph().node(id).name.c_str())
                        .arg(fission.dimension().splitOf[id.index]);
    }
    return text;
}

} // namespace graphloom::test

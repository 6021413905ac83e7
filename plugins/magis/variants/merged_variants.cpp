// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/variants/merged_variants.h"

#include "plugins/magis/variants/merge_state.h"

#include <algorithm>
#include <map>

namespace graphloom::magis {

namespace {

using Sites = std::vector<const RuleSite *>;

std::vector<RuleSite> sitesOf(const GraphRule &rule, const Graph &graph, const Opsets &opsets,
                              const UsesRule &uses)
{
    std::vector<RuleSite> sites = rule.find(graph, opsets, uses);
    for (RuleSite &site : sites)
        site.rule = &rule;
    return sites;
}

/// Tells whether a rule merges existing calls; rules that work on joined values come later.
bool comesFirst(const GraphRule &rule)
{
    return rule.find == stacksOfSharing || rule.find == concatenationsOfSharing ||
           rule.find == stacksOfSums || rule.find == concatenationsOfSums;
}

/// Groups sites of one kind of joint that join the same values, which costs only once. Each site
/// but the first shares joined values with an earlier one, so that both use one order.
std::vector<Sites> bundles(const std::vector<RuleSite> &sites)
{
    std::map<std::vector<TensorId>, std::vector<std::size_t>> users;
    const auto forEachJoin = [&](std::size_t k, auto visit) {
        for (std::vector<TensorId> values : sites[k].joins) {
            std::ranges::sort(values);
            visit(users[values]);
        }
    };
    for (std::size_t k = 0; k < sites.size(); ++k)
        forEachJoin(k, [&](std::vector<std::size_t> &list) { list.push_back(k); });
    std::vector<Sites> result;
    std::vector<bool> taken(sites.size(), false);
    for (std::size_t first = 0; first < sites.size(); ++first) {
        if (taken[first])
            continue;
        std::vector<std::size_t> queue{first};
        taken[first] = true;
        for (std::size_t at = 0; at < queue.size(); ++at)
            forEachJoin(queue[at], [&](const std::vector<std::size_t> &list) {
                for (const std::size_t k : list)
                    if (!taken[k]) {
                        taken[k] = true;
                        queue.push_back(k);
                    }
            });
        Sites bundle;
        for (const std::size_t k : queue)
            bundle.push_back(&sites[k]);
        result.push_back(std::move(bundle));
    }
    return result;
}

class Search {
public:
    Search(const Opsets &opsets, const MergeOptions &options, bool constantsOnly)
        : m_opsets(opsets), m_options(options), m_constantsOnly(constantsOnly)
    {
    }

    Result<MergeState> run(const MergeState &start)
    {
        auto state = mergeCalls(start);
        for (bool changes = true; state && changes && !m_options.isOver();) {
            const auto before = state->graph().hash();
            state = workOnParts(*state);
            changes = state && state->graph().hash() != before;
        }
        return state;
    }

private:
    bool isWanted(const Graph &graph, const RuleSite &site) const
    {
        const auto isConstant = [&](TensorId value) {
            return graph.tensor(value).constant != nullptr;
        };
        return !m_constantsOnly || std::ranges::all_of(site.joins, [&](const auto &values) {
            return std::ranges::all_of(values, isConstant);
        });
    }

    /// Applies the bundles that do not slow the graph down, those that save most first.
    Result<MergeState> mergeCalls(const MergeState &start)
    {
        std::vector<std::vector<RuleSite>> found(2);
        for (const GraphRule &rule : mergeRules())
            if (comesFirst(rule) && m_options.uses(rule.name)) {
                const bool stacks = rule.find == stacksOfSharing || rule.find == stacksOfSums;
                for (RuleSite &site : sitesOf(rule, start.graph(), m_opsets, m_options.uses))
                    if (isWanted(start.graph(), site))
                        found[stacks ? 0 : 1].push_back(std::move(site));
            }
        struct Ranked {
            Sites sites;
            double seconds;
        };
        std::vector<Ranked> candidates;
        for (const auto &sites : found)
            for (const Sites &bundle : bundles(sites)) {
                if (m_options.isOver())
                    return start;
                GL_TRY_RESULT(best, bestOf(start, bundle));
                if (best->second <= start.seconds())
                    candidates.push_back({std::move(best->first), best->second});
            }
        std::ranges::stable_sort(candidates, {}, &Ranked::seconds);
        MergeState state = start;
        for (const Ranked &candidate : candidates) {
            if (m_options.isOver())
                break;
            GL_TRY(take(state, candidate.sites));
        }
        return state;
    }

    /// Returns the sites of a bundle with which a run is fastest, without those that cost time.
    Result<std::pair<Sites, double>> bestOf(const MergeState &start, Sites sites) const
    {
        GL_TRY_RESULT(state, start.with(sites));
        double best = state->seconds();
        for (bool shrinks = true; shrinks && sites.size() > 1;) {
            shrinks = false;
            for (std::size_t k = 0; k < sites.size() && !shrinks && !m_options.isOver(); ++k) {
                Sites fewer = sites;
                fewer.erase(fewer.begin() + std::ptrdiff_t(k));
                GL_TRY_RESULT(other, start.with(fewer));
                shrinks = other->seconds() < best;
                if (shrinks) {
                    best = other->seconds();
                    sites = std::move(fewer);
                }
            }
        }
        return std::pair(std::move(sites), best);
    }

    /// Moves to the state with the sites unless it is slower.
    Result<void> take(MergeState &state, const Sites &sites) const
    {
        GL_TRY_RESULT(next, state.with(sites));
        constexpr double rounding = 1e-12;
        if (next->seconds() <= state.seconds() + rounding)
            state = *std::move(next);
        return {};
    }

    Result<MergeState> workOnParts(MergeState state) const
    {
        for (const GraphRule &rule : mergeRules()) {
            if (comesFirst(rule) || rule.find == sumsToRegroup || !m_options.uses(rule.name))
                continue;
            const std::vector<RuleSite> sites =
                sitesOf(rule, state.graph(), m_opsets, m_options.uses);
            for (const RuleSite &site : sites)
                if (!m_options.isOver() && stillApplies(state.graph(), site) &&
                    isWanted(state.graph(), site))
                    GL_TRY(take(state, {&site}));
        }
        return state;
    }

    const Opsets &m_opsets;
    const MergeOptions &m_options;
    const bool m_constantsOnly;
};

} // namespace

Result<std::vector<MergedGraph>> mergedVariants(const Graph &graph, const Opsets &opsets,
                                                const Device &device, const MergeOptions &options)
{
    GL_TRY_CONST(start, MergeState::of(graph, opsets, device, options.variables, options.views));
    std::vector<MergedGraph> variants{{graph, start->seconds(), start->log()}};
    for (const bool constantsOnly : {false, true}) {
        if (options.isOver())
            break;
        GL_TRY_CONST(state, Search(opsets, options, constantsOnly).run(*start));
        const auto hash = state->graph().hash();
        if (std::ranges::none_of(variants,
                                 [&](const auto &known) { return known.graph.hash() == hash; }))
            variants.push_back({state->graph(), state->seconds(), state->log()});
    }
    std::ranges::stable_sort(variants.begin() + 1, variants.end(), {}, &MergedGraph::seconds);
    return variants;
}

} // namespace graphloom::magis

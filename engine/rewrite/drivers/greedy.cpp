// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/drivers/greedy.h"
#include "engine/ir/opsets.h"

#include "engine/rewrite/terms/rule_index.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <unordered_set>

namespace graphloom {

namespace {

class Greedy {
public:
    Greedy(const Graph &graph, const Opsets &opsets, std::span<const Rule> rules,
           const RewriteOptions &options)
        : m_terms(graph, opsets), m_rules(rules), m_index(rules), m_options(options)
    {
        m_log.strategy = "greedy";
    }

    Result<RewriteResult> run()
    {
        m_log.flopsBefore = costOf(m_terms).flops;
        // Folding in one region may reveal facts about an earlier one: repeat until nothing
        // changes.
        for (std::size_t before = ~std::size_t{0}; before != m_log.steps.size();) {
            before = m_log.steps.size();
            // More may be known now about replaced values than at the first query.
            m_terms.forgetFacts();
            const auto regions = regionsOf(m_terms.graph(), m_index);
            for (std::size_t r = 0; r < regions.size() && !spent(); ++r) {
                m_options.progress(double(r) / double(regions.size()));
                for (const NodeId id : regions[r])
                    if (!spent() &&
                        m_terms.graph().contains(id)) // rules without operators cross regions
                        reconsider(id);
                GL_TRY(settle());
            }
        }
        m_log.flopsAfter = m_log.steps.empty() ? m_log.flopsBefore : costOf(m_terms).flops;
        return RewriteResult{m_terms.graph(), std::move(m_log)};
    }

private:
    struct Candidate {
        Cost change;
        std::uint32_t position; // in the order when it was found: for ties
        NodeId root;
        std::uint32_t version; // of the root's last evaluation
        /// The queue's top is the step that reduces the cost most.
        bool operator<(const Candidate &other) const
        {
            return std::tuple(change, position, root) >
                   std::tuple(other.change, other.position, other.root);
        }
    };

    bool spent() const
    {
        return m_options.stop.stop_requested() || m_log.steps.size() >= m_options.mostSteps;
    }

    /// Calls visit(step) for every step at a call by a rule that is wanted.
    template <class Wanted, class Visit>
    void forEachStep(const GraphTerms &terms, NodeId root, Wanted wanted, Visit visit) const
    {
        m_index.forEach(terms.node(root), [&](const RuleIndex::Entry &entry) {
            if (!wanted(*entry.rule))
                return;
            forEachMatch(*entry.pattern, terms, root, m_options.assumeDomain,
                         [&](const Match &match) {
                             if (auto step = stepOf(terms, *entry.rule, match))
                                 visit(*std::move(step));
                             return true;
                         });
        });
    }

    /// Returns the step with the largest reduction at a call; among equal ones that of the first
    /// rule. `passed` gets the steps that do not become the best one so far.
    template <class Passed>
    std::optional<Step> bestStep(const GraphTerms &terms, NodeId root, Passed passed) const
    {
        std::optional<Step> best;
        const auto any = [](const Rule &) { return true; };
        forEachStep(terms, root, any, [&](Step step) {
            if (step.change < Cost{} && (!best || step.change < best->change))
                best.emplace(std::move(step));
            else
                passed(step);
        });
        return best;
    }
    std::optional<Step> bestStep(const GraphTerms &terms, NodeId root) const
    {
        return bestStep(terms, root, [](const Step &) {});
    }

    void reconsider(NodeId root)
    {
        bool mayMakeWay = false;
        const auto best = bestStep(
            m_terms, root, [&](const Step &step) { mayMakeWay = mayMakeWay || isWay(step); });
        const std::uint32_t version = ++m_versions[root];
        if (mayMakeWay)
            m_stuck.insert(root);
        if (best)
            m_queue.push({best->change, m_terms.graph().position(root), root, version});
    }

    /// Takes steps until none in the queue, and no pair of steps, reduces the cost.
    Result<void> settle()
    {
        while (!spent()) {
            if (m_queue.empty()) {
                GL_TRY_CONST(enabled, makeWay());
                if (!*enabled)
                    break;
                continue;
            }
            const Candidate candidate = m_queue.top();
            m_queue.pop();
            if (!m_terms.graph().contains(candidate.root) ||
                m_versions[candidate.root] != candidate.version)
                continue;
            const auto step = bestStep(m_terms, candidate.root);
            if (!step)
                continue;
            if (step->change != candidate.change) { // something further away has changed
                m_queue.push({step->change, candidate.position, candidate.root, candidate.version});
                continue;
            }
            GL_TRY(take(*step));
        }
        m_queue = {};
        m_stuck.clear();
        return {};
    }

    Result<void> take(const Step &step)
    {
        GL_TRY_RESULT(result, done(m_terms, step));
        log(step, *result);
        m_terms.setGraph(std::move(result->graph), result->added);
        for (const NodeId id : around(m_terms.graph(), *result, m_index.depth()))
            reconsider(id);
        return {};
    }

    void log(const Step &step, const DoneStep &result)
    {
        RewriteStep entry;
        entry.rule = step.rule->name;
        entry.category = nameOf(step.rule->category);
        for (const NodeId id : result.removed)
            entry.where += (entry.where.empty() ? "" : ", ") + m_terms.node(id).label();
        entry.flopsSaved = -step.change.flops;
        entry.removed = result.removed;
        entry.added = result.added;
        entry.setParts(m_terms.graph(), result.graph);
        m_log.steps.push_back(std::move(entry));
    }

    /// Returns calls at which another step may now be possible: new calls, and readers downstream
    /// of calls that have got or lost a reader, as far as patterns reach.
    static std::vector<NodeId> around(const Graph &graph, const DoneStep &step, int depth)
    {
        std::vector<NodeId> found = step.added;
        std::unordered_set<NodeId> seen(found.begin(), found.end());
        std::vector<TensorId> level = step.touched;
        for (int d = 0; d < depth; ++d) {
            std::vector<TensorId> next;
            for (const TensorId id : level) {
                if (!graph.contains(id) || graph.tensor(id).constant)
                    continue;
                if (d == 0 && graph.producer(id).valid() && seen.insert(graph.producer(id)).second)
                    found.push_back(graph.producer(id));
                for (const Use &use : graph.uses(id))
                    if (seen.insert(use.node).second) {
                        found.push_back(use.node);
                        const auto &outputs = graph.node(use.node).outputs;
                        std::ranges::copy_if(outputs, std::back_inserter(next),
                                             [](TensorId output) { return output.valid(); });
                    }
            }
            level = std::move(next);
        }
        return found;
    }

    /// Looks for a commutative step that costs nothing and enables another step that reduces the
    /// cost by more; takes both. Returns false if there is none.
    Result<bool> makeWay()
    {
        std::vector<NodeId> roots(m_stuck.begin(), m_stuck.end());
        m_stuck.clear();
        std::ranges::sort(roots);
        for (auto at = roots.begin(); at != roots.end(); ++at) {
            const NodeId root = *at;
            if (spent() || !m_terms.graph().contains(root))
                continue;
            std::optional<Step> way;
            Cost least;
            const auto commutative = [](const Rule &rule) {
                return rule.category == Rule::Category::Commutative;
            };
            forEachStep(m_terms, root, commutative, [&](Step step) {
                if (!isWay(step))
                    return;
                const Cost total = step.change + bestBehind(step);
                if (total < least && total.flops < 0) {
                    least = total;
                    way.emplace(std::move(step));
                }
            });
            if (!way)
                continue;
            m_stuck.insert(at, roots.end());
            GL_TRY(take(*way));
            return true;
        }
        return false;
    }

    /// Tells whether a step may be taken in order to enable another one.
    bool isWay(const Step &step) const
    {
        return step.rule->category == Rule::Category::Commutative && step.change.flops <= 0 &&
               !onlySwaps(step);
    }

    /// Does a step only exchange the first operands of a call? Patterns match both orders.
    bool onlySwaps(const Step &step) const
    {
        const Node &before = m_terms.node(step.root);
        const auto &calls = step.built.calls();
        if (calls.size() != 1 || calls[0].node.op != before.op || before.inputs.size() != 2 ||
            calls[0].node.inputs.size() != 2)
            return false;
        return calls[0].node.inputs[0] == before.inputs[1] &&
               calls[0].node.inputs[1] == before.inputs[0];
    }

    /// Returns the change by the best step near another one, if that one were taken.
    Cost bestBehind(const Step &step) const
    {
        Cost best;
        auto result = done(m_terms, step);
        if (!result)
            return best;
        const GraphTerms behind(std::move(result->graph), m_terms);
        for (const NodeId id : around(behind.graph(), *result, 1))
            if (const auto next = bestStep(behind, id))
                best = std::min(best, next->change);
        return best;
    }

    GraphTerms m_terms;
    std::span<const Rule> m_rules;
    RuleIndex m_index;
    const RewriteOptions &m_options;
    RewriteLog m_log;
    std::priority_queue<Candidate> m_queue;
    std::unordered_map<NodeId, std::uint32_t> m_versions;
    std::unordered_set<NodeId> m_stuck; // evaluated since makeWay() last visited them
};

} // namespace

Result<RewriteResult> rewriteGreedily(const Graph &graph, const Opsets &opsets,
                                      std::span<const Rule> rules, const RewriteOptions &options)
{
    return Greedy(graph, opsets, rules, options).run();
}

} // namespace graphloom

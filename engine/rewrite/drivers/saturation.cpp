// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/drivers/saturation.h"
#include "engine/ir/opsets.h"

#include "engine/rewrite/drivers/extraction.h"
#include "engine/rewrite/drivers/greedy.h"
#include "engine/rewrite/terms/replacement_names.h"
#include "engine/rewrite/terms/replacement_origins.h"
#include "engine/rewrite/terms/rule_index.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace graphloom {

namespace {

/// An e-graph of consecutive calls in the order of a graph.
class Window {
public:
    Window(const GraphTerms &terms, const Graph &original, std::span<const NodeId> nodes,
           const RewriteOptions &options)
        : m_terms(terms), m_graph(terms.graph()), m_original(original),
          m_nodes(nodes.begin(), nodes.end()), m_options(options), m_classes(terms)
    {
        for (const NodeId id : nodes)
            addCall(m_graph, id);
        for (const NodeId id : nodes)
            for (const TensorId output : m_graph.node(id).outputs)
                addFormer(output);
        m_classes.rebuild();
        for (const NodeId id : nodes)
            for (const TensorId output : m_graph.node(id).outputs)
                if (isReadOutside(output))
                    m_wanted.push_back(output);
    }

    /// Applies the rules until nothing is new or a limit is reached.
    void saturate(const RuleIndex &rules)
    {
        for (std::size_t round = 0; round < m_options.mostRounds; ++round) {
            const std::size_t before = m_classes.callCount();
            const bool merged = applyAll(rules);
            if (m_options.stop.stop_requested() || m_classes.callCount() >= m_options.mostCalls ||
                (m_classes.callCount() == before && !merged))
                return;
        }
    }

    /// Holds a step and the graph after it.
    struct Replaced {
        RewriteStep step;
        Graph graph;
    };
    /// Returns the graph with the cheapest terms of the e-graph in place of the window, or nothing
    /// if they are the old ones.
    Result<std::optional<Replaced>> cheapest();

private:
    /// Is the tensor's value available before the window runs?
    bool comesBefore(TensorId tensor) const
    {
        const NodeId producer = m_graph.producer(tensor);
        return !producer.valid() || m_graph.position(producer) < m_graph.position(m_nodes.front());
    }
    bool isInside(NodeId id) const { return std::ranges::find(m_nodes, id) != m_nodes.end(); }
    bool isReadOutside(TensorId tensor) const
    {
        return m_graph.isOutput(tensor) ||
               std::ranges::any_of(m_graph.uses(tensor),
                                   [&](const Use &use) { return !isInside(use.node); });
    }

    TensorId classOf(TensorId tensor, const Tensor &known);
    void addCall(const Graph &graph, NodeId id);
    void addFormer(TensorId tensor);
    bool applyAll(const RuleIndex &rules);
    struct Arrangement;
    Arrangement arranged(const std::vector<NodeId> &order, GraphEditor &editor) const;
    Result<std::optional<Replaced>> replaced(const std::vector<NodeId> &order, double flopsSaved);
    TensorId wantedClass(TensorId tensor) const { return m_classes.canonical(m_output.at(tensor)); }

    const GraphTerms &m_terms;
    const Graph &m_graph, &m_original;
    std::vector<NodeId> m_nodes;
    const RewriteOptions &m_options;
    EGraph m_classes;
    std::map<NodeId, NodeId> m_calls;      // call of the e-graph, by node of the graph
    std::map<TensorId, TensorId> m_given;  // tensor of the graph, by class at its addition
    std::vector<TensorId> m_wanted;        // tensors of the graph that others read
    std::map<TensorId, TensorId> m_output; // class, by tensor that the window writes
};

TensorId Window::classOf(TensorId tensor, const Tensor &known)
{
    if (!tensor.valid())
        return tensor;
    const bool shared =
        known.constant && (known.constant->elements() == 1 || isIntegral(known.type));
    const TensorId id = shared ? m_classes.constant(known) : m_classes.classOf(tensor, known);
    if (m_graph.contains(tensor))
        m_given.try_emplace(id, tensor);
    return id;
}

void Window::addCall(const Graph &graph, NodeId id)
{
    Node node = graph.node(id);
    for (TensorId &input : node.inputs) {
        if (!input.valid())
            continue;
        const TensorId tensor = input;
        input = classOf(tensor, graph.tensor(tensor));
        const NodeId producer = graph.producer(tensor);
        if (m_graph.contains(tensor) && comesBefore(tensor) &&
            !(producer.valid() && isInside(producer)))
            m_classes.markGiven(input);
    }
    std::vector<Tensor> outputs;
    std::vector<TensorId> given;
    for (const TensorId output : node.outputs) {
        outputs.push_back(graph.tensor(output));
        given.push_back(classOf(output, graph.tensor(output)));
        m_output.try_emplace(output, given.back());
    }
    const CallFacts facts =
        &graph == &m_graph ? m_terms.facts(id) : GraphTerms(graph, m_terms.opsets()).facts(id);
    const NodeId call = m_classes.add(std::move(node), outputs, facts, nullptr, std::move(given));
    if (&graph == &m_graph)
        m_calls[id] = call;
}

/// Adds the removed calls that computed a tensor before the greedy driver replaced them.
void Window::addFormer(TensorId tensor)
{
    constexpr std::size_t most = 32;
    std::vector<NodeId> former;
    std::vector<TensorId> pending{tensor};
    while (!pending.empty()) {
        const TensorId value = pending.back();
        pending.pop_back();
        if (!m_original.contains(value))
            return; // added by the greedy driver
        const NodeId id = m_original.producer(value);
        const bool there = m_graph.contains(value);
        if (there && value != tensor) {
            const NodeId now = m_graph.producer(value);
            if (!comesBefore(value) && !(now.valid() && isInside(now)))
                return; // reading it could close a cycle
            continue;
        }
        if (!id.valid() || former.size() >= most)
            return;
        const Node &node = m_original.node(id);
        if ((value == tensor && m_graph.contains(id)) || !node.captures.empty() ||
            !std::ranges::all_of(node.outputs, &TensorId::valid))
            return;
        if (std::ranges::find(former, id) != former.end())
            continue;
        former.push_back(id);
        pending.insert(pending.end(), node.inputs.begin(), node.inputs.end());
        std::erase_if(pending, [](TensorId input) { return !input.valid(); });
    }
    for (const NodeId id : former)
        addCall(m_original, id);
}

bool Window::applyAll(const RuleIndex &rules)
{
    struct Found {
        const Rule *rule;
        NodeId root;
        Builder built;
        Replacement replacement;
    };
    constexpr std::size_t mostOfOneRule = 8, mostInOneRound = 4000;
    std::vector<Found> found;
    for (std::uint32_t i = 0; i < m_classes.nodeBound() && found.size() < mostInOneRound; ++i) {
        const NodeId root{i};
        if (m_classes.isGone(root))
            continue;
        rules.forEach(m_classes.node(root), [&](const RuleIndex::Entry &entry) {
            std::size_t count = 0;
            forEachMatch(
                *entry.pattern, m_classes, root, m_options.assumeDomain, [&](const Match &match) {
                    const Rule &rule = *entry.rule;
                    if (!isInDomain(rule, match) || (rule.when && !rule.when(match)))
                        return true;
                    Builder built(m_classes);
                    Replacement replacement = rule.build(match, built);
                    if (!built.failed())
                        found.push_back({&rule, root, std::move(built), std::move(replacement)});
                    return ++count < mostOfOneRule;
                });
        });
    }
    const std::uint32_t bound = m_classes.tensorBound();
    bool merged = false;
    // Rules that only change an order come last: they fill the e-graph more than they help.
    for (const bool commutative : {false, true})
        for (const Found &each : found) {
            if ((each.rule->category == Rule::Category::Commutative) != commutative ||
                m_classes.callCount() >= m_options.mostCalls)
                continue;
            const auto values =
                m_classes.insert(each.built, bound, each.replacement.values, *each.rule);
            const auto outputs = m_classes.node(each.root).outputs;
            for (std::size_t k = 0; k < std::min(values.size(), outputs.size()); ++k)
                if (values[k].valid() && outputs[k].valid())
                    merged = m_classes.merge(outputs[k], values[k]) || merged;
        }
    m_classes.rebuild();
    return merged;
}

Result<std::optional<Window::Replaced>> Window::cheapest()
{
    std::vector<TensorId> wanted;
    for (const TensorId tensor : m_wanted)
        wanted.push_back(wantedClass(tensor));
    Selection given(m_classes.tensorBound());
    for (const auto &[node, call] : m_calls) {
        NodeId now = call;
        // The call may have been merged with an equal one.
        if (m_classes.isGone(call))
            now = m_classes.find(m_classes.node(call));
        if (now.valid())
            for (const TensorId output : m_classes.node(now).outputs)
                given[m_classes.canonical(output).index] = now;
    }
    Cost before;
    for (const NodeId id : m_nodes)
        before += m_terms.facts(id).cost;
    const Selection selection = cheapestSelection(m_classes, std::move(given), wanted);
    std::vector<NodeId> order;
    const auto after = costOf(m_classes, selection, wanted, &order);
    if (!after || !(*after < before))
        return std::optional<Replaced>();

    return replaced(order, before.flops - after->flops);
}

/// The selected calls in the form in which they enter the graph.
struct Window::Arrangement {
    std::map<TensorId, TensorId> tensors; // by class
    std::set<NodeId> kept;                // unchanged nodes of the graph
    std::vector<Node> added;
    std::vector<const Rule *> rules; // rules that created the added nodes, each once
};

Result<std::optional<Window::Replaced>> Window::replaced(const std::vector<NodeId> &order,
                                                         double flopsSaved)
{
    RewriteStep step;
    step.flopsSaved = flopsSaved;
    GraphEditor editor(m_graph);
    Arrangement arrangement = arranged(order, editor);
    for (const NodeId id : m_nodes) {
        if (arrangement.kept.contains(id))
            continue;
        step.where += (step.where.empty() ? "" : ", ") + m_graph.node(id).label();
        step.removed.push_back(id);
        editor.removeNode(id);
    }
    for (const Rule *rule : arrangement.rules)
        step.rule += (step.rule.empty() ? "" : ", ") + rule->name;
    step.category = arrangement.rules.empty() ? "cleanup" : nameOf(arrangement.rules[0]->category);
    std::vector<std::pair<TensorId, TensorId>> equal;
    for (const TensorId tensor : m_wanted)
        equal.emplace_back(tensor, arrangement.tensors.at(wantedClass(tensor)));
    giveOrigins(arrangement.added, m_graph, step.removed, equal);
    const std::vector<std::string> names = keptNames(arrangement.added, m_graph, step.removed);
    const std::string &base = m_graph.tensor(m_wanted.front()).name;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (Node &node = arrangement.added[i]; node.name.empty())
            node.name = names[i].empty() ? base + "/" + node.op : names[i];
    for (Node &node : arrangement.added)
        step.added.push_back(editor.addNode(std::move(node)));
    // Readers of a value that is equal to another one read that one.
    for (const TensorId tensor : m_wanted) {
        const TensorId value = arrangement.tensors.at(wantedClass(tensor));
        if (value == tensor)
            continue;
        if (!m_graph.isOutput(tensor)) {
            editor.replaceUses(tensor, value);
            continue;
        }
        Node identity; // an output of the graph keeps its name
        identity.op = identity.name = "Identity";
        identity.inputs = {value};
        identity.outputs = {tensor};
        identity.origins = originsOf(m_graph, std::array{m_graph.producer(tensor)});
        step.added.push_back(editor.addNode(std::move(identity)));
    }
    editor.removeUnused();
    std::erase_if(step.added, [&](NodeId id) { return !editor.graph().contains(id); });
    auto graph = std::move(editor).finish();
    if (!graph)
        return fail(Error::Kind::Fault, "equality saturation failed: " + graph.error().text(),
                    step.where);
    step.setParts(m_graph, *graph);
    return std::optional(Replaced{std::move(step), *std::move(graph)});
}

Window::Arrangement Window::arranged(const std::vector<NodeId> &order, GraphEditor &editor) const
{
    Arrangement result;
    const auto canonical = [&](TensorId id) { return m_classes.canonical(id); };
    for (const auto &[value, tensor] : m_given)
        if (m_classes.isGiven(value) && (comesBefore(tensor) || m_graph.tensor(tensor).constant))
            result.tensors.try_emplace(canonical(value), tensor);
    // Tensors that others read keep their names, those of the graph's interface first.
    std::map<TensorId, TensorId> names;
    for (const bool interface : {true, false})
        for (const TensorId tensor : m_wanted)
            if (m_graph.isOutput(tensor) == interface)
                names.try_emplace(wantedClass(tensor), tensor);
    std::map<NodeId, NodeId> origins;
    for (const auto &[node, call] : m_calls)
        origins.try_emplace(call, node);
    const std::string base = m_graph.tensor(m_wanted.front()).name;
    int count = 0;
    const auto place = [&](TensorId value) {
        value = canonical(value);
        if (const auto at = result.tensors.find(value); at != result.tensors.end())
            return at->second;
        Tensor tensor = m_classes.tensor(value);
        const auto named = names.find(value);
        if (named != names.end() && !tensor.constant)
            return result.tensors[value] = named->second;
        tensor.name = base + ".e" + std::to_string(++count);
        return result.tensors[value] = editor.addTensor(std::move(tensor));
    };
    for (const NodeId call : order) {
        Node node = m_classes.node(call);
        for (TensorId &input : node.inputs)
            input = input.valid() ? place(input) : input;
        node.origins.clear(); // origins that a rule has copied are incomplete
        if (const auto origin = origins.find(call); origin != origins.end()) {
            const Node &before = m_graph.node(origin->second);
            bool stays = before.inputs == node.inputs;
            for (std::size_t k = 0; k < before.outputs.size(); ++k) {
                const auto known = result.tensors.find(canonical(node.outputs[k]));
                const auto named = names.find(canonical(node.outputs[k]));
                stays = stays && known == result.tensors.end() &&
                        (named == names.end() || named->second == before.outputs[k]);
            }
            if (stays) {
                for (std::size_t k = 0; k < before.outputs.size(); ++k)
                    result.tensors[canonical(node.outputs[k])] = before.outputs[k];
                result.kept.insert(origin->second);
                continue;
            }
            node.origins = before.origins;
        }
        for (TensorId &output : node.outputs)
            output = place(output);
        const Rule *rule = m_classes.madeBy(call);
        if (rule && std::ranges::find(result.rules, rule) == result.rules.end())
            result.rules.push_back(rule);
        result.added.push_back(std::move(node));
    }
    for (const TensorId tensor : m_wanted)
        place(wantedClass(tensor)); // constants, which nothing computes
    return result;
}

} // namespace

Result<RewriteResult> rewriteBySaturation(const Graph &graph, const Opsets &opsets,
                                          std::span<const Rule> rules,
                                          const RewriteOptions &options)
{
    RewriteOptions firstHalf = options;
    firstHalf.progress = [&](double done) { options.progress(done / 2); };
    GL_TRY_RESULT(result, rewriteGreedily(graph, opsets, rules, firstHalf));
    result->log.strategy = "equality-saturation";
    const RuleIndex index(rules);
    constexpr std::size_t width = 40;
    const auto isMember = [&](const Graph &now, NodeId id) {
        const Node &node = now.node(id);
        return index.mentions(node) && node.captures.empty() &&
               std::ranges::all_of(node.outputs, &TensorId::valid);
    };
    std::size_t position = 0;
    const std::size_t greedySteps = result->log.steps.size();
    while (position < result->graph.nodeCount() && !options.stop.stop_requested()) {
        const Graph now = result->graph;
        options.progress(0.5 + double(position) / double(now.nodeCount()) / 2);
        std::vector<NodeId> nodes;
        while (position < now.nodeCount() && nodes.size() < width) {
            const NodeId id = now.order()[position++];
            if (isMember(now, id))
                nodes.push_back(id);
            else if (!nodes.empty())
                break; // a window has no gaps, so that everything it reads comes before it
        }
        if (nodes.empty())
            continue;
        const GraphTerms terms(now, opsets);
        Window window(terms, graph, nodes, options);
        window.saturate(index);
        GL_TRY_RESULT(replaced, window.cheapest());
        if (!*replaced)
            continue;
        result->graph = std::move((*replaced)->graph);
        // The window may have become shorter; what follows it has moved.
        position -= now.nodeCount() - std::min(now.nodeCount(), result->graph.nodeCount());
        result->log.steps.push_back(std::move((*replaced)->step));
    }
    if (result->log.steps.size() > greedySteps)
        result->log.flopsAfter = costOf(GraphTerms(result->graph, opsets)).flops;
    return result;
}

} // namespace graphloom

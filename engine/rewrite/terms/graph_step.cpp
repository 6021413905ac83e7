// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/terms/graph_step.h"

#include "engine/rewrite/terms/replacement_names.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace graphloom {

namespace {

/// The way in which readers of a value of the root get its replacement.
enum class Handover {
    Unread,   // nobody reads it
    NewCall,  // a new call writes the very tensor
    Constant, // the tensor becomes a constant
    Existing, // its readers read another tensor of the graph
    Renamed,  // an output of the graph: the producer of the other tensor writes this one
    Copied,   // an output of the graph, and the other tensor must stay: an Identity between them
};

bool fits(const Tensor &original, const Tensor &replacement)
{
    return original.type == replacement.type && original.otherType == replacement.otherType &&
           original.shape == replacement.shape;
}

/// The effects of a step on a graph, determined without changing it.
class Outlook {
public:
    Outlook(const GraphTerms &terms, NodeId root, const Builder &built,
            const Replacement &replacement)
        : m_terms(terms), m_graph(terms.graph()), m_root(terms.node(root)), m_built(built),
          m_values(replacement.values)
    {
        m_live.resize(built.calls().size(), false);
        valid = m_values.size() == m_root.outputs.size() && choose() && keepCalls();
        if (valid)
            removeDead(root);
    }

    Cost change() const
    {
        Cost cost;
        for (std::size_t i = 0; i < m_live.size(); ++i)
            if (m_live[i] && !m_built.calls()[i].folds)
                cost += m_built.calls()[i].facts.cost;
        for (std::size_t k = 0; k < handovers.size(); ++k)
            if (handovers[k] == Handover::Copied)
                cost += costOfCopy(m_graph.tensor(m_root.outputs[k]));
        Cost gone;
        for (const NodeId id : dead)
            gone += m_terms.facts(id).cost;
        return cost - gone;
    }
    bool isLive(std::size_t call) const { return m_live[call]; }

    bool valid = false;
    std::vector<Handover> handovers; // by output of the root
    std::vector<NodeId> dead;        // readers before what they read

private:
    bool choose();
    bool keepCalls();
    void removeDead(NodeId root);

    const GraphTerms &m_terms;
    const Graph &m_graph;
    const Node &m_root;
    const Builder &m_built;
    const std::vector<TensorId> &m_values;
    std::vector<bool> m_live;
    std::set<TensorId> m_kept; // old values that new calls, or readers of the root, read
};

bool Outlook::choose()
{
    for (std::size_t k = 0; k < m_values.size(); ++k) {
        const TensorId original = m_root.outputs[k], value = m_values[k];
        if (!original.valid() || m_terms.uses(original) == 0) {
            handovers.push_back(Handover::Unread);
            continue;
        }
        if (!value.valid() || value == original ||
            !fits(m_graph.tensor(original), m_built.tensor(value)))
            return false;
        const auto *call = m_built.isNew(value) ? m_built.producer(value) : nullptr;
        const bool again = std::find(m_values.begin(), m_values.begin() + std::ptrdiff_t(k),
                                     value) != m_values.begin() + std::ptrdiff_t(k);
        if (again)
            return false; // no rule replaces two outputs by one value
        if (call && !call->folds) {
            handovers.push_back(Handover::NewCall);
        } else if (m_built.isNew(value) || m_graph.tensor(value).constant) {
            handovers.push_back(Handover::Constant);
        } else {
            m_kept.insert(value);
            const bool movable = m_graph.producer(value).valid() && !m_graph.isOutput(value) &&
                                 !m_graph.isExternal(value);
            handovers.push_back(!m_graph.isOutput(original) ? Handover::Existing
                                : movable                   ? Handover::Renamed
                                                            : Handover::Copied);
        }
    }
    return true;
}

/// Finds the new calls that are needed; returns false if one of them reads a replaced value.
bool Outlook::keepCalls()
{
    std::vector<TensorId> pending(m_values.begin(), m_values.end());
    while (!pending.empty()) {
        const TensorId value = pending.back();
        pending.pop_back();
        const auto *call = m_built.isNew(value) ? m_built.producer(value) : nullptr;
        if (!call)
            continue;
        const auto index = std::size_t(call - m_built.calls().data());
        if (m_live[index])
            continue;
        m_live[index] = true;
        for (const TensorId input : call->node.inputs) {
            if (!input.valid())
                continue;
            if (std::ranges::find(m_root.outputs, input) != m_root.outputs.end())
                return false;
            pending.push_back(input);
            if (!m_built.isNew(input) && !call->folds)
                m_kept.insert(input);
        }
    }
    return true;
}

void Outlook::removeDead(NodeId root)
{
    std::unordered_map<TensorId, std::size_t> lost;
    std::vector<NodeId> pending{root};
    std::set<NodeId> seen{root};
    while (!pending.empty()) {
        const NodeId id = pending.back();
        pending.pop_back();
        dead.push_back(id);
        forEachRead(m_graph.node(id), [&](TensorId input, std::uint32_t) {
            ++lost[input];
            const NodeId producer = m_graph.producer(input);
            if (!producer.valid() || seen.contains(producer))
                return;
            const bool unread =
                std::ranges::all_of(m_graph.node(producer).outputs, [&](TensorId output) {
                    return !output.valid() ||
                           (!m_kept.contains(output) && m_terms.uses(output) == lost[output]);
                });
            if (unread) {
                seen.insert(producer);
                pending.push_back(producer);
            }
        });
    }
}

/// Applies a planned step.
class Placement {
public:
    Placement(const GraphTerms &terms, const Step &step, const Outlook &outlook)
        : m_terms(terms), m_step(step), m_outlook(outlook), m_root(terms.node(step.root)),
          m_editor(terms.graph()), m_origins(originsOf(terms.graph(), outlook.dead)),
          m_real(step.built.tensors().size())
    {
    }

    Result<DoneStep> run()
    {
        const Node root = m_root;
        for (const NodeId id : m_outlook.dead)
            forEachRead(m_terms.node(id), [&](TensorId input, std::uint32_t) { touch(input); });
        m_editor.removeNode(m_step.root);
        for (std::size_t k = 0; k < root.outputs.size(); ++k)
            if (m_outlook.handovers[k] == Handover::NewCall)
                real(m_step.replacement.values[k]) = root.outputs[k];
        chooseNames();
        for (std::size_t i = 0; i < m_step.built.calls().size(); ++i)
            if (m_outlook.isLive(i) && !place(m_step.built.calls()[i], i))
                return fault("a constant could not be computed");
        for (std::size_t k = 0; k < root.outputs.size(); ++k)
            if (m_outlook.handovers[k] != Handover::Unread)
                handOver(m_outlook.handovers[k], root.outputs[k], m_step.replacement.values[k]);
        for (const NodeId id : m_outlook.dead)
            if (id != m_step.root)
                m_editor.removeNode(id);
        removeTensors();
        auto graph = std::move(m_editor).finish();
        if (!graph)
            return fault(graph.error().text());
        m_done.graph = *std::move(graph);
        m_done.removed = m_outlook.dead;
        return std::move(m_done);
    }

private:
    tl::unexpected<Error> fault(const std::string &reason) const
    {
        return fail(Error::Kind::Fault, "rule " + m_step.rule->name + " failed: " + reason,
                    m_root.label());
    }
    void touch(TensorId id)
    {
        if (id.valid())
            m_done.touched.push_back(id);
    }
    TensorId &real(TensorId local) { return m_real[local.index - m_terms.tensorBound()]; }
    std::string newName(const std::string &base) { return base + "." + std::to_string(++m_names); }

    /// Returns the tensor of the graph for a value of the builder; adds new constants.
    TensorId placed(TensorId value)
    {
        if (!m_step.built.isNew(value))
            return value;
        TensorId &id = real(value);
        if (!id.valid()) {
            Tensor tensor = m_step.built.tensor(value);
            tensor.name = newName(nameOfRoot());
            id = m_editor.addTensor(std::move(tensor));
        }
        return id;
    }
    std::string nameOfRoot() const
    {
        for (const TensorId output : m_root.outputs)
            if (output.valid())
                return m_terms.tensor(output).name;
        return m_root.name;
    }

    /// Chooses the names of calls that have the operator of a node that they replace.
    void chooseNames()
    {
        std::vector<Node> placed;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < m_step.built.calls().size(); ++i) {
            const Builder::NewCall &call = m_step.built.calls()[i];
            if (!m_outlook.isLive(i) || call.folds)
                continue;
            placed.push_back(call.node);
            places.push_back(i);
        }
        m_kept.resize(m_step.built.calls().size());
        const std::vector<std::string> names = keptNames(placed, m_terms.graph(), m_outlook.dead);
        for (std::size_t i = 0; i < places.size(); ++i)
            m_kept[places[i]] = names[i];
    }

    std::string nameOfCall(const Node &node, std::size_t index)
    {
        if (!m_kept[index].empty())
            return m_kept[index];
        const bool isResult = std::ranges::any_of(node.outputs, [&](TensorId output) {
            return std::ranges::find(m_root.outputs, output) != m_root.outputs.end();
        });
        const bool isFree = isResult && std::ranges::find(m_kept, m_root.name) == m_kept.end();
        return isFree || m_root.name.empty() ? m_root.name : newName(m_root.name);
    }

    bool place(const Builder::NewCall &call, std::size_t index)
    {
        Node node = call.node;
        for (TensorId &input : node.inputs)
            input = placed(input);
        if (call.folds)
            return fold(call, std::move(node));
        for (TensorId &output : node.outputs)
            output = output.valid() ? placed(output) : output;
        node.name = nameOfCall(node, index);
        node.origins = m_origins;
        for (const TensorId input : node.inputs)
            touch(input);
        for (const TensorId output : node.outputs)
            touch(output);
        m_done.added.push_back(m_editor.addNode(std::move(node)));
        return true;
    }

    bool fold(const Builder::NewCall &call, Node node)
    {
        const Call known(node, operandsOf(m_editor.graph(), node), m_terms.opsets()(node.domain));
        const auto description = describe(known);
        auto results = description ? computed(known, *description, ~std::uint64_t{0})
                                   : std::optional<std::vector<TensorData>>();
        if (!results)
            return false;
        for (std::size_t k = 0; k < results->size(); ++k)
            if (const TensorId output = call.node.outputs[k]; output.valid())
                real(output) =
                    m_editor.addTensor(Tensor::of(newName(nameOfRoot()), std::move((*results)[k])));
        return true;
    }

    void handOver(Handover handover, TensorId original, TensorId value)
    {
        const Graph &graph = m_editor.graph();
        touch(original);
        switch (handover) {
        case Handover::Unread:
        case Handover::NewCall:
            return;
        case Handover::Constant: {
            const auto constant = graph.tensor(placed(value)).constant;
            return m_editor.setTensor(original, Tensor::of(graph.tensor(original).name, *constant));
        }
        case Handover::Existing:
            touch(value);
            return m_editor.replaceUses(original, value);
        case Handover::Renamed: {
            const NodeId producer = graph.producer(value);
            Node node = graph.node(producer);
            std::ranges::replace(node.outputs, value, original);
            m_editor.replaceNode(producer, std::move(node));
            m_editor.replaceUses(value, original);
            m_loose.push_back(value);
            return;
        }
        case Handover::Copied: {
            Node identity; // an output of the graph keeps its name
            identity.op = "Identity";
            identity.name = m_root.name;
            identity.inputs = {value};
            identity.outputs = {original};
            identity.origins = m_origins;
            m_done.added.push_back(m_editor.addNode(std::move(identity)));
            return;
        }
        }
    }

    /// Removes tensors without any references.
    void removeTensors()
    {
        for (const NodeId id : m_outlook.dead) {
            const Node &node = m_terms.node(id);
            m_loose.insert(m_loose.end(), node.inputs.begin(), node.inputs.end());
            m_loose.insert(m_loose.end(), node.outputs.begin(), node.outputs.end());
        }
        m_loose.insert(m_loose.end(), m_real.begin(), m_real.end());
        for (const TensorId id : m_loose) {
            const Graph &graph = m_editor.graph();
            if (id.valid() && graph.contains(id) && graph.uses(id).empty() &&
                !graph.producer(id).valid() && !graph.isExternal(id) && !graph.isOutput(id))
                m_editor.removeTensor(id);
        }
    }

    const GraphTerms &m_terms;
    const Step &m_step;
    const Outlook &m_outlook;
    const Node &m_root;
    GraphEditor m_editor;
    const std::vector<NodeId> m_origins; // origins of added nodes: those of all removed nodes
    std::vector<TensorId> m_real;        // by number of the builder's tensor
    std::vector<TensorId> m_loose;
    std::vector<std::string> m_kept; // names of calls that keep one; by call
    DoneStep m_done;
    int m_names = 0;
};

} // namespace

std::optional<Step> stepOf(const GraphTerms &terms, const Rule &rule, const Match &match)
{
    if (!isInDomain(rule, match) || (rule.when && !rule.when(match)))
        return std::nullopt;
    Builder built(terms);
    Replacement replacement = rule.build(match, built);
    if (built.failed())
        return std::nullopt;
    const Outlook outlook(terms, match.root(), built, replacement);
    if (!outlook.valid)
        return std::nullopt;
    const Cost change = outlook.change(); // before `built` is moved
    return Step{&rule, match.root(), std::move(built), std::move(replacement), change};
}

Result<DoneStep> done(const GraphTerms &terms, const Step &step)
{
    const Outlook outlook(terms, step.root, step.built, step.replacement);
    return Placement(terms, step, outlook).run();
}

} // namespace graphloom

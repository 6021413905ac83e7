// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/backward.h"

#include "engine/autodiff/dependence.h"
#include "engine/base/steps.h"
#include "engine/ops/derive/passing.h"
#include "engine/ops/gradient/gradient.h"
#include "engine/rewrite/terms/builder.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace graphloom {

namespace {

class Accumulation {
public:
    Accumulation(GraphEditor &editor, const Graph &forward, const Opsets &opsets,
                 const GradientRequest &request, TensorNames &names)
        : m_editor(editor), m_forward(forward), m_opsets(opsets), m_request(request),
          m_names(names), m_leads(forward.tensorBound(), false), m_sums(forward.tensorBound())
    {
    }

    Result<void> run()
    {
        GL_TRY(markWhatLeadsToSum());
        countParts();
        addSeed();
        const auto order = m_forward.order();
        for (auto id = order.rbegin(); id != order.rend(); ++id)
            GL_TRY(addGradientsOf(*id));
        return {};
    }

private:
    /// The gradient of a tensor as summed so far.
    struct Sum {
        std::size_t expected = 0, arrived = 0;
        TensorId gradient; // valid after the first part has arrived
        bool isParameter = false;
    };

    Result<void> markWhatLeadsToSum();
    void countParts();
    void addSeed();
    Result<void> addGradientsOf(NodeId id);
    Result<void> addPart(NodeId id, std::size_t input);
    void arrive(TensorId tensor, TensorId part, const std::string &nodeName);

    /// Does this output's gradient contribute to the input's gradient?
    bool flows(const Node &node, const Derivatives &derivatives, std::size_t output,
               std::size_t input) const
    {
        const TensorId read = node.inputs[input], written = node.outputs[output];
        return read.valid() && m_leads[read.index] && written.valid() &&
               m_sums[written.index].expected > 0 && derivatives.has(output, input);
    }
    bool flowsFromAny(const Node &node, const Derivatives &derivatives, std::size_t input) const
    {
        for (std::size_t output = 0; output < node.outputs.size(); ++output)
            if (flows(node, derivatives, output, input))
                return true;
        return false;
    }
    TensorId addLike(TensorId forward, std::string name);
    TensorId handedOn(const Node &gradient) const;

    GraphEditor &m_editor;
    const Graph &m_forward;
    const Opsets &m_opsets;
    const GradientRequest &m_request;
    TensorNames &m_names;
    std::vector<bool> m_leads; // by tensor: is it a parameter, or depends on one
    std::unordered_map<NodeId, Derivatives> m_derivatives; // of the nodes that read such tensors
    std::vector<Sum> m_sums;                               // by tensor
    std::unordered_set<NodeId> m_capturing; // nodes whose nested graphs read such tensors
};

Result<void> Accumulation::markWhatLeadsToSum()
{
    for (const TensorId parameter : m_request.parameters) {
        m_leads[parameter.index] = true;
        m_sums[parameter.index].isParameter = true;
    }
    for (const NodeId id : m_forward.order()) {
        if (m_request.stop.stop_requested())
            return stoppedError();
        const Node &node = m_forward.node(id);
        const auto leads = [&](TensorId read) { return read.valid() && m_leads[read.index]; };
        if (std::ranges::any_of(node.captures, leads)) {
            m_capturing.insert(id);
            for (const TensorId output : node.outputs)
                if (output.valid() && isFloatingPoint(m_forward.tensor(output).type))
                    m_leads[output.index] = true;
        }
        if (std::ranges::none_of(node.inputs, leads))
            continue;
        GL_TRY_RESULT(derivatives, derivativesOf(m_forward, id, m_opsets));
        for (std::size_t output = 0; output < node.outputs.size(); ++output)
            for (std::size_t input = 0; input < node.inputs.size(); ++input)
                if (leads(node.inputs[input]) && node.outputs[output].valid() &&
                    derivatives->has(output, input))
                    m_leads[node.outputs[output].index] = true;
        m_derivatives.emplace(id, *std::move(derivatives));
    }
    return {};
}

void Accumulation::countParts()
{
    m_sums[m_request.sum.index].expected = 1;
    const auto order = m_forward.order();
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
        const auto derivatives = m_derivatives.find(*id);
        if (derivatives == m_derivatives.end())
            continue;
        const Node &node = m_forward.node(*id);
        for (std::size_t input = 0; input < node.inputs.size(); ++input)
            if (flowsFromAny(node, derivatives->second, input))
                ++m_sums[node.inputs[input].index].expected;
    }
}

TensorId Accumulation::addLike(TensorId forward, std::string name)
{
    Tensor tensor;
    tensor.name = std::move(name);
    tensor.type = m_forward.tensor(forward).type;
    tensor.shape = m_forward.tensor(forward).shape;
    return m_editor.addTensor(std::move(tensor));
}

void Accumulation::addSeed()
{
    const Tensor &sum = m_forward.tensor(m_request.sum);
    Sum &gradient = m_sums[m_request.sum.index];
    gradient.gradient = m_editor.addTensor(
        Tensor::of(m_names.take(sum.name + ".gradient"), scalarData(m_request.seed, sum.type)));
    gradient.arrived = 1;
}

Result<void> Accumulation::addGradientsOf(NodeId id)
{
    if (m_request.stop.stop_requested())
        return stoppedError();
    const bool isWanted = std::ranges::any_of(m_forward.node(id).outputs, [&](TensorId output) {
        return output.valid() && m_sums[output.index].expected > 0;
    });
    if (isWanted && m_capturing.contains(id))
        return fail(Error::Kind::Model,
                    "the gradient of tensors that its branches or its body capture from the parent "
                    "graph is not supported; weights depend on it",
                    m_forward.node(id).label());
    const auto derivatives = m_derivatives.find(id);
    if (derivatives == m_derivatives.end())
        return {};
    const Node &node = m_forward.node(id);
    for (std::size_t input = 0; input < node.inputs.size(); ++input)
        if (flowsFromAny(node, derivatives->second, input))
            GL_TRY(addPart(id, input));
    return {};
}

/// Returns the gradient of an output that the node would pass on unchanged, or an invalid id. The
/// elements of weights are ignored: weights that are all one are no longer so after a step.
TensorId Accumulation::handedOn(const Node &gradient) const
{
    Node node = gradient;
    node.outputs = {TensorId{0}};
    std::vector<Tensor> tensors;
    for (const TensorId input : node.inputs) {
        tensors.push_back(input.valid() ? m_editor.graph().tensor(input) : Tensor());
        if (input.valid() && input.index < m_sums.size() && m_sums[input.index].isParameter)
            tensors.back().constant = nullptr;
    }
    std::vector<const Tensor *> inputs;
    for (std::size_t k = 0; k < tensors.size(); ++k)
        inputs.push_back(node.inputs[k].valid() ? &tensors[k] : nullptr);
    const Call call(node, std::move(inputs), m_opsets(node.domain));
    const auto description = describe(call);
    const auto same = description ? inputReturned(*description, call, 0) : std::nullopt;
    return same ? node.inputs[std::size_t(*same)] : TensorId();
}

Result<void> Accumulation::addPart(NodeId id, std::size_t input)
{
    const Node &node = m_forward.node(id);
    std::vector<TensorId> gradients;
    for (const TensorId output : node.outputs)
        gradients.push_back(output.valid() ? m_sums[output.index].gradient : TensorId{});
    auto made = gradientNode(m_editor.graph(), id, int(input), gradients, m_opsets);
    if (!made) {
        Error error = made.error();
        error.message += "; weights depend on it, so the model cannot be trained";
        if (error.where.empty())
            error.where = node.label();
        return tl::unexpected(std::move(error));
    }
    const TensorId tensor = node.inputs[input];
    const std::string base = node.name.empty() ? m_forward.tensor(node.outputs[0]).name : node.name;
    if (const TensorId same = handedOn(made->node); same.valid()) {
        arrive(tensor, same, base);
        return {};
    }
    const Sum &sum = m_sums[tensor.index];
    const std::string name = m_forward.tensor(tensor).name + ".gradient";
    const TensorId part = addLike(
        tensor,
        m_names.take(sum.expected == 1 ? name : name + "." + std::to_string(sum.arrived + 1)));
    Node gradient = std::move(made->node);
    gradient.name = base + ".gradient." + std::to_string(input);
    gradient.outputs = {part};
    m_editor.addNode(std::move(gradient));
    arrive(tensor, part, base);
    return {};
}

void Accumulation::arrive(TensorId tensor, TensorId part, const std::string &nodeName)
{
    Sum &sum = m_sums[tensor.index];
    ++sum.arrived;
    if (!sum.gradient.valid()) {
        sum.gradient = part;
    } else {
        const std::string name = m_forward.tensor(tensor).name + ".gradient";
        Node add;
        add.op = "Add";
        add.name = nodeName + ".gradient.sum";
        add.inputs = {sum.gradient, part};
        add.outputs = {
            addLike(tensor, m_names.take(sum.arrived == sum.expected ? name : name + ".sum"))};
        sum.gradient = add.outputs[0];
        m_editor.addNode(std::move(add));
    }
    if (sum.arrived == sum.expected && sum.isParameter)
        m_request.complete(tensor, sum.gradient);
}

} // namespace

Result<void> addGradients(GraphEditor &editor, const Graph &forward, const Opsets &opsets,
                          const GradientRequest &request, TensorNames &names)
{
    return Accumulation(editor, forward, opsets, request, names).run();
}

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
// Moves scaling by a number between operands and results of matrix products and convolutions.
#include "plugins/magis/rules/graph_rule.h"

#include "engine/ops/algebra/algebra.h"
#include "engine/ops/describe/stage_facts.h"

#include <algorithm>
#include <array>
#include <optional>

namespace graphloom::magis {

namespace {

/// Describes a call that multiplies or divides its only computed operand by a one-element constant.
struct Scaling {
    TensorId value, number;
    Fn function; // Mul or Div
};

std::optional<Scaling> scalingOf(const Graph &graph, NodeId id, const Opsets &opsets)
{
    const Node &node = graph.node(id);
    if (node.outputs.size() != 1)
        return std::nullopt;
    const auto description = describe(graph, id, opsets);
    const auto elementwise = description ? elementwiseOf(*description) : std::nullopt;
    if (!elementwise || elementwise->inputs.size() != 2)
        return std::nullopt;
    const Expr &body = elementwise->body;
    if (body->fn != Fn::Mul && body->fn != Fn::Div)
        return std::nullopt;
    for (const int second : {1, 0}) {
        Expr by = body.argument(second);
        Fn function = body->fn;
        if (second == 0 && function == Fn::Div)
            break;
        // Gradients of quotients have this form.
        if (function == Fn::Mul && by->fn == Fn::Div && by.argument(0)->fn == Fn::Real &&
            by.argument(0)->real == 1) {
            by = by.argument(1);
            function = Fn::Div;
        }
        if (by->fn != Fn::Load || body.argument(1 - second)->fn != Fn::Load)
            continue;
        const auto operand = [&](const Expr &load) {
            return node.inputs[std::size_t(elementwise->inputs[std::size_t(load->index)])];
        };
        const Scaling scaling{operand(body.argument(1 - second)), operand(by), function};
        const Tensor &value = graph.tensor(scaling.value), &number = graph.tensor(scaling.number);
        if (isFloatingPoint(value.type) && number.constant && number.constant->elements() == 1 &&
            !value.constant && value.shape == graph.tensor(node.outputs[0]).shape &&
            number.shape->size() <= value.shape->size())
            return scaling;
    }
    return std::nullopt;
}

/// Returns the two operands of a call that only sums their products: it is linear in each.
std::optional<std::array<std::size_t, 2>> factorsOf(const Graph &graph, NodeId id,
                                                    const Opsets &opsets)
{
    const Node &node = graph.node(id);
    if (node.outputs.size() != 1 || node.inputs.size() < 2)
        return std::nullopt;
    const auto description = describe(graph, id, opsets);
    if (!description || description->isOpaque() || description->stages.size() != 1)
        return std::nullopt;
    const Stage &stage = description->stages.front();
    if (!sumsProducts(stage) || !stage.finish.empty() || stage.body->fn != Fn::Mul)
        return std::nullopt;
    std::array<std::size_t, 2> factors{};
    for (const int k : {0, 1}) {
        const Expr load = stage.body.argument(k);
        if (load->fn != Fn::Load)
            return std::nullopt;
        const Operand &operand = stage.reads[std::size_t(load->index)].operand;
        if (operand.kind != Operand::Kind::Input)
            return std::nullopt;
        factors[std::size_t(k)] = std::size_t(operand.index);
    }
    if (factors[0] == factors[1] || node.inputs[factors[0]] == node.inputs[factors[1]])
        return std::nullopt;
    return factors;
}

/// Counts the elements of a value; sites are in graphs whose extents are numbers.
std::int64_t elementsOf(const Graph &graph, TensorId value)
{
    return *staticElements(*graph.tensor(value).shape);
}

Node scale(TensorId value, const Scaling &scaling)
{
    Node node;
    node.op = scaling.function == Fn::Mul ? "Mul" : "Div";
    node.inputs = {value, scaling.number};
    return node;
}

/// Describes a product that reads the scaled value, and where it is scaled instead.
struct Product {
    NodeId id;
    std::size_t scaled; // the other input, which is scaled instead
    bool result;        // its result is scaled instead
};

} // namespace

std::vector<RuleSite> scaledResults(const Graph &graph, const Opsets &opsets, const UsesRule &)
{
    std::vector<RuleSite> sites;
    for (const NodeId id : graph.order()) {
        const auto scaling = scalingOf(graph, id, opsets);
        if (!scaling || graph.uses(scaling->value).size() != 1 || graph.isOutput(scaling->value))
            continue;
        const NodeId producer = graph.producer(scaling->value);
        const auto factors = producer.valid() ? factorsOf(graph, producer, opsets) : std::nullopt;
        if (!factors)
            continue;
        const Node product = graph.node(producer);
        const auto smaller = std::ranges::min(*factors, {}, [&](std::size_t input) {
            return elementsOf(graph, product.inputs[input]);
        });
        const TensorId result = graph.node(id).outputs[0];
        if (elementsOf(graph, product.inputs[smaller]) >= elementsOf(graph, result) ||
            graph.tensor(scaling->number).shape->size() >
                graph.tensor(product.inputs[smaller]).shape->size())
            continue;
        RuleSite site;
        site.nodes = {id, producer};
        site.apply = [=](GraphChange &change) {
            change.remove(std::array{id, producer});
            Node node = product;
            node.inputs[smaller] = change.call(scale(product.inputs[smaller], *scaling));
            change.call(std::move(node), result);
        };
        sites.push_back(std::move(site));
    }
    return sites;
}

std::vector<RuleSite> scaledOperands(const Graph &graph, const Opsets &opsets, const UsesRule &)
{
    std::vector<RuleSite> sites;
    for (const NodeId id : graph.order()) {
        const auto scaling = scalingOf(graph, id, opsets);
        const TensorId scaled = scaling ? graph.node(id).outputs[0] : TensorId();
        if (!scaling || graph.isOutput(scaled))
            continue;
        std::vector<Product> products;
        std::int64_t elements = 0; // to be scaled in its place
        for (const Use &use : graph.uses(scaled)) {
            const Node &node = graph.node(use.node);
            const auto factors = factorsOf(graph, use.node, opsets);
            if (!factors || std::ranges::count(node.inputs, scaled) != 1 ||
                std::ranges::count(*factors, std::size_t(use.slot)) != 1) {
                products.clear();
                break;
            }
            const std::size_t other = (*factors)[0] == use.slot ? (*factors)[1] : (*factors)[0];
            const std::int64_t operand = elementsOf(graph, node.inputs[other]);
            const std::int64_t result = elementsOf(graph, node.outputs[0]);
            products.push_back({use.node, other, result < operand});
            elements += std::min(result, operand);
        }
        if (products.empty() || elements >= elementsOf(graph, scaled))
            continue;
        RuleSite site;
        site.nodes = {id};
        for (const Product &product : products)
            site.nodes.push_back(product.id);
        site.apply = [products, scaling = *scaling, scaled,
                      nodes = site.nodes](GraphChange &change) {
            std::vector<Node> calls;
            for (const Product &product : products)
                calls.push_back(change.graph().node(product.id));
            change.remove(nodes);
            for (std::size_t k = 0; k < calls.size(); ++k) {
                Node node = calls[k];
                std::ranges::replace(node.inputs, scaled, scaling.value);
                const TensorId result = node.outputs[0];
                if (products[k].result) {
                    change.call(scale(change.call(std::move(node)), scaling), result);
                } else {
                    TensorId &other = node.inputs[products[k].scaled];
                    other = change.call(scale(other, scaling));
                    change.call(std::move(node), result);
                }
            }
        };
        sites.push_back(std::move(site));
    }
    return sites;
}

} // namespace graphloom::magis

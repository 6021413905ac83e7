// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/infer.h"
#include "engine/ops/gradient/gradient.h"
#include "tests/support/gradient_case.h"

namespace graphloom::test {

/// Holds a graph of one node, and the node of its gradient by an input.
struct GradientGraph {
    Graph graph;
    Opsets opsets;
    NodeId forward, gradient;
    TensorId result;
    std::vector<TensorData> inputs;
    std::vector<TensorId> outputs, outer;
    Shape shape;
    std::string problem;

    /// Creates the graph, with `symbol` as the first extent of input 0, of the outputs and of their
    /// gradients.
    GradientGraph(const GradientCase &call, int input, const std::string &symbol = "")
        : opsets([domain = call.node().domain, opset = call.opset()](std::string_view wanted) {
              return wanted == domain ? opset : std::int64_t{0};
          })
    {
        GraphEditor editor;
        Node node = call.node();
        std::vector<TensorId> external;
        for (int i = 0; i < int(call.inputs()); ++i) {
            node.inputs[std::size_t(i)] = {};
            if (!call.data(i))
                continue;
            Tensor known = call.tensor(i);
            if (i == 0 && !symbol.empty())
                known.shape->front() = Dim::symbol(symbol);
            node.inputs[std::size_t(i)] = editor.addTensor(std::move(known));
            if (call.tensor(i).constant)
                continue;
            external.push_back(node.inputs[std::size_t(i)]);
            inputs.push_back(*call.data(i));
        }
        const auto values = call.outputs();
        for (TensorId &output : node.outputs) {
            Tensor tensor;
            tensor.name = "y" + std::to_string(outputs.size());
            outputs.push_back(output = editor.addTensor(std::move(tensor)));
        }
        forward = editor.addNode(std::move(node));
        for (const TensorData &value : GradientCase::outerGradients(*values)) {
            Tensor tensor = Tensor::of("dy" + std::to_string(outer.size()), value);
            tensor.constant = nullptr;
            if (!symbol.empty())
                tensor.shape->front() = Dim::symbol(symbol);
            outer.push_back({});
            if (!isFloatingPoint(value.type()))
                continue;
            outer.back() = editor.addTensor(std::move(tensor));
            external.push_back(outer.back());
            inputs.push_back(value);
        }
        editor.setInputs(external);
        auto made = gradientNode(editor.graph(), forward, input, outer, opsets);
        if (!made) {
            problem = made.error().text();
            return;
        }
        Tensor tensor;
        tensor.name = "dx";
        result = editor.addTensor(std::move(tensor));
        made->node.outputs = {result};
        shape = made->shape;
        gradient = editor.addNode(std::move(made->node));
        editor.setOutputs({result});
        auto inferred = std::move(editor).finish();
        if (!inferred)
            problem = inferred.error().text();
        else if (auto known = inferShapes(*inferred, opsets); !known)
            problem = known.error().text();
        else
            graph = std::move(known->graph);
    }

    /// Returns the graph with a sum, of seeded numbers, that the gradient is added to, as its last
    /// input. Returns nothing if the node of the gradient cannot add it.
    std::optional<GradientGraph> adding(const GradientCase &call, int input) const
    {
        if (const auto described = description();
            !described || !canAddToSum(graph.node(gradient), *described))
            return std::nullopt;
        GradientGraph made = *this;
        GraphEditor editor(graph);
        Tensor sum = graph.tensor(result);
        sum.name = "sum";
        made.inputs.push_back(GradientCase::outerGradients({*call.data(input)}).front());
        const TensorId added = editor.addTensor(std::move(sum));
        std::vector<TensorId> external(graph.inputs().begin(), graph.inputs().end());
        external.push_back(added);
        editor.setInputs(std::move(external));
        editor.replaceNode(gradient, addingTo(graph.node(gradient), added));
        made.graph = *std::move(editor).finish();
        return made;
    }

    Result<Description> description() const { return describe(graph, gradient, opsets); }

    /// Returns the tensors that the gradient node reads: "x0 y0 dy0".
    QString reads() const
    {
        QStringList names;
        const auto number = [](const std::vector<TensorId> &list, TensorId id) {
            return QString::number(std::ranges::find(list, id) - list.begin());
        };
        for (const TensorId id : graph.node(gradient).inputs) {
            if (!id.valid())
                continue;
            if (std::ranges::find(outputs, id) != outputs.end())
                names << "y" + number(outputs, id);
            else if (std::ranges::find(outer, id) != outer.end())
                names << "dy" + number(outer, id);
            else
                names << "x" + number(graph.node(forward).inputs, id);
        }
        return names.join(' ');
    }
};

} // namespace graphloom::test

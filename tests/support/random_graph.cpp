// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_graph.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <utility>

namespace graphloom::test {

namespace {

Tensor value(std::string name)
{
    Tensor tensor;
    tensor.name = std::move(name);
    tensor.type = DataType::Float;
    tensor.shape = Shape{Dim::symbol("n"), Dim(8)};
    return tensor;
}

Node call(std::string op, std::vector<TensorId> inputs, std::vector<TensorId> outputs)
{
    Node node;
    node.op = std::move(op);
    node.inputs = std::move(inputs);
    node.outputs = std::move(outputs);
    return node;
}

} // namespace

Graph randomGraph(Random &random, const RandomGraphOptions &options)
{
    GraphEditor editor;
    std::vector<TensorId> readable, inputs;
    for (std::uint32_t i = 0; i < options.inputs; ++i) {
        inputs.push_back(editor.addTensor(value("in" + std::to_string(i))));
        readable.push_back(inputs.back());
    }
    editor.setInputs(inputs);
    for (std::uint32_t i = 0; i < options.constants; ++i)
        readable.push_back(editor.addTensor(
            Tensor::of("weight" + std::to_string(i),
                       TensorData::fromInt64s({std::int64_t(below(random, 4)), 7}))));
    for (std::uint32_t i = 0; i < options.nodes; ++i) {
        const auto pick = [&] {
            const std::uint64_t window = std::min<std::uint64_t>(readable.size(), options.reach);
            return readable[readable.size() - 1 - below(random, window)];
        };
        Node node;
        node.op = std::string(1, char('A' + below(random, 5)));
        node.domain = chance(random, 0.1) ? "custom" : "";
        node.name = "node" + std::to_string(i);
        node.inputs.push_back(pick());
        if (chance(random, 0.5))
            node.inputs.push_back(chance(random, 0.2) ? TensorId{} : pick());
        while (chance(random, 0.25)) // more reads than an entry of the graph holds inline
            node.inputs.push_back(readable[below(random, readable.size())]);
        if (chance(random, options.capture))
            node.captures.push_back(pick());
        if (chance(random, 0.3))
            node.attributes = node.attributes.with("axis", std::int64_t(below(random, 3)));
        std::uint64_t count = 1;
        if (chance(random, options.severalOutputs))
            count += 1 + below(random, 2);
        for (std::uint64_t k = 0; k < count; ++k) {
            const bool omitted = k + 1 < count && chance(random, 0.2);
            node.outputs.push_back(omitted ? TensorId{}
                                           : editor.addTensor(value("t" + std::to_string(i) + "_" +
                                                                    std::to_string(k))));
            if (!omitted)
                readable.push_back(node.outputs.back());
        }
        editor.addNode(std::move(node));
    }
    std::vector<TensorId> outputs;
    for (const TensorId id : readable)
        if (editor.graph().producer(id).valid() && editor.graph().uses(id).empty())
            outputs.push_back(id);
    editor.setOutputs(outputs);
    auto graph = std::move(editor).finish();
    assert(graph);
    return *std::move(graph);
}

Graph rebuilt(const Graph &graph, Random &random)
{
    GraphEditor editor;
    editor.setName(graph.name());
    std::vector<TensorId> tensors;
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i)
        if (graph.contains(TensorId{i}))
            tensors.push_back({i});
    std::shuffle(tensors.begin(), tensors.end(), random);
    std::map<TensorId, TensorId> renamed{{TensorId{}, TensorId{}}};
    for (const TensorId id : tensors) {
        Tensor tensor = graph.tensor(id);
        tensor.name = "other" + std::to_string(renamed.size());
        renamed[id] = editor.addTensor(std::move(tensor));
    }
    const auto rename = [&](auto list) {
        std::vector<TensorId> result;
        for (const TensorId id : list)
            result.push_back(renamed.at(id));
        return result;
    };
    editor.setInputs(rename(graph.inputs()));
    editor.setCaptured(rename(graph.captured()));
    std::vector<NodeId> nodes(graph.order().begin(), graph.order().end());
    std::shuffle(nodes.begin(), nodes.end(), random); // finish() has to sort them
    for (const NodeId id : nodes) {
        Node node = graph.node(id);
        node.name = "renamed" + std::to_string(id.index);
        node.inputs = rename(node.inputs);
        node.outputs = rename(node.outputs);
        node.captures = rename(node.captures);
        editor.addNode(std::move(node));
    }
    editor.setOutputs(rename(graph.outputs()));
    auto result = std::move(editor).finish();
    assert(result);
    return *std::move(result);
}

Graph transformerGraph(std::uint32_t nodes)
{
    GraphEditor editor;
    const TensorId input = editor.addTensor(value("x")), mask = editor.addTensor(value("mask"));
    editor.setInputs({input, mask});
    std::uint32_t made = 0;
    const auto weight = [&] {
        return editor.addTensor(Tensor::of("w" + std::to_string(made),
                                           TensorData::fromInt64s({std::int64_t(made), 1})));
    };
    const auto add = [&](const char *op, std::vector<TensorId> inputs) {
        const TensorId output = editor.addTensor(value("v" + std::to_string(made)));
        Node node = call(op, std::move(inputs), {output});
        node.name = "n" + std::to_string(made++);
        editor.addNode(std::move(node));
        return output;
    };
    TensorId stream = input;
    while (made < nodes) {
        std::vector<TensorId> heads;
        for (int head = 0; head < 3; ++head) // query, key, value
            heads.push_back(
                add("Transpose",
                    {add("Reshape",
                         {add("Add", {add("MatMul", {stream, weight()}), weight()}), weight()})}));
        TensorId scores = add("MatMul", {heads[0], heads[1]});
        scores = add("Softmax", {add("Add", {scores, mask})});
        TensorId context = add("Reshape", {add("MatMul", {scores, heads[2]}), weight()});
        context = add("MatMul", {context, weight()});
        stream = add("Add", {context, stream});
        stream = add("Normalize", {stream, weight(), weight()});
    }
    editor.setOutputs({stream});
    auto graph = std::move(editor).finish();
    assert(graph);
    return *std::move(graph);
}

std::string defectOf(const Graph &graph)
{
    std::map<TensorId, std::multiset<Use>> uses;
    std::map<TensorId, NodeId> producers;
    std::set<NodeId> present;
    for (std::uint32_t i = 0; i < graph.nodeBound(); ++i)
        if (graph.contains(NodeId{i}))
            present.insert({i});
    if (std::set<NodeId>(graph.order().begin(), graph.order().end()) != present ||
        graph.order().size() != present.size())
        return "order() does not hold every node once";
    std::set<TensorId> known;
    for (const auto list : {graph.inputs(), graph.captured()})
        known.insert(list.begin(), list.end());
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i)
        if (graph.contains(TensorId{i}) && graph.tensor({i}).constant)
            known.insert({i});
    for (std::uint32_t i = 0; i < graph.order().size(); ++i) {
        const NodeId id = graph.order()[i];
        if (graph.position(id) != i)
            return "position() of node " + std::to_string(id.index) + " is wrong";
        const Node &node = graph.node(id);
        std::uint32_t slot = 0;
        for (const auto *list : {&node.inputs, &node.captures})
            for (const TensorId input : *list) {
                if (input.valid()) {
                    if (!graph.contains(input) || !known.contains(input))
                        return "node " + std::to_string(id.index) + " reads before it is written";
                    uses[input].insert({id, slot});
                }
                ++slot;
            }
        for (const TensorId output : node.outputs)
            if (output.valid()) {
                if (!graph.contains(output) || !known.insert(output).second)
                    return "node " + std::to_string(id.index) + " writes what has a value already";
                producers[output] = id;
            }
    }
    for (const TensorId id : graph.outputs())
        if (!known.contains(id))
            return "an output has no value";
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i) {
        if (!graph.contains(TensorId{i}))
            continue;
        const auto listed = graph.uses({i});
        if (std::multiset<Use>(listed.begin(), listed.end()) != uses[{i}] ||
            !std::is_sorted(listed.begin(), listed.end()))
            return "uses() of tensor " + std::to_string(i) + " are wrong";
        const auto producer = producers.find({i});
        if (graph.producer({i}) != (producer == producers.end() ? NodeId{} : producer->second))
            return "producer() of tensor " + std::to_string(i) + " is wrong";
    }
    return {};
}

} // namespace graphloom::test

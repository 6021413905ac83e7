// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/plugins/magis/memory_graphs.h"
#include "tests/support/random_graph.h"

namespace graphloom::test {

/// A random graph of tensors of many sizes: products that change the size, calls in place, joins,
/// Splits (two results), views, weights that several calls read and that are updated at the end,
/// results that nobody reads or that are given out although others read them.
class RandomMemory {
public:
    explicit RandomMemory(Random &random) : m_random(random) {}

    magis::MemoryGraph of(int nodes)
    {
        for (std::uint64_t i = 0, count = 1 + below(m_random, 2); i < count; ++i)
            m_inputs.push_back(tensor(size()));
        m_known = m_inputs;
        m_weight = constant(4);
        for (int i = 0; i < nodes; ++i)
            addNode();
        if (chance(m_random, 0.5)) // behind all other readers
            m_outputs.push_back(call("Sub", {m_weight, tensorOf(4)}, 4));
        for (const TensorId tensor : m_known)
            if (m_editor.graph().uses(tensor).empty() ? chance(m_random, 0.9)
                                                      : chance(m_random, 0.05))
                m_outputs.push_back(tensor);
        if (m_outputs.empty())
            m_outputs.push_back(m_known.back());
        m_editor.setInputs(m_inputs);
        m_editor.setOutputs(m_outputs);
        auto graph = std::move(m_editor).finish();
        if (!graph)
            qFatal("%s", graph.error().text().c_str());
        return memoryOf(*graph);
    }

private:
    std::int64_t size() { return 2 + std::int64_t(below(m_random, 9)); }
    std::int64_t sizeOf(TensorId tensor) const
    {
        return (*m_editor.graph().tensor(tensor).shape)[0].value();
    }
    std::string newName() { return "t" + std::to_string(m_editor.graph().tensorBound()); }
    TensorId tensor(std::int64_t rows)
    {
        Tensor tensor;
        tensor.name = newName();
        tensor.type = DataType::Float;
        tensor.shape = Shape{rows, 4};
        return m_editor.addTensor(std::move(tensor));
    }
    TensorId constant(std::int64_t rows, std::int64_t columns = 4)
    {
        return m_editor.addTensor(Tensor::of(newName(), test::splat(0.5f, {rows, columns})));
    }
    TensorId call(const char *op, std::vector<TensorId> inputs, std::int64_t rows,
                  std::vector<Attribute> attributes = {})
    {
        Node node;
        node.op = op;
        node.name = "n" + std::to_string(m_editor.graph().nodeBound());
        node.inputs = std::move(inputs);
        node.outputs = {tensor(rows)};
        node.attributes = Attributes(std::move(attributes));
        const TensorId output = node.outputs[0];
        m_editor.addNode(std::move(node));
        m_known.push_back(output);
        return output;
    }
    /// A tensor to read, rather one that was made lately.
    TensorId any()
    {
        const std::uint64_t reach = std::min<std::uint64_t>(m_known.size(), 12);
        return m_known[m_known.size() - 1 - below(m_random, reach)];
    }
    TensorId tensorOf(std::int64_t rows)
    {
        const TensorId from = any();
        return sizeOf(from) == rows ? from
                                    : call("MatMul", {constant(rows, sizeOf(from)), from}, rows);
    }
    void addNode()
    {
        const TensorId a = any(), b = any();
        switch (below(m_random, 9)) {
        case 0:
        case 1:
            call("Relu", {a}, sizeOf(a));
            break;
        case 2:
            call("Identity", {a}, sizeOf(a)); // a view
            break;
        case 3:
            if (sizeOf(a) == 4)
                call("Add", {a, m_weight}, 4);
            else
                call("MatMul", {a, m_weight}, sizeOf(a));
            break;
        case 4:
        case 5:
            if (sizeOf(a) == sizeOf(b))
                call("Add", {a, b}, sizeOf(a));
            else if (sizeOf(a) + sizeOf(b) <= 20)
                call("Concat", {a, b}, sizeOf(a) + sizeOf(b), {integer("axis", 0)});
            else
                call("Sigmoid", {a}, sizeOf(a));
            break;
        case 6:
            if (sizeOf(a) % 2 == 0 && sizeOf(a) > 2) {
                split(a);
                break;
            }
            [[fallthrough]];
        default: {
            const std::int64_t rows = size();
            call("MatMul", {constant(rows, sizeOf(a)), a}, rows);
        }
        }
    }
    void split(TensorId from)
    {
        Node node;
        node.op = "Split";
        node.name = "n" + std::to_string(m_editor.graph().nodeBound());
        const std::int64_t half = sizeOf(from) / 2;
        node.inputs = {from};
        node.outputs = {tensor(half), tensor(half)};
        m_known.insert(m_known.end(), node.outputs.begin(), node.outputs.end());
        node.attributes = Attributes({integer("axis", 0)});
        m_editor.addNode(std::move(node));
    }

    Random &m_random;
    GraphEditor m_editor;
    std::vector<TensorId> m_inputs, m_known, m_outputs;
    TensorId m_weight;
};

inline magis::MemoryGraph randomMemory(Random &random, int nodes)
{
    return RandomMemory(random).of(nodes);
}

/// Any topological order.
inline magis::StepOrder randomOrder(const magis::MemoryGraph &memory, Random &random)
{
    magis::StepOrder order;
    std::vector<magis::StepIndex> ready;
    IndexedVector<magis::StepIndex, int> left;
    for (const magis::Step &step : memory.steps()) {
        if (step.before.empty())
            ready.push_back(left.nextIndex());
        left.push_back(int(step.before.size()));
    }
    while (!ready.empty()) {
        const std::size_t which = below(random, ready.size());
        order.push_back(ready[which]);
        ready.erase(ready.begin() + std::ptrdiff_t(which));
        for (const magis::StepIndex after : memory.steps()[order.back()].after)
            if (--left[after] == 0)
                ready.push_back(after);
    }
    return order;
}

} // namespace graphloom::test

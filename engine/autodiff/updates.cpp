// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/updates.h"

#include "engine/rewrite/terms/builder.h"

namespace graphloom {

TensorId Optimizer::input(const std::string &name, DataType type, Shape extents)
{
    Tensor tensor;
    tensor.name = m_names.take(name);
    tensor.type = type;
    tensor.shape = std::move(extents);
    const TensorId id = m_editor.addTensor(std::move(tensor));
    const auto known = m_editor.graph().inputs();
    std::vector<TensorId> inputs(known.begin(), known.end());
    inputs.push_back(id);
    m_editor.setInputs(std::move(inputs));
    return id;
}

TensorId Optimizer::result(const std::string &name, TensorId like)
{
    Tensor tensor;
    tensor.name = m_names.take(name);
    tensor.type = m_editor.graph().tensor(like).type;
    tensor.shape = m_editor.graph().tensor(like).shape;
    return m_editor.addTensor(std::move(tensor));
}

TensorId Optimizer::rate()
{
    if (!m_rate.valid())
        m_rate = m_editor.addTensor(Tensor::of(
            m_names.take("learning_rate"), scalarData(m_options.learningRate, DataType::Float)));
    return m_rate;
}

TensorId Optimizer::step()
{
    if (!m_step.valid())
        m_step = input("step", DataType::Int64, {});
    return m_step;
}

ParameterUpdate Optimizer::add(TensorId parameter, TensorId gradient)
{
    const Tensor weight = m_editor.graph().tensor(parameter);
    ParameterUpdate update{
        parameter, gradient, result(weight.name + ".updated", parameter), {}, {}};
    Node node;
    node.name = weight.name + ".update";
    if (m_options.optimizer == TrainingOptions::Optimizer::Sgd) {
        node.domain = "com.microsoft";
        node.op = "SGDOptimizer";
        node.inputs = {rate(), parameter, gradient};
        node.outputs = {update.updated};
    } else {
        node.domain = "ai.onnx.preview.training";
        node.op = "Adam";
        node.inputs = {rate(), step(), parameter, gradient};
        node.outputs = {update.updated};
        for (const char *moment : {".first_moment", ".second_moment"}) {
            const std::string name = weight.name + moment;
            const TensorId before = input(name, weight.type, *weight.shape);
            const TensorId after = result(name + ".updated", parameter);
            node.inputs.push_back(before);
            node.outputs.push_back(after);
            update.states.push_back({before, after});
        }
        node.attributes = Attributes(std::vector<Attribute>{
            {"alpha", 0.9f}, {"beta", 0.999f}, {"epsilon", 1e-8f}, {"norm_coefficient", 0.0f}});
    }
    update.node = m_editor.addNode(std::move(node));
    return update;
}

} // namespace graphloom

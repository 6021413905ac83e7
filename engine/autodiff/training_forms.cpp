// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/training_forms.h"

namespace graphloom {

namespace {

class Forms {
public:
    Forms(const Graph &graph, TrainingOptions::BatchNorm mode, TensorNames &names)
        : m_graph(graph), m_editor(graph), m_mode(mode), m_names(names)
    {
    }

    Result<TrainingForms> run()
    {
        for (const NodeId id : m_graph.order()) {
            Node node = m_graph.node(id);
            if (change(node, id))
                m_editor.replaceNode(id, std::move(node));
        }
        auto graph = std::move(m_editor).finish();
        if (!graph)
            return tl::unexpected(graph.error());
        m_forms.graph = *std::move(graph);
        return std::move(m_forms);
    }

private:
    /// False where the node stays as it is.
    bool change(Node &node, NodeId id)
    {
        const bool onnx = node.domain.empty();
        if (node.outputs.empty() || !node.outputs[0].valid())
            return false;
        if (onnx && node.op == "BatchNormalization")
            return takeBatchStatistics(node);
        if (node.op == "LayerNormalization" && (onnx || node.domain == "com.microsoft"))
            return addOutput(node, 1, ".mean") | addOutput(node, 2, ".inverse_deviation");
        if (onnx && node.op == "MaxPool")
            return keepPositions(node);
        if (onnx && node.op == "Dropout")
            return keepMask(node, id);
        return false;
    }

    bool addOutput(Node &node, std::size_t output, const std::string &suffix)
    {
        if (node.outputs.size() <= output)
            node.outputs.resize(output + 1);
        if (node.outputs[output].valid())
            return false;
        Tensor tensor;
        tensor.name = m_names.take(m_graph.tensor(node.outputs[0]).name + suffix);
        node.outputs[output] = m_editor.addTensor(std::move(tensor));
        return true;
    }

    /// Positions in the plane: those in the whole tensor, as ONNX's operator gives them, would tie
    /// the parts of a batch together.
    bool keepPositions(Node &node)
    {
        if (node.outputs.size() > 1 && node.outputs[1].valid())
            return false; // the model reads them itself
        node.domain = "graphloom";
        return addOutput(node, 1, ".positions");
    }

    bool takeBatchStatistics(Node &node)
    {
        if (m_mode == TrainingOptions::BatchNorm::Frozen)
            return false;
        if (node.attributes.integer("training_mode", 0) == 0)
            node.attributes = node.attributes.with("training_mode", std::int64_t{1});
        node.outputs.resize(3);
        for (const std::size_t k : {1, 2}) {
            const TensorId stored = node.inputs[k + 2];
            if (!node.outputs[k].valid()) {
                Tensor tensor;
                tensor.name = m_names.take(m_graph.tensor(stored).name + ".updated");
                node.outputs[k] = m_editor.addTensor(std::move(tensor));
            }
            m_forms.statistics.emplace_back(stored, node.outputs[k]);
        }
        return true;
    }

    bool keepMask(Node &node, NodeId id)
    {
        if (node.inputs.size() < 3 || !node.inputs[2].valid())
            return false; // inference: it drops nothing
        const auto &mode = m_graph.tensor(node.inputs[2]).constant;
        if (mode && mode->elements() == 1 && mode->integer(0) == 0)
            return false;
        if (!node.attributes.contains("seed"))
            node.attributes = node.attributes.with("seed", std::int64_t(id.index) + 1);
        addOutput(node, 1, ".mask");
        return true;
    }

    const Graph &m_graph;
    GraphEditor m_editor;
    TrainingOptions::BatchNorm m_mode;
    TensorNames &m_names;
    TrainingForms m_forms;
};

} // namespace

Result<TrainingForms> withTrainingForms(const Graph &graph, TrainingOptions::BatchNorm mode,
                                        TensorNames &names)
{
    return Forms(graph, mode, names).run();
}

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/training_forms.h"
#include "engine/ops/describe/operator_table.h"

namespace graphloom {

namespace {

class Forms {
public:
    Forms(const Graph &graph, const Opsets &opsets, TrainingOptions::BatchNorm mode,
          TensorNames &names)
        : m_graph(graph), m_opsets(opsets), m_editor(graph), m_mode(mode), m_names(names)
    {
    }

    Result<TrainingForms> run()
    {
        for (const NodeId id : m_graph.order()) {
            const Node &node = m_graph.node(id);
            const Operator *entry = findOperator(node.domain, node.op, m_opsets(node.domain));
            if (!entry || !entry->train || node.outputs.empty() || !node.outputs[0].valid())
                continue;
            Changed changed(*this, id, node);
            if (entry->train(changed))
                m_editor.replaceNode(id, std::move(changed.node));
        }
        GL_TRY_RESULT(graph, std::move(m_editor).finish());
        m_forms.graph = *std::move(graph);
        return std::move(m_forms);
    }

private:
    class Changed final : public TrainedCall {
    public:
        Changed(Forms &forms, NodeId id, const Node &before)
            : TrainedCall(before), m_forms(forms), m_id(id)
        {
        }

        bool takesBatchStatistics() const override
        {
            return m_forms.m_mode != TrainingOptions::BatchNorm::Frozen;
        }
        const TensorData *constant(std::size_t input) const override
        {
            const TensorId id = input < node.inputs.size() ? node.inputs[input] : TensorId();
            if (!id.valid())
                return nullptr;
            const auto &value = m_forms.m_graph.tensor(id).constant;
            return value ? &*value : nullptr;
        }
        bool addOutput(std::size_t output, std::string_view suffix) override
        {
            return add(output, node.outputs[0], suffix);
        }
        void renew(std::size_t input, std::size_t output) override
        {
            add(output, node.inputs[input], ".updated");
            m_forms.m_forms.statistics.emplace_back(node.inputs[input], node.outputs[output]);
        }
        std::int64_t number() const override { return std::int64_t(m_id.index) + 1; }

    private:
        bool add(std::size_t output, TensorId namedAfter, std::string_view suffix)
        {
            if (node.outputs.size() <= output)
                node.outputs.resize(output + 1);
            if (node.outputs[output].valid())
                return false;
            Tensor tensor;
            tensor.name =
                m_forms.m_names.take(m_forms.m_graph.tensor(namedAfter).name + std::string(suffix));
            node.outputs[output] = m_forms.m_editor.addTensor(std::move(tensor));
            return true;
        }

        Forms &m_forms;
        NodeId m_id;
    };

    const Graph &m_graph;
    const Opsets &m_opsets;
    GraphEditor m_editor;
    TrainingOptions::BatchNorm m_mode;
    TensorNames &m_names;
    TrainingForms m_forms;
};

} // namespace

Result<TrainingForms> withTrainingForms(const Graph &graph, const Opsets &opsets,
                                        TrainingOptions::BatchNorm mode, TensorNames &names)
{
    return Forms(graph, opsets, mode, names).run();
}

} // namespace graphloom

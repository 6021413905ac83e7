// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/parameters.h"

#include "engine/autodiff/dependence.h"
#include "engine/base/steps.h"
#include "engine/interpreter/fold.h"
#include "engine/ops/describe/stage.h"

#include <algorithm>

namespace graphloom {

namespace {

class Parameters {
public:
    Parameters(const Graph &graph, const Graph &folded, const Opsets &opsets,
               const std::stop_token &stop)
        : m_graph(graph), m_folded(folded), m_opsets(opsets), m_stop(stop)
    {
    }

    Result<std::vector<TensorId>> run()
    {
        GL_TRY_RESULT(data, dataOf(m_graph, m_opsets, m_stop));
        m_data = *std::move(data);
        std::vector<TensorId> found;
        for (std::uint32_t i = 0; i < m_graph.tensorBound(); ++i) {
            if (m_stop.stop_requested())
                return stoppedError();
            const TensorId id{i};
            if (!m_graph.contains(id) || !m_graph.tensor(id).constant ||
                !isFloatingPoint(m_graph.tensor(id).type))
                continue;
            GL_TRY_CONST(is, isParameter(id, m_graph.tensor(id).constant->elements() > 1));
            if (*is)
                found.push_back(id);
        }
        return found;
    }

private:
    /// Returns the graph that knows more about a call: a Resize may join its scales from constants.
    const Graph &knows(NodeId id) const { return m_folded.contains(id) ? m_folded : m_graph; }

    /// `several`: the constant has more than one element.
    Result<bool> isParameter(TensorId id, bool several) const
    {
        for (const Use &use : m_graph.uses(id)) {
            const Node &node = m_graph.node(use.node);
            if (use.slot >= node.inputs.size()) // branches and loops are not trained
                continue;
            GL_TRY_CONST(description, describe(knows(use.node), use.node, m_opsets));
            const auto output = std::ranges::find_if(node.outputs, &TensorId::valid);
            if (output == node.outputs.end())
                continue;
            if (!m_data[output->index]) {
                if (description->isOpaque() || !isCopied(*description, int(use.slot)))
                    continue;
                const auto is = isParameter(*output, several);
                if (!is || *is)
                    return is;
                continue;
            }
            const Operator *entry = findOperator(node.domain, node.op, m_opsets(node.domain));
            if (entry && (entry->statistics >> use.slot & 1) != 0)
                continue;
            if (!several && !isLookedUpByAxis(*description, int(use.slot)))
                continue;
            GL_TRY_CONST(derivatives, derivativesOf(knows(use.node), use.node, m_opsets));
            if (derivatives->hasAny(use.slot))
                return true;
        }
        return false;
    }

    const Graph &m_graph, &m_folded;
    const Opsets &m_opsets;
    const std::stop_token &m_stop;
    std::vector<bool> m_data; // dataOf()
};

} // namespace

Result<std::vector<TensorId>> trainableParameters(const Graph &graph, const Opsets &opsets,
                                                  const std::stop_token &stop)
{
    GL_TRY_CONST(folded, foldConstants(graph, opsets, mostFoldedBytes, stop));
    return Parameters(graph, *folded, opsets, stop).run();
}

} // namespace graphloom

// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/report/model_facts.h"
#include "engine/ir/opsets.h"
#include "engine/ops/describe/stage.h"

#include "engine/ops/derive/analysis.h"
#include "engine/ops/derive/infer.h"

namespace graphloom {

Result<ModelFacts> factsOf(const Model &model)
{
    const Graph &graph = model.graph;
    const Opsets opsets = opsetsOf(model);
    ModelFacts facts;
    facts.nodes = graph.nodeCount();
    facts.opset = model.opset("");
    Dim macs = 0;
    for (const NodeId id : graph.order()) {
        ++facts.operators[graph.node(id).qualifiedOp()];
        GL_TRY_CONST(description, describe(graph, id, opsets));
        if (description->isOpaque())
            ++facts.opaque;
        macs += macsOf(*description);
    }
    facts.macs = macs.constant();
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i) {
        const TensorId id{i};
        if (!graph.contains(id))
            continue;
        const Tensor &tensor = graph.tensor(id);
        if (tensor.constant && isFloatingPoint(tensor.type))
            facts.parameters += std::uint64_t(tensor.constant->elements());
    }
    return facts;
}

} // namespace graphloom

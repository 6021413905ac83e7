// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/interpreter/interpreter.h"
#include "engine/ops/derive/infer.h"
#include "engine/rewrite/drivers/rewrite.h"
#include "tests/support/graph_maker.h"
#include "tests/support/opsets.h"

#include <QString>
#include <QStringList>

#include <algorithm>
#include <map>

namespace graphloom::test {

/// Returns a graph of the maker, inferred; calls qFatal() if it contradicts itself.
inline Graph inferred(Graph graph)
{
    auto inference = inferShapes(graph, opset17);
    if (!inference)
        qFatal("%s", inference.error().text().c_str());
    return inference->graph;
}

/// Returns the outputs of a graph as terms: "Mul(Exp(x), w)". Constants of one element are numbers.
inline QString termsOf(const Graph &graph)
{
    std::map<TensorId, QString> texts;
    const auto textOf = [&](TensorId id) -> QString {
        if (!id.valid())
            return "_";
        if (const auto known = texts.find(id); known != texts.end())
            return known->second;
        const Tensor &tensor = graph.tensor(id);
        if (const auto number = numberOf(tensor))
            return QString::number(*number);
        return QString::fromStdString(tensor.name);
    };
    for (const NodeId id : graph.order()) {
        const Node &node = graph.node(id);
        QStringList inputs;
        for (const TensorId input : node.inputs)
            inputs << textOf(input);
        const QString text =
            QString("%1(%2)").arg(QString::fromStdString(node.qualifiedOp()), inputs.join(", "));
        for (std::size_t k = 0; k < node.outputs.size(); ++k)
            texts[node.outputs[k]] = k == 0 ? text : text + "#" + QString::number(k);
    }
    QStringList outputs;
    for (const TensorId id : graph.outputs())
        outputs << textOf(id);
    return outputs.join("; ");
}

inline RewriteResult rewritten(const Graph &graph, std::span<const Rule> rules,
                               const RewriteOptions &options = {})
{
    auto result = rewrite(graph, opset17, rules, options);
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return *std::move(result);
}

} // namespace graphloom::test

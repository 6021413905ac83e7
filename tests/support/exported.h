// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/onnx_export/export.h"
#include "tests/support/onnx_builder.h"

#include <QProcess>
#include <QStringList>

namespace graphloom::test {

/// Returns the initial plan of a model.
inline Plan planOf(Result<Model> model)
{
    return *initialPlan(std::make_shared<const Model>(std::move(*model)));
}
/// Returns the initial plan without folding, so that what is exported is what was read.
inline Plan planAsRead(Result<Model> model)
{
    Plan plan;
    plan.model = std::make_shared<const Model>(std::move(*model));
    plan.graph = plan.original = plan.model->graph;
    return plan;
}

/// Returns the plan of y = Neg(Abs(Relu(x))) + x, with Abs and Neg in one subgraph.
inline Plan chainPlan()
{
    auto proto = emptyModel();
    auto &graph = *proto.mutable_graph();
    addInput(graph, "x", {2});
    addNode(graph, "Relu", {"x"}, {"a"}, "one");
    addNode(graph, "Abs", {"a"}, {"b"}, "two");
    addNode(graph, "Neg", {"b"}, {"c"}, "three");
    addNode(graph, "Add", {"c", "x"}, {"y"}, "four");
    addOpenOutput(graph, "y");
    return planOf(load(proto));
}

/// Returns a partition into the nodes at these positions of the graph's order.
inline std::shared_ptr<const Partition>
partitionOf(const Graph &graph, const std::vector<std::vector<std::size_t>> &positions)
{
    Partition partition;
    partition.method = "test";
    partition.threshold = 100;
    for (const auto &list : positions) {
        partition.subgraphs.emplace_back();
        for (const std::size_t position : list)
            partition.subgraphs.back().nodes.push_back(graph.order()[position]);
        partition.subgraphs.back().weight = double(list.size());
    }
    partition.index(graph);
    return std::make_shared<const Partition>(std::move(partition));
}

/// Returns the message in a file.
inline onnx::ModelProto protoOf(const std::filesystem::path &path)
{
    onnx::ModelProto proto;
    std::ifstream stream(path, std::ios::binary);
    proto.ParseFromIstream(&stream);
    return proto;
}

/// Tells whether ONNX's own checker is available.
inline bool haveChecker()
{
    return QProcess::execute("/usr/bin/python3", {"-c", "import onnx.checker"}) == 0;
}

/// Returns the objections of ONNX's checker, or an empty string if there are none.
inline QString objectionsTo(const QStringList &paths)
{
    QProcess python;
    python.start("/usr/bin/python3", QStringList{"-c", "import sys, onnx.checker\n"
                                                       "for path in sys.argv[1:]:\n"
                                                       "    try:\n"
                                                       "        onnx.checker.check_model(path)\n"
                                                       "    except Exception as error:\n"
                                                       "        print(path, error)\n"} +
                                         paths);
    python.waitForFinished(300'000);
    if (python.exitStatus() != QProcess::NormalExit || python.exitCode() != 0)
        return "the checker failed: " + python.readAllStandardError();
    return python.readAllStandardOutput();
}

} // namespace graphloom::test

// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx_export/stored_plan.h"
#include "engine/onnx_export/subgraph_functions.h"
#include "tests/support/exported.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <set>

namespace graphloom::test::subgraph_functions_test {

/// A partition is exported as functions or as metadata of nodes, and comes back with the model.
class SubgraphFunctionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void subgraphsAreFunctions();
    void flatNodesTellTheirSubgraph();
    void nestedGraphsInFunctions();
    void cyclicPartitions();
    void incompletePartitions();
    void changedModelsLoseTheirPlan();
};

void SubgraphFunctionsTest::subgraphsAreFunctions()
{
    Plan plan = chainPlan();
    plan.partition = partitionOf(plan.graph, {{0}, {1, 2}, {3}});
    const ModelFolder folder;
    const auto path = folder.path() / "out.onnx";
    QVERIFY(exportOnnx(plan, path));
    const auto proto = protoOf(path);
    QCOMPARE(proto.functions_size(), 1);
    const auto &function = proto.functions(0);
    QCOMPARE(function.name(), std::string("subgraph_001_Abs_Neg"));
    QCOMPARE(function.domain(), std::string("graphloom"));
    QCOMPARE(function.input_size(), 1);
    QCOMPARE(function.input(0), std::string("a"));
    QCOMPARE(function.output_size(), 1);
    QCOMPARE(function.output(0), std::string("c"));
    QCOMPARE(proto.graph().node_size(), 3);
    QCOMPARE(proto.graph().node(1).op_type(), function.name());
    QCOMPARE(proto.graph().node(1).name(), function.name());
    QCOMPARE(proto.graph().value_info_size(), 2); // a and c; b is inside
    const auto back = importOnnx(path);
    QVERIFY(back);
    const Node &inlined = back->graph.node(back->graph.order()[1]);
    QCOMPARE(inlined.name, std::string("two"));
    QCOMPARE(inlined.metadata, (std::vector<std::pair<std::string, std::string>>{
                                   {"graphloom.subgraph", function.name()}}));
}

void SubgraphFunctionsTest::flatNodesTellTheirSubgraph()
{
    Plan plan = chainPlan();
    plan.partition = partitionOf(plan.graph, {{0}, {1, 2}, {3}});
    const ModelFolder folder;
    ExportOptions options;
    options.flat = true;
    QVERIFY(exportOnnx(plan, folder.path() / "out.onnx", options));
    QCOMPARE(protoOf(folder.path() / "out.onnx").functions_size(), 0);
    const auto back = importOnnx(folder.path() / "out.onnx");
    QVERIFY(back);
    std::vector<std::string> told;
    for (const NodeId id : back->graph.order())
        for (const auto &[key, value] : back->graph.node(id).metadata)
            told.push_back(key + "=" + value);
    QCOMPARE(told, (std::vector<std::string>{"graphloom.subgraph=subgraph_000_Relu",
                                             "graphloom.subgraph=subgraph_001_Abs_Neg",
                                             "graphloom.subgraph=subgraph_001_Abs_Neg",
                                             "graphloom.subgraph=subgraph_002_Add"}));
    // A second export with another partition must not keep what the first one said.
    Plan next = *importPlan(std::make_shared<const Model>(*back));
    next.partition = nullptr;
    QVERIFY(exportOnnx(next, folder.path() / "plain.onnx", options));
    const auto plain = importOnnx(folder.path() / "plain.onnx");
    QVERIFY(plain && plain->graph.node(plain->graph.order()[0]).metadata.empty());
    QVERIFY(!importPlan(std::make_shared<const Model>(*plain))->partition);
}

void SubgraphFunctionsTest::nestedGraphsInFunctions()
{
    auto proto = emptyModel();
    auto &graph = *proto.mutable_graph();
    addInput(graph, "c", {}, onnx::TensorProto::BOOL);
    addInput(graph, "x", {2});
    addFloats(graph, "w", {2}, {1, 2});
    addNode(graph, "Relu", {"x"}, {"r"}, "relu");
    auto &choice = addNode(graph, "If", {"c"}, {"i"}, "choice");
    setBranches(choice, [](auto &body, const auto &) {
        addFloats(body, "k", {2}, {3, 4}); // the same name in both
        addNode(body, "Add", {"r", "w"}, {"sum"});
        addNode(body, "Mul", {"sum", "k"}, {"product"});
        addOpenOutput(body, "product");
    });
    addNode(graph, "Neg", {"i"}, {"y"}, "neg");
    addOpenOutput(graph, "y");
    Plan plan = planOf(load(proto));
    plan.partition = partitionOf(plan.graph, {{0}, {1, 2}});
    const ModelFolder folder;
    const auto path = folder.path() / "out.onnx";
    const auto exported = exportOnnx(plan, path);
    QVERIFY2(exported, exported ? "" : exported.error().text().c_str());
    const auto written = protoOf(path);
    const auto &function = written.functions(0);
    const std::set<std::string> inputs(function.input().begin(), function.input().end());
    QCOMPARE(inputs, (std::set<std::string>{"c", "r", "w"})); // what the branches capture
    const auto back = importOnnx(path);
    QVERIFY2(back, back ? "" : back.error().text().c_str());
    QCOMPARE(back->graph.hash(), plan.graph.hash());
    if (haveChecker())
        QCOMPARE(objectionsTo({QString::fromStdString(path)}), QString());
}

void SubgraphFunctionsTest::cyclicPartitions()
{
    Plan plan = chainPlan();
    plan.partition = partitionOf(plan.graph, {{0, 2}, {1}, {3}}); // 0 -> 1 -> 2 leaves and returns
    const ModelFolder folder;
    for (const bool flat : {false, true}) {
        ExportOptions options;
        options.flat = flat;
        const auto refused = exportOnnx(plan, folder.path() / "out.onnx", options);
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, Error::Kind::Fault);
        QVERIFY(refused.error().message.find("cycle") != std::string::npos);
        QVERIFY(!std::filesystem::exists(folder.path() / "out.onnx"));
    }
}

void SubgraphFunctionsTest::incompletePartitions()
{
    Plan plan = chainPlan();
    plan.partition = partitionOf(plan.graph, {{0}, {1}, {2}});
    const ModelFolder folder;
    QVERIFY(!exportOnnx(plan, folder.path() / "out.onnx"));
    plan.partition = partitionOf(plan.graph, {{0, 1}, {1, 2}, {3}});
    QVERIFY(!exportOnnx(plan, folder.path() / "out.onnx"));
    plan.partition = partitionOf(plan.graph, {{0, 1}, {2, 3}});
    QVERIFY(exportOnnx(plan, folder.path() / "out.onnx"));
}

void SubgraphFunctionsTest::changedModelsLoseTheirPlan()
{
    Plan plan = chainPlan();
    plan.partition = partitionOf(plan.graph, {{0, 1}, {2, 3}});
    const ModelFolder folder;
    QVERIFY(exportOnnx(plan, folder.path() / "out.onnx"));
    const auto readPlan = [&](const onnx::ModelProto &proto) {
        return *importPlan(
            std::make_shared<const Model>(*importOnnx(folder.save(proto, "changed.onnx"))));
    };
    const auto planIn = [](onnx::ModelProto &model) -> onnx::StringStringEntryProto & {
        return *std::ranges::find(*model.mutable_metadata_props(), std::string(storedPlanKey),
                                  &onnx::StringStringEntryProto::key);
    };
    auto proto = protoOf(folder.path() / "out.onnx");
    QVERIFY(readPlan(proto).partition);
    proto.mutable_functions(0)->mutable_node(0)->set_name("renamed");
    QVERIFY(!readPlan(proto).partition);
    QCOMPARE(readPlan(proto).history.size(), std::size_t(1)); // and it is told
    for (const char *text : {"", "{", "[[[[", "{}", "{\"schema\":1}", "{\"schema\":2}",
                             "{\"schema\":1,\"partition\":{\"method\":1}}", "null"}) {
        proto = protoOf(folder.path() / "out.onnx");
        planIn(proto).set_value(text);
        QVERIFY2(!readPlan(proto).partition, text);
    }
    // Nested as deep as one likes: reading it must not take a stack as deep.
    planIn(proto).set_value(std::string(1'000'000, '['));
    QVERIFY(!readPlan(proto).partition);
}

GRAPHLOOM_TESTS(SubgraphFunctionsTest)

} // namespace graphloom::test::subgraph_functions_test

#include "subgraph_functions_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/export.h"
#include "engine/onnx/stored_plan.h"
#include "engine/onnx/subgraph_functions.h"
#include "tests/support/onnx_builder.h"
#include "tests/support/random_graph.h"

#include <QProcess>
#include <QTest>
#include <algorithm>
#include <set>

using namespace graphloom;
using namespace graphloom::test;

/// What is exported is read back the same, passes ONNX's own checker, and brings its plan along.
class ExportTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void samplesComeBack_data();
    void samplesComeBack();
    void conformanceModelsComeBack();
    void subgraphsAreFunctions();
    void flatNodesTellTheirSubgraph();
    void nestedGraphsInFunctions();
    void cyclicPartitions();
    void incompletePartitions();
    void changedModelsLoseTheirPlan();
    void splats();
    void externalData();
    void namesAreMadeUnique();
    void unknownOperatorsStayEqual();
    void outputsWithoutNameComeBack();
    void newTypesNeedNewFormats();
    void placesThatCannotBeWritten();
};

namespace {

Plan planOf(Result<Model> model)
{
    return *initialPlan(std::make_shared<const Model>(std::move(*model)));
}

/// Stretches of the graph's order, one to five nodes long: convex, hence acyclic.
std::shared_ptr<const Partition> randomPartition(const Graph &graph, Random &random)
{
    Partition partition;
    partition.method = "test";
    partition.threshold = 1e9;
    std::uint64_t left = 0;
    for (const NodeId id : graph.order()) {
        if (left == 0) {
            left = 1 + below(random, 5);
            partition.subgraphs.emplace_back();
        }
        --left;
        partition.subgraphs.back().nodes.push_back(id);
        partition.subgraphs.back().weight += 1.25;
    }
    partition.index(graph);
    return std::make_shared<const Partition>(std::move(partition));
}

/// The names of the nodes of each subgraph, in order.
std::vector<std::vector<std::string>> namesOf(const Plan &plan)
{
    std::vector<std::vector<std::string>> names;
    for (const Subgraph &subgraph : plan.partition->subgraphs) {
        names.emplace_back();
        for (const NodeId id : subgraph.nodes)
            names.back().push_back(plan.graph.node(id).name);
    }
    return names;
}

onnx::ModelProto protoOf(const std::filesystem::path &path)
{
    onnx::ModelProto proto;
    std::ifstream stream(path, std::ios::binary);
    proto.ParseFromIstream(&stream);
    return proto;
}

bool haveChecker()
{
    return QProcess::execute("/usr/bin/python3", {"-c", "import onnx.checker"}) == 0;
}

/// What ONNX's checker objects to; empty when nothing.
QString objectionsTo(const QStringList &paths)
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

const std::filesystem::path conformance = "/usr/share/libonnx-testdata/data";

} // namespace

void ExportTest::samplesComeBack_data()
{
    QTest::addColumn<QString>("path");
    for (const auto &entry : std::filesystem::directory_iterator(GRAPHLOOM_SAMPLES))
        if (entry.path().extension() == ".onnx")
            QTest::newRow(entry.path().stem().c_str()) << QString::fromStdString(entry.path());
}

void ExportTest::samplesComeBack()
{
    QFETCH(QString, path);
    const auto model = importOnnx(path.toStdString());
    QVERIFY2(model, model ? "" : model.error().text().c_str());
    const ModelFolder folder;
    Random random(1);
    Plan plan;
    plan.model = std::make_shared<const Model>(*model);
    plan.graph = model->graph;
    const auto same = folder.path() / "same.onnx";
    QVERIFY(exportOnnx(plan, same));
    const auto back = importOnnx(same);
    QVERIFY2(back, back ? "" : back.error().text().c_str());
    QCOMPARE(back->graph.hash(), plan.graph.hash());
    QVERIFY(back->warnings.empty());

    plan = planOf(model);
    plan.partition = randomPartition(plan.graph, random);
    QStringList written{QString::fromStdString(same)};
    for (const bool flat : {false, true}) {
        const auto to = folder.path() / (flat ? "flat.onnx" : "functions.onnx");
        ExportOptions options;
        options.flat = flat;
        const auto exported = exportOnnx(plan, to, options);
        QVERIFY2(exported, exported ? "" : exported.error().text().c_str());
        written << QString::fromStdString(to);
        const auto again = importOnnx(to);
        QVERIFY2(again, again ? "" : again.error().text().c_str());
        QCOMPARE(again->graph.hash(), plan.graph.hash());
        const auto restored = importPlan(std::make_shared<const Model>(*again));
        QVERIFY2(restored, restored ? "" : restored.error().text().c_str());
        QVERIFY(restored->history.empty());
        QVERIFY(restored->partition);
        QCOMPARE(namesOf(*restored), namesOf(plan));
        QCOMPARE(restored->partition->method, plan.partition->method);
        QCOMPARE(restored->partition->threshold, plan.partition->threshold);
        QCOMPARE(restored->partition->subgraphs[0].weight, plan.partition->subgraphs[0].weight);
    }
    if (!haveChecker())
        QSKIP("the Python module onnx is not installed: its checker was not asked");
    QCOMPARE(objectionsTo(written), QString());
}

void ExportTest::conformanceModelsComeBack()
{
    if (!std::filesystem::exists(conformance))
        QSKIP("libonnx-testdata is not installed");
    const ModelFolder folder;
    Random random(2);
    QStringList written;
    std::map<std::string, int> refused;
    int read = 0;
    for (const char *group : {"node", "simple", "pytorch-converted", "pytorch-operator"}) {
        for (const auto &entry : std::filesystem::directory_iterator(conformance / group)) {
            const auto path = entry.path() / "model.onnx";
            const auto model = importOnnx(path);
            if (!model) {
                QCOMPARE(model.error().kind, Error::Kind::Model);
                QVERIFY(!model.error().message.empty());
                ++refused[model.error().message];
                continue;
            }
            ++read;
            Plan plan;
            plan.model = std::make_shared<const Model>(*model);
            plan.graph = model->graph;
            plan.partition = randomPartition(plan.graph, random);
            ExportOptions options;
            options.flat = chance(random, 0.5);
            const auto to = folder.path() / (std::to_string(written.size()) + ".onnx");
            const auto exported = exportOnnx(plan, to, options);
            QVERIFY2(exported,
                     (path.string() + ": " + (exported ? "" : exported.error().text())).c_str());
            written << QString::fromStdString(to);
            const auto back = importOnnx(to);
            QVERIFY2(back, (path.string() + ": " + (back ? "" : back.error().text())).c_str());
            QVERIFY2(back->graph.hash() == plan.graph.hash(), path.c_str());
        }
    }
    for (const auto &[reason, count] : refused)
        qInfo("%d refused: %s", count, reason.c_str());
    // All but those of operator set 1, and of forms that the operator table does not describe.
    QVERIFY2(read >= 1050, std::to_string(read).c_str());
    if (!haveChecker())
        QSKIP("the Python module onnx is not installed: its checker was not asked");
    QCOMPARE(objectionsTo(written), QString());
}

namespace {

/// y = Neg(Abs(Relu(x))) + x, with Abs and Neg in one subgraph.
Plan chainPlan()
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

std::shared_ptr<const Partition> partitionOf(const Graph &graph,
                                             const std::vector<std::vector<std::size_t>> &positions)
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

} // namespace

void ExportTest::subgraphsAreFunctions()
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

void ExportTest::flatNodesTellTheirSubgraph()
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

void ExportTest::nestedGraphsInFunctions()
{
    auto proto = emptyModel();
    auto &graph = *proto.mutable_graph();
    addInput(graph, "c", {}, onnx::TensorProto::BOOL);
    addInput(graph, "x", {2});
    addFloats(graph, "w", {2}, {1, 2});
    addNode(graph, "Relu", {"x"}, {"r"}, "relu");
    auto &choice = addNode(graph, "If", {"c"}, {"i"}, "choice");
    for (const char *branch : {"then_branch", "else_branch"}) {
        auto &body = setGraph(choice, branch);
        addFloats(body, "k", {2}, {3, 4}); // the same name in both
        addNode(body, "Add", {"r", "w"}, {"sum"});
        addNode(body, "Mul", {"sum", "k"}, {"product"});
        addOpenOutput(body, "product");
    }
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

void ExportTest::cyclicPartitions()
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

void ExportTest::incompletePartitions()
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

void ExportTest::changedModelsLoseTheirPlan()
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

void ExportTest::splats()
{
    auto proto = emptyModel();
    auto &graph = *proto.mutable_graph();
    addInts(graph, "large_shape", {2}, {100, 50});
    addInts(graph, "small_shape", {1}, {3});
    addNode(graph, "ConstantOfShape", {"large_shape"}, {"large"}, "large_fill");
    addNode(graph, "ConstantOfShape", {"small_shape"}, {"small"}, "small_fill");
    addInput(graph, "x", {100, 50});
    addNode(graph, "Add", {"x", "large"}, {"y"}, "add");
    addOpenOutput(graph, "y");
    addOpenOutput(graph, "small");
    const auto model = load(proto);
    QVERIFY2(model, model ? "" : model.error().text().c_str());
    Plan plan;
    plan.model = std::make_shared<const Model>(*model);
    plan.graph = model->graph;
    const ModelFolder folder;
    QVERIFY(exportOnnx(plan, folder.path() / "out.onnx"));
    QVERIFY(std::filesystem::file_size(folder.path() / "out.onnx") < 2000);
    const auto written = protoOf(folder.path() / "out.onnx");
    QCOMPARE(written.graph().node(0).op_type(), std::string("ConstantOfShape"));
    QCOMPARE(written.graph().node(0).output(0), std::string("large"));
    QCOMPARE(written.graph().node(0).input(0), std::string("large__SHAPE"));
    QCOMPARE(written.graph().node_size(), 2); // the small one is an initializer
    const auto back = importOnnx(folder.path() / "out.onnx");
    QVERIFY(back);
    QCOMPARE(back->graph.hash(), plan.graph.hash());
    QVERIFY(!tensorNamed(back->graph, "large__SHAPE").valid());
}

void ExportTest::externalData()
{
    std::vector<float> weights(3000);
    for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] = float(i);
    auto proto = emptyModel();
    auto &graph = *proto.mutable_graph();
    addFloats(graph, "w", {3000}, weights);
    addFloats(graph, "v", {3000}, weights);
    addFloats(graph, "small", {1}, {2});
    addInput(graph, "x", {3000});
    addNode(graph, "Mul", {"x", "w"}, {"a"}, "mul");
    addNode(graph, "Add", {"a", "v"}, {"b"}, "add");
    addNode(graph, "Sub", {"b", "small"}, {"y"}, "sub");
    addOpenOutput(graph, "y");
    const ModelFolder folder;
    const Plan plan = planOf(importOnnx(folder.save(proto, "in.onnx")));
    ExportOptions options;
    options.externalAbove = 10'000;
    const auto path = folder.path() / "out.onnx", data = folder.path() / "out.onnx.data";
    const auto exported = exportOnnx(plan, path, options);
    QVERIFY2(exported, exported ? "" : exported.error().text().c_str());
    QVERIFY(std::filesystem::file_size(path) < 2000);
    QVERIFY(std::filesystem::file_size(data) >= 24'000);
    auto back = importOnnx(path);
    QVERIFY2(back, back ? "" : back.error().text().c_str());
    QCOMPARE(back->graph.hash(), plan.graph.hash());
    if (haveChecker())
        QCOMPARE(objectionsTo({QString::fromStdString(path)}), QString());
    // Over the files that it was read from.
    const Plan again = planOf(importOnnx(path));
    QVERIFY(exportOnnx(again, path, options));
    back = importOnnx(path);
    QVERIFY(back);
    QCOMPARE(back->graph.hash(), plan.graph.hash());
    // Weights that are gone are not written as zeros.
    const Plan later = planOf(importOnnx(path));
    std::filesystem::resize_file(data, 100);
    const auto refused = exportOnnx(later, folder.path() / "late.onnx");
    QVERIFY(!refused);
    QVERIFY2(refused.error().text().find("cut short") != std::string::npos,
             refused.error().text().c_str());
    QVERIFY(!std::filesystem::exists(folder.path() / "late.onnx"));
}

void ExportTest::namesAreMadeUnique()
{
    Plan plan = chainPlan();
    GraphEditor editor(plan.graph);
    for (std::uint32_t i = 0; i < plan.graph.tensorBound(); ++i)
        if (const TensorId id{i}; plan.graph.contains(id)) {
            Tensor tensor = plan.graph.tensor(id);
            if (!plan.graph.isInput(id) && !plan.graph.isOutput(id))
                tensor.name = i % 2 ? "y" : ""; // the output's name, or none
            editor.setTensor(id, tensor);
        }
    for (const NodeId id : plan.graph.order()) {
        Node node = plan.graph.node(id);
        node.name = "same";
        editor.replaceNode(id, node);
    }
    plan.graph = *std::move(editor).finish();
    const ModelFolder folder;
    QVERIFY(exportOnnx(plan, folder.path() / "out.onnx"));
    const auto back = importOnnx(folder.path() / "out.onnx");
    QVERIFY2(back, back ? "" : back.error().text().c_str());
    QCOMPARE(back->graph.hash(), plan.graph.hash());
    QCOMPARE(back->graph.tensor(back->graph.inputs()[0]).name, std::string("x"));
    QCOMPARE(back->graph.tensor(back->graph.outputs()[0]).name, std::string("y"));
}

void ExportTest::unknownOperatorsStayEqual()
{
    auto proto = reluModel();
    importDomain(proto, "com.example", 3);
    auto &node = *proto.mutable_graph()->mutable_node(0);
    node.set_domain("com.example");
    node.set_op_type("Special");
    node.set_doc_string("why");
    node.add_input("");
    setFloats(node, "a_numbers", {1, 2});
    addAttribute(node, "b_empty", onnx::AttributeProto::STRINGS);
    addAttribute(node, "c_type", onnx::AttributeProto::TYPE_PROTO)
        .mutable_tp()
        ->mutable_tensor_type()
        ->set_elem_type(1);
    auto &sparse = *addAttribute(node, "d_sparse", onnx::AttributeProto::SPARSE_TENSOR)
                        .mutable_sparse_tensor();
    fillFloats(*sparse.mutable_values(), "", {2000}, std::vector<float>(2000, 1));
    sparse.add_dims(5000);
    addAttribute(node, "e_tensors", onnx::AttributeProto::TENSORS);
    fillFloats(*node.mutable_attribute(4)->add_tensors(), "", {1}, {5});
    node.mutable_attribute(4)->mutable_tensors(0)->clear_name();
    Plan plan;
    plan.model = std::make_shared<const Model>(*load(proto));
    plan.graph = plan.model->graph;
    const ModelFolder folder;
    QVERIFY(exportOnnx(plan, folder.path() / "out.onnx"));
    const auto written = protoOf(folder.path() / "out.onnx");
    QCOMPARE(written.graph().node(0).SerializeAsString(), node.SerializeAsString());
    QCOMPARE(written.opset_import(1).domain(), std::string("com.example"));
    QCOMPARE(written.opset_import(1).version(), std::int64_t{3});
}

void ExportTest::outputsWithoutNameComeBack()
{
    auto proto = reluModel();
    addNode(*proto.mutable_graph(), "NotOfOnnx", {"x"}, {""}, "unheard");
    Plan plan;
    plan.model = std::make_shared<const Model>(*load(proto));
    plan.graph = plan.model->graph;
    const ModelFolder folder;
    QVERIFY(exportOnnx(plan, folder.path() / "out.onnx"));
    const auto written = protoOf(folder.path() / "out.onnx");
    QCOMPARE(written.graph().node(1).output_size(), 1);
    const auto back = importOnnx(folder.path() / "out.onnx");
    QVERIFY2(back, back ? "" : back.error().text().c_str());
    QCOMPARE(back->graph.hash(), plan.graph.hash());
}

void ExportTest::newTypesNeedNewFormats()
{
    const auto versionWith = [](DataType type) {
        auto proto = emptyModel(21);
        addInput(*proto.mutable_graph(), "x", {2}, int(type));
        addOpenOutput(*proto.mutable_graph(), "y", int(type));
        addNode(*proto.mutable_graph(), "Identity", {"x"}, {"y"});
        for (auto &import : *proto.mutable_opset_import())
            import.set_version(17);
        const Plan plan = planOf(load(proto));
        const ModelFolder folder;
        const auto exported = exportOnnx(plan, folder.path() / "out.onnx");
        return exported ? protoOf(folder.path() / "out.onnx").ir_version() : -1;
    };
    QCOMPARE(versionWith(DataType::Float), 8);
    QCOMPARE(versionWith(DataType::Float8E5M2), 9);
    QCOMPARE(versionWith(DataType::Int4), 10);
}

void ExportTest::placesThatCannotBeWritten()
{
    const Plan plan = chainPlan();
    const auto refused = exportOnnx(plan, "/nonexistent/out.onnx");
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, Error::Kind::Missing);
}

QTEST_GUILESS_MAIN(ExportTest)
#include "export_test.moc"

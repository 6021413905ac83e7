// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/training.h"
#include "tests/support/conformance.h"
#include "tests/support/exported.h"
#include "tests/support/random_graph.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <map>

namespace graphloom::test::export_test {

/// What is exported is read back the same, passes ONNX's own checker, and brings its plan along.
class ExportTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void samplesComeBack_data();
    void samplesComeBack();
    void trainingComesBack();
    void conformanceModelsComeBack();
    void namesAreMadeUnique();
    void unknownOperatorsStayEqual();
    void outputsWithoutNameComeBack();
    void newTypesNeedNewFormats();
    void placesThatCannotBeWritten();
};

namespace {

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
    Plan plan = planAsRead(model);
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

/// Operators that training adds are of the domain that functions are of, too.
void ExportTest::trainingComesBack()
{
    auto model = importOnnx(GRAPHLOOM_SAMPLES "/shufflenet_v2_x1_0_224.onnx");
    QVERIFY2(model, model ? "" : model.error().text().c_str());
    const auto training = trainingModel(*std::move(model), {});
    QVERIFY2(training, training ? "" : training.error().text().c_str());
    const ModelFolder folder;
    Random random(1);
    Plan plan = planAsRead(training->model);
    QVERIFY(std::ranges::any_of(
        plan.graph.order(), [&](NodeId id) { return plan.graph.node(id).domain == "graphloom"; }));
    for (const bool functions : {false, true}) {
        if (functions)
            plan.partition = randomPartition(plan.graph, random);
        const auto to = folder.path() / (functions ? "functions.onnx" : "nodes.onnx");
        QVERIFY(exportOnnx(plan, to));
        const auto back = importOnnx(to);
        QVERIFY2(back, back ? "" : back.error().text().c_str());
        QCOMPARE(back->graph.hash(), plan.graph.hash());
    }
}

void ExportTest::conformanceModelsComeBack()
{
    const auto root = conformanceRoot();
    if (!std::filesystem::exists(root))
        QSKIP("libonnx-testdata is not installed");
    const ModelFolder folder;
    Random random(2);
    QStringList written;
    std::map<std::string, int> refused;
    int read = 0;
    for (const std::string &test : conformanceTests(root)) {
        const auto path = root / test / "model.onnx";
        const auto model = importOnnx(path);
        if (!model) {
            QCOMPARE(model.error().kind, Error::Kind::Model);
            QVERIFY(!model.error().message.empty());
            ++refused[model.error().message];
            continue;
        }
        ++read;
        Plan plan = planAsRead(model);
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
    for (const auto &[reason, count] : refused)
        qInfo("%d refused: %s", count, reason.c_str());
    // All but those of operator set 1, and of forms that the operator table does not describe.
    QVERIFY2(read >= 1050, std::to_string(read).c_str());
    if (!haveChecker())
        QSKIP("the Python module onnx is not installed: its checker was not asked");
    QCOMPARE(objectionsTo(written), QString());
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
    const Plan plan = planAsRead(load(proto));
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
    const Plan plan = planAsRead(load(proto));
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

GRAPHLOOM_TESTS(ExportTest)

} // namespace graphloom::test::export_test

#include "export_test.moc"

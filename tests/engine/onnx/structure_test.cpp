// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/graph_reader.h"
#include "tests/support/onnx_builder.h"

#include <QTest>
#include <algorithm>

using namespace graphloom;
using namespace graphloom::test;

/// Nested graphs, functions, symbolic shapes, and what is kept of a file besides its graph.
class StructureTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nestedGraphsCapture();
    void nestedGraphsThroughTwoLevels();
    void nestedGraphsSeeNothingElse();
    void functionsAreInlined();
    void functionAttributes();
    void functionsThatPassThrough();
    void functionsWithOldOperators();
    void functionDefects();
    void functionsThatExplode();
    void unknownOperatorsStay();
    void constantsWithOmittedOutputs();
    void metadata();
    void symbolicShapes();
    void inputShapes();
    void batchSize();
};

namespace {

onnx::FunctionProto &addFunction(onnx::ModelProto &model, const std::string &name,
                                 const Names &inputs, const Names &outputs)
{
    auto &function = *model.add_functions();
    function.set_domain("my.functions");
    function.set_name(name);
    for (const auto &input : inputs)
        function.add_input(input);
    for (const auto &output : outputs)
        function.add_output(output);
    auto &import = *function.add_opset_import();
    import.set_version(17);
    auto &own = *function.add_opset_import();
    own.set_domain("my.functions");
    own.set_version(1);
    return function;
}

/// y = f(x), with f to be added.
onnx::ModelProto callingModel(const std::string &function, int times = 1)
{
    auto model = emptyModel();
    importDomain(model, "my.functions");
    auto &graph = *model.mutable_graph();
    addInput(graph, "x", {2});
    for (int i = 0; i < times; ++i) {
        const std::string from = i == 0 ? "x" : "y" + std::to_string(i);
        const std::string to = i + 1 == times ? "y" : "y" + std::to_string(i + 1);
        addNode(graph, function, {from}, {to}, "call" + std::to_string(i))
            .set_domain("my.functions");
    }
    addOpenOutput(graph, "y");
    return model;
}

} // namespace

void StructureTest::nestedGraphsCapture()
{
    auto model = emptyModel();
    auto &graph = *model.mutable_graph();
    addInput(graph, "c", {}, onnx::TensorProto::BOOL);
    addInput(graph, "x", {2});
    addFloats(graph, "w", {2}, {1, 2});
    auto &node = addNode(graph, "If", {"c"}, {"y"}, "choice");
    // Attributes are ordered by name: the else branch comes first.
    auto &then = setGraph(node, "then_branch");
    addNode(then, "Add", {"x", "w"}, {"t"}, "sum");
    addOpenOutput(then, "t");
    auto &other = setGraph(node, "else_branch");
    addNode(other, "Mul", {"w", "w"}, {"e"}, "square");
    addOpenOutput(other, "e");
    addOpenOutput(graph, "y");
    const auto read = load(model);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    const Graph &g = read->graph;
    QCOMPARE(g.nodeCount(), std::size_t(1));
    const Node &choice = g.node(g.order()[0]);
    std::vector<std::string> captured;
    for (const TensorId id : choice.captures)
        captured.push_back(g.tensor(id).name);
    QCOMPARE(captured, (std::vector<std::string>{"w", "x", "w"}));
    const Graph &thenGraph = *choice.attributes.graph("then_branch");
    QCOMPARE(thenGraph.captured().size(), std::size_t(2));
    QCOMPARE(thenGraph.tensor(thenGraph.captured()[0]).name, std::string("x"));
    QVERIFY(thenGraph.tensor(thenGraph.captured()[0]).shape.has_value());
    QCOMPARE(choice.attributes.graph("else_branch")->captured().size(), std::size_t(1));
}

void StructureTest::nestedGraphsThroughTwoLevels()
{
    auto model = emptyModel();
    auto &graph = *model.mutable_graph();
    addInput(graph, "c", {}, onnx::TensorProto::BOOL);
    addInput(graph, "x", {2});
    auto &outer = addNode(graph, "If", {"c"}, {"y"}, "outer");
    for (const char *branch : {"then_branch", "else_branch"}) {
        auto &body = setGraph(outer, branch);
        auto &inner = addNode(body, "If", {"c"}, {std::string(branch) + "_y"}, "inner");
        for (const char *leaf : {"then_branch", "else_branch"}) {
            auto &innermost = setGraph(inner, leaf);
            addNode(innermost, "Relu", {"x"}, {std::string(branch) + leaf});
            addOpenOutput(innermost, std::string(branch) + leaf);
        }
        addOpenOutput(body, std::string(branch) + "_y");
    }
    addOpenOutput(graph, "y");
    const auto read = load(model);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    const Node &node = read->graph.node(read->graph.order()[0]);
    QCOMPARE(node.captures.size(), std::size_t(4)); // c and x for each branch
    const Graph &body = *node.attributes.graph("then_branch");
    QCOMPARE(body.captured().size(), std::size_t(2));
    QCOMPARE(body.node(body.order()[0]).captures.size(), std::size_t(2)); // x for each branch
}

void StructureTest::nestedGraphsSeeNothingElse()
{
    auto model = emptyModel();
    auto &graph = *model.mutable_graph();
    addInput(graph, "c", {}, onnx::TensorProto::BOOL);
    addInput(graph, "x", {2});
    auto &node = addNode(graph, "If", {"c"}, {"y"}, "choice");
    for (const char *branch : {"then_branch", "else_branch"}) {
        auto &body = setGraph(node, branch);
        addNode(body, "Relu", {"x"}, {"inside"});
        addOpenOutput(body, "inside");
    }
    addOpenOutput(graph, "y");
    ACCEPTED(model);
    addNode(graph, "Neg", {"inside"}, {"z"}); // a name of a nested graph
    REFUSED(model, "reads tensor \"inside\", which is defined nowhere");
    graph.mutable_node()->RemoveLast();
    auto &body = *graph.mutable_node(0)->mutable_attribute(0)->mutable_g();
    body.mutable_node(0)->set_input(0, "y"); // its own result
    REFUSED(model, "cycle");
    body.mutable_node(0)->set_input(0, "nowhere");
    REFUSED(model, "graph \"then_branch\"");
}

void StructureTest::functionsAreInlined()
{
    auto model = callingModel("twice", 2);
    auto &twice = addFunction(model, "twice", {"a"}, {"b"});
    addNode(twice, "once", {"a"}, {"inner"}, "first").set_domain("my.functions");
    addNode(twice, "once", {"inner"}, {"b"}, "second").set_domain("my.functions");
    auto &once = addFunction(model, "once", {"a"}, {"b"});
    addNode(once, "Relu", {"a"}, {"r"}, "relu");
    addNode(once, "Neg", {"r"}, {"b"}, "neg");
    const auto read = load(model);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    const Graph &g = read->graph;
    QCOMPARE(operatorsOf(g), std::string("Relu Neg Relu Neg Relu Neg Relu Neg"));
    QCOMPARE(read->fileNodes, std::size_t(2));
    QCOMPARE(g.tensor(g.outputs()[0]).name, std::string("y"));
    std::set<std::string> names;
    for (const NodeId id : g.order())
        names.insert(g.node(id).name);
    QCOMPARE(names.size(), g.nodeCount());
    QVERIFY(names.contains("call0/second/neg"));
    const auto &metadata = g.node(g.order()[0]).metadata;
    QVERIFY(std::ranges::find(metadata, std::pair(std::string(inlinedFromKey),
                                                  std::string("once"))) != metadata.end());
}

void StructureTest::functionAttributes()
{
    auto model = callingModel("soft");
    auto &soft = addFunction(model, "soft", {"a"}, {"b"});
    soft.add_attribute("along");
    auto &node = addNode(soft, "Softmax", {"a"}, {"b"}, "softmax");
    auto &reference = addAttribute(node, "axis", onnx::AttributeProto::INT);
    reference.set_ref_attr_name("along");
    const auto axis = [](const Result<Model> &read) {
        return read->graph.node(read->graph.order()[0]).attributes.integer("axis", -99);
    };
    auto read = load(model);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(axis(read), std::int64_t{-99}); // left out: the operator's own default
    setInt(*model.mutable_graph()->mutable_node(0), "along", 0);
    read = load(model);
    QVERIFY(read);
    QCOMPARE(axis(read), std::int64_t{0});
    model.mutable_graph()->mutable_node(0)->clear_attribute();
    setFloat(*model.mutable_graph()->mutable_node(0), "along", 0);
    REFUSED(model, "is a FLOAT");
    // A default of the function, as files since IR version 9 have it.
    model.mutable_graph()->mutable_node(0)->clear_attribute();
    onnx::AttributeProto standard;
    standard.set_name("along");
    standard.set_type(onnx::AttributeProto::INT);
    standard.set_i(-1);
    soft.mutable_unknown_fields()->AddLengthDelimited(11, standard.SerializeAsString());
    read = load(model);
    QVERIFY(read);
    QCOMPARE(axis(read), std::int64_t{-1});
}

void StructureTest::functionsThatPassThrough()
{
    auto model = callingModel("same");
    addFunction(model, "same", {"a"}, {"a"});
    const auto read = load(model);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(operatorsOf(read->graph), std::string("Identity"));
    // An input that the caller leaves out is left out inside.
    auto clipped = callingModel("clip");
    auto &clip = addFunction(clipped, "clip", {"a", "low"}, {"b"});
    addNode(clip, "Clip", {"a", "low"}, {"b"}, "clip");
    const auto clips = load(clipped);
    QVERIFY2(clips, clips ? "" : clips.error().text().c_str());
    QCOMPARE(clips->graph.node(clips->graph.order()[0]).inputs.size(), std::size_t(1));
}

void StructureTest::functionsWithOldOperators()
{
    auto model = callingModel("squeeze");
    model.mutable_graph()
        ->mutable_input(0)
        ->mutable_type()
        ->mutable_tensor_type()
        ->mutable_shape()
        ->add_dim()
        ->set_dim_value(1);
    auto &squeeze = addFunction(model, "squeeze", {"a"}, {"b"});
    squeeze.mutable_opset_import(0)->set_version(11);
    setInts(addNode(squeeze, "Squeeze", {"a"}, {"b"}, "squeeze"), "axes", {1});
    const auto read = load(model);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    const Node &node = read->graph.node(read->graph.order()[0]);
    QCOMPARE(node.inputs.size(), std::size_t(2));
    QVERIFY(!node.attributes.contains("axes"));
}

void StructureTest::functionDefects()
{
    const auto recursive = [](bool direct) {
        auto model = callingModel("f");
        addNode(addFunction(model, "f", {"a"}, {"b"}), direct ? "f" : "g", {"a"}, {"b"})
            .set_domain("my.functions");
        addNode(addFunction(model, "g", {"a"}, {"b"}), "f", {"a"}, {"b"})
            .set_domain("my.functions");
        return model;
    };
    REFUSED(recursive(true), "calls itself");
    REFUSED(recursive(false), "calls itself");
    auto model = callingModel("f");
    addNode(addFunction(model, "f", {"a"}, {"b"}), "Relu", {"x"}, {"b"});
    REFUSED(model, "reads tensor \"x\""); // a name of the caller
    model = callingModel("f");
    addNode(addFunction(model, "f", {"a"}, {"b"}), "Relu", {"a"}, {"c"});
    REFUSED(model, "defined nowhere");
    model = callingModel("f");
    auto &twice = addFunction(model, "f", {"a"}, {"b"});
    addNode(twice, "Relu", {"a"}, {"b"});
    addNode(twice, "Neg", {"a"}, {"b"});
    REFUSED(model, "defined twice");
    model = callingModel("f");
    addFunction(model, "f", {"a", "a"}, {"b"});
    REFUSED(model, "lists \"a\" twice");
    model = callingModel("f");
    addNode(addFunction(model, "f", {"a"}, {"b"}), "Relu", {"a"}, {"b"});
    addNode(addFunction(model, "f", {"a"}, {"b"}), "Neg", {"a"}, {"b"});
    REFUSED(model, "is defined twice");
    model = callingModel("f");
    addNode(addFunction(model, "f", {}, {"b"}), "Relu", {"a"}, {"b"});
    REFUSED(model, "passes more inputs");
}

void StructureTest::functionsThatExplode()
{
    // Each function calls the one before it ten times.
    auto model = callingModel("f9");
    addNode(addFunction(model, "f0", {"a"}, {"b9"}), "Relu", {"a"}, {"b9"});
    for (int i = 1; i < 10; ++i) {
        auto &function = addFunction(model, "f" + std::to_string(i), {"a"}, {"b9"});
        for (int k = 0; k < 10; ++k)
            addNode(function, "f" + std::to_string(i - 1),
                    {k == 0 ? "a" : "b" + std::to_string(k - 1)}, {"b" + std::to_string(k)})
                .set_domain("my.functions");
    }
    QElapsedTimer timer;
    timer.start();
    ImportOptions options;
    options.maxNodes = 100'000;
    const std::string text = refusalOf(model, options);
    QVERIFY2(text.find("expand to more than") != std::string::npos, text.c_str());
    QVERIFY(timer.elapsed() < 60'000);
}

void StructureTest::unknownOperatorsStay()
{
    auto model = reluModel();
    importDomain(model, "com.example", 3);
    auto &node = *model.mutable_graph()->mutable_node(0);
    node.set_domain("com.example");
    node.set_op_type("Special");
    setFloats(node, "numbers", {1, 2});
    setText(node, "text", std::string("a\0b", 3));
    addAttribute(node, "empty", onnx::AttributeProto::INTS);
    auto &type = addAttribute(node, "type", onnx::AttributeProto::TYPE_PROTO);
    type.mutable_tp()->mutable_tensor_type()->set_elem_type(1);
    const std::string stored = type.SerializeAsString();
    const auto read = load(model);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    const Node &special = read->graph.node(read->graph.order()[0]);
    QCOMPARE(special.qualifiedOp(), std::string("com.example.Special"));
    QCOMPARE(special.attributes.reals("numbers"), (std::vector<float>{1, 2}));
    QCOMPARE(special.attributes.text("text", ""), std::string("a\0b", 3));
    QVERIFY(std::holds_alternative<std::vector<std::int64_t>>(*special.attributes.find("empty")));
    QCOMPARE(std::get<RawAttribute>(*special.attributes.find("type")).bytes, stored);
    QCOMPARE(read->opset("com.example"), std::int64_t{3});
    const Tensor &output = read->graph.tensor(read->graph.outputs()[0]);
    QCOMPARE(text(*output.shape), std::string("2x3")); // as declared
}

void StructureTest::constantsWithOmittedOutputs()
{
    auto model = emptyModel();
    addOpenOutput(*model.mutable_graph(), "c");
    setInt(addNode(*model.mutable_graph(), "Constant", {}, {"c", ""}), "value_int", 3);
    const auto read = load(model);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(read->graph.nodeCount(), std::size_t{0});
    QVERIFY(read->graph.tensor(tensorNamed(read->graph, "c")).constant);
}

void StructureTest::metadata()
{
    auto model = reluModel(13);
    model.set_producer_version("1.0");
    model.set_doc_string("about");
    setEntry(*model.add_metadata_props(), "key", "value");
    auto &node = *model.mutable_graph()->mutable_node(0);
    node.set_doc_string("why");
    onnx::StringStringEntryProto entry;
    setEntry(entry, "namespace", "layer1");
    node.mutable_unknown_fields()->AddLengthDelimited(9, entry.SerializeAsString());
    const auto read = load(model);
    QVERIFY(read);
    QCOMPARE(read->producer, std::string("test 1.0"));
    QCOMPARE(read->documentation, std::string("about"));
    QCOMPARE(read->metadata.size(), std::size_t(1));
    QCOMPARE(read->fileOpsets[0].version, std::int64_t{13});
    QCOMPARE(read->opset(""), normalOpset);
    QCOMPARE(read->irVersion, std::int64_t{8});
    const auto &kept = read->graph.node(read->graph.order()[0]).metadata;
    QCOMPARE(kept.size(), std::size_t(2));
    QCOMPARE(kept[0], (std::pair<std::string, std::string>("namespace", "layer1")));
    QCOMPARE(kept[1], (std::pair(std::string(documentationKey), std::string("why"))));
}

void StructureTest::symbolicShapes()
{
    auto model = reluModel();
    auto &shape = *model.mutable_graph()
                       ->mutable_input(0)
                       ->mutable_type()
                       ->mutable_tensor_type()
                       ->mutable_shape();
    const auto inputShape = [&](const std::string &parameter) {
        shape.mutable_dim(0)->set_dim_param(parameter);
        model.mutable_graph()->mutable_output(0)->mutable_type()->clear_value();
        model.mutable_graph()
            ->mutable_output(0)
            ->mutable_type()
            ->mutable_tensor_type()
            ->set_elem_type(1);
        const auto read = load(model);
        return read ? (*read->graph.tensor(read->graph.inputs()[0]).shape)[0] : Dim::overflow();
    };
    const Dim n = Dim::symbol("n"), m = Dim::symbol("m");
    QCOMPARE(inputShape("n").text(), std::string("n"));
    QVERIFY(inputShape("2*n + 1") == Dim(2) * n + Dim(1));
    QVERIFY(inputShape("n*m-3") == n * m - Dim(3));
    QVERIFY(inputShape("floor(n/2)") == Dim::symbol("floor(n/2)")); // read as a name
    QVERIFY(inputShape("batch size") == Dim::symbol("batch size"));
    QVERIFY(inputShape("99999999999999999999*n") == Dim::symbol("99999999999999999999*n"));
    shape.mutable_dim(0)->Clear();
    const auto open = load(model);
    QVERIFY(open);
    QVERIFY((*open->graph.tensor(open->graph.inputs()[0]).shape)[0] == Dim::symbol("x.dim0"));
}

void StructureTest::inputShapes()
{
    auto model = reluModel();
    auto &shape = *model.mutable_graph()
                       ->mutable_input(0)
                       ->mutable_type()
                       ->mutable_tensor_type()
                       ->mutable_shape();
    shape.mutable_dim(0)->set_dim_param("n");
    model.mutable_graph()
        ->mutable_output(0)
        ->mutable_type()
        ->mutable_tensor_type()
        ->mutable_shape()
        ->mutable_dim(0)
        ->set_dim_param("n");
    const auto shapeOf = [&](const std::vector<std::int64_t> &wish) {
        ImportOptions options;
        options.inputShapes["x"] = wish;
        const auto read = load(model, options);
        return read ? text(*read->graph.tensor(read->graph.outputs()[0]).shape)
                    : read.error().text();
    };
    QCOMPARE(shapeOf({5, 3}), std::string("5x3"));
    QCOMPARE(shapeOf({5, 7}), std::string("5x7"));
    QVERIFY(shapeOf({5}).find("has 2 dimensions, not 1") != std::string::npos);
    QVERIFY(shapeOf({5, 0}).find("cannot have the extent 0") != std::string::npos);
    ImportOptions options;
    options.inputShapes["z"] = {1};
    const auto refused = load(model, options);
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, Error::Kind::Usage);
    QVERIFY(refused.error().text().find(
                "there is no input \"z\"; the model's inputs are \"x\" (nx3)") !=
            std::string::npos);
}

void StructureTest::batchSize()
{
    auto model = emptyModel();
    auto &graph = *model.mutable_graph();
    for (const char *name : {"a", "b"})
        addInput(graph, name, {0, 3})
            .mutable_type()
            ->mutable_tensor_type()
            ->mutable_shape()
            ->mutable_dim(0)
            ->set_dim_param("n");
    addInput(graph, "fixed", {1, 3});
    addNode(graph, "Sum", {"a", "b", "fixed"}, {"y"});
    addOpenOutput(graph, "y");
    ImportOptions options;
    options.batchSize = 8;
    auto read = load(model, options);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(text(*read->graph.tensor(read->graph.outputs()[0]).shape), std::string("8x3"));
    QCOMPARE(text(*read->graph.tensor(read->graph.inputs()[2]).shape), std::string("1x3"));
    options.inputShapes["a"] = {4, 3};
    const auto refused = load(model, options);
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, Error::Kind::Usage);
}

QTEST_GUILESS_MAIN(StructureTest)
#include "structure_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/nodes/graph_reader.h"
#include "tests/support/onnx_builder.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <set>

namespace graphloom::test::functions_test {

/// Calls of functions that the model defines are replaced by what the functions do.
class FunctionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void areInlined();
    void attributes();
    void passInputsThrough();
    void withOldOperators();
    void defects();
    void thatCallThemselves();
    void thatCallEachOtherTooDeep();
    void thatExplode();
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

template <class Owner>
void addCall(Owner &owner, const std::string &function, const Names &inputs, const Names &outputs,
             const std::string &name = {})
{
    addNode(owner, function, inputs, outputs, name).set_domain("my.functions");
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
        addCall(graph, function, {from}, {to}, "call" + std::to_string(i));
    }
    addOpenOutput(graph, "y");
    return model;
}

} // namespace

void FunctionsTest::areInlined()
{
    auto model = callingModel("twice", 2);
    auto &twice = addFunction(model, "twice", {"a"}, {"b"});
    addCall(twice, "once", {"a"}, {"inner"}, "first");
    addCall(twice, "once", {"inner"}, {"b"}, "second");
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

void FunctionsTest::attributes()
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
    REFUSED(model, "has type FLOAT");
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

void FunctionsTest::passInputsThrough()
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

void FunctionsTest::withOldOperators()
{
    auto model = callingModel("squeeze");
    shapeOfInput(model).add_dim()->set_dim_value(1);
    auto &squeeze = addFunction(model, "squeeze", {"a"}, {"b"});
    squeeze.mutable_opset_import(0)->set_version(11);
    setInts(addNode(squeeze, "Squeeze", {"a"}, {"b"}, "squeeze"), "axes", {1});
    const auto read = load(model);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    const Node &node = read->graph.node(read->graph.order()[0]);
    QCOMPARE(node.inputs.size(), std::size_t(2));
    QVERIFY(!node.attributes.contains("axes"));
}

void FunctionsTest::defects()
{
    auto model = callingModel("f");
    addNode(addFunction(model, "f", {"a"}, {"b"}), "Relu", {"x"}, {"b"});
    REFUSED(model, "reads tensor \"x\""); // a name of the caller
    model = callingModel("f");
    addNode(addFunction(model, "f", {"a"}, {"b"}), "Relu", {"a"}, {"c"});
    REFUSED(model, "is not defined");
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

void FunctionsTest::thatCallThemselves()
{
    // A ring of functions, each of which calls the next one.
    const auto ring = [](int length) {
        auto model = callingModel("f0");
        for (int i = 0; i < length; ++i)
            addCall(addFunction(model, "f" + std::to_string(i), {"a"}, {"b"}),
                    "f" + std::to_string((i + 1) % length), {"a"}, {"b"});
        return model;
    };
    for (const int length : {1, 2, 3, 10'000}) // a walk may not take a stack as deep
        REFUSED(ring(length), "calls itself");
    // Out of a graph in an attribute of one of its nodes.
    auto model = callingModel("f");
    auto &function = addFunction(model, "f", {"a"}, {"b"});
    addNode(function, "Relu", {"a"}, {"b"});
    auto &body = setGraph(addNode(function, "Choice", {"a"}, {"c"}), "body");
    addCall(setGraph(addNode(body, "Choice", {"a"}, {"d"}), "body"), "f", {"a"}, {"e"});
    REFUSED(model, "calls itself");
    // Also where nobody calls it.
    model = reluModel();
    addCall(addFunction(model, "f", {"a"}, {"b"}), "f", {"a"}, {"b"});
    REFUSED(model, "calls itself");
}

void FunctionsTest::thatCallEachOtherTooDeep()
{
    const auto chain = [](int length) {
        auto model = callingModel("f0");
        for (int i = 0; i + 1 < length; ++i)
            addCall(addFunction(model, "f" + std::to_string(i), {"a"}, {"b"}),
                    "f" + std::to_string(i + 1), {"a"}, {"b"});
        addNode(addFunction(model, "f" + std::to_string(length - 1), {"a"}, {"b"}), "Relu", {"a"},
                {"b"});
        return model;
    };
    ACCEPTED(chain(30));
    REFUSED(chain(31), "calls are nested more than 30 deep");
    REFUSED(chain(10'000), "calls are nested more than 30 deep");
}

void FunctionsTest::thatExplode()
{
    // Each function calls the one before it ten times.
    auto model = callingModel("f9");
    addNode(addFunction(model, "f0", {"a"}, {"b9"}), "Relu", {"a"}, {"b9"});
    for (int i = 1; i < 10; ++i) {
        auto &function = addFunction(model, "f" + std::to_string(i), {"a"}, {"b9"});
        for (int k = 0; k < 10; ++k)
            addCall(function, "f" + std::to_string(i - 1),
                    {k == 0 ? "a" : "b" + std::to_string(k - 1)}, {"b" + std::to_string(k)});
    }
    QElapsedTimer timer;
    timer.start();
    ImportOptions options;
    options.maxNodes = 100'000;
    const std::string text = refusalOf(model, options);
    QVERIFY2(text.find("expand to more than") != std::string::npos, text.c_str());
    QVERIFY(timer.elapsed() < 60'000);
}

GRAPHLOOM_TESTS(FunctionsTest)

} // namespace graphloom::test::functions_test

#include "functions_test.moc"

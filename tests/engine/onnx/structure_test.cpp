// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/nodes/graph_reader.h"
#include "tests/support/onnx_builder.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>

namespace graphloom::test::structure_test {

/// Nested graphs, and what is kept of a file besides its graph.
class StructureTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nestedGraphsCapture();
    void nestedGraphsThroughTwoLevels();
    void nestedGraphsSeeNothingElse();
    void unknownOperatorsStay();
    void constantsWithOmittedOutputs();
    void metadata();
    void whatIsNotKept();
};

void StructureTest::nestedGraphsCapture()
{
    auto model = choiceModel();
    addFloats(*model.mutable_graph(), "w", {2}, {1, 2});
    auto &node = *model.mutable_graph()->mutable_node(0);
    // Attributes are ordered by name: the else branch comes first.
    auto &then = setGraph(node, "then_branch");
    addNode(then, "Add", {"x", "w"}, {"t"}, "sum");
    addOpenOutput(then, "t");
    auto &other = setGraph(node, "else_branch");
    addNode(other, "Mul", {"w", "w"}, {"e"}, "square");
    addOpenOutput(other, "e");
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
    auto model = choiceModel();
    setBranches(*model.mutable_graph()->mutable_node(0), [](auto &body, const auto &branch) {
        auto &inner = addNode(body, "If", {"c"}, {branch + "_y"}, "inner");
        setBranches(inner, [&](auto &innermost, const auto &leaf) {
            addNode(innermost, "Relu", {"x"}, {branch + leaf});
            addOpenOutput(innermost, branch + leaf);
        });
        addOpenOutput(body, branch + "_y");
    });
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
    auto model = choiceModel();
    auto &graph = *model.mutable_graph();
    setBranches(*graph.mutable_node(0), [](auto &body, const auto &) {
        addNode(body, "Relu", {"x"}, {"inside"});
        addOpenOutput(body, "inside");
    });
    ACCEPTED(model);
    addNode(graph, "Neg", {"inside"}, {"z"}); // a name of a nested graph
    REFUSED(model, "reads tensor \"inside\", which is not defined");
    graph.mutable_node()->RemoveLast();
    auto &body = *graph.mutable_node(0)->mutable_attribute(0)->mutable_g();
    body.mutable_node(0)->set_input(0, "y"); // its own result
    REFUSED(model, "cycle");
    body.mutable_node(0)->set_input(0, "nowhere");
    REFUSED(model, "graph \"then_branch\"");
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

void StructureTest::whatIsNotKept()
{
    // Whatever it refers to is not looked for.
    auto model = reluModel();
    auto &annotation = *model.mutable_graph()->add_quantization_annotation();
    annotation.set_tensor_name("nowhere");
    setEntry(*annotation.add_quant_parameter_tensor_names(), "SCALE_TENSOR", "../elsewhere");
    addNode(*model.add_training_info()->mutable_algorithm(), "Nothing", {"nowhere"}, {"y"});
    const auto read = load(model);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(read->graph.hash(), load(reluModel())->graph.hash());
    const auto warned = [&](const std::string &text) {
        return std::ranges::any_of(read->warnings, [&](const std::string &warning) {
            return warning.find(text) != std::string::npos;
        });
    };
    QVERIFY(warned("quantization annotations are dropped"));
    QVERIFY(warned("training information is ignored"));
}

GRAPHLOOM_TESTS(StructureTest)

} // namespace graphloom::test::structure_test

#include "structure_test.moc"

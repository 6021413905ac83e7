// SPDX-License-Identifier: Apache-2.0
#include "tests/support/onnx_builder.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::call_check_test {

/// Nodes that contradict the definition of their operator are refused, and say why.
class CallCheckTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void attributes();
    void calls();
};

void CallCheckTest::attributes()
{
    const auto withAttribute = [](auto &&set) {
        auto model = emptyModel();
        addInput(*model.mutable_graph(), "x", {2, 3});
        addOpenOutput(*model.mutable_graph(), "y");
        set(addNode(*model.mutable_graph(), "Softmax", {"x"}, {"y"}, "soft"));
        return model;
    };
    using Proto = onnx::AttributeProto;
    ACCEPTED(withAttribute([](auto &node) { setInt(node, "axis", 1); }));
    REFUSED(withAttribute([](auto &node) { setFloat(node, "axis", 1); }),
            "has type FLOAT; the operator expects INT");
    REFUSED(withAttribute([](auto &node) { setInts(node, "axis", {1}); }), "list of INT");
    REFUSED(withAttribute([](auto &node) { addAttribute(node, "axis", Proto::INT).set_f(1); }),
            "declared as INT but has a value of type FLOAT");
    REFUSED(withAttribute([](auto &node) {
                auto &attribute = addAttribute(node, "axis", Proto::INT);
                attribute.set_i(1);
                attribute.set_s("1");
            }),
            "two values");
    REFUSED(withAttribute([](auto &node) {
                setInt(node, "axis", 1);
                setInt(node, "axis", 0);
            }),
            "given twice");
    REFUSED(withAttribute([](auto &node) { addAttribute(node, "other", Proto::TENSOR); }),
            "is empty");
    REFUSED(withAttribute([](auto &node) { node.add_attribute()->set_name("other"); }),
            "neither a value nor a type");
    REFUSED(withAttribute(
                [](auto &node) { addAttribute(node, "axis", Proto::INT).set_ref_attr_name("a"); }),
            "but is not in a function");
    // Zero, as writers that follow protobuf 3 leave it out.
    ACCEPTED(withAttribute([](auto &node) { addAttribute(node, "axis", Proto::INT); }));
    auto model = emptyModel();
    addInput(*model.mutable_graph(), "x", {2, 3});
    addOpenOutput(*model.mutable_graph(), "y");
    auto &concat = addNode(*model.mutable_graph(), "Concat", {"x", "x"}, {"y"}, "joined");
    REFUSED(model, "attribute \"axis\" is missing");
    setInt(concat, "axis", 0);
    ACCEPTED(model);
    // Operators that the file's operator set lacks, but not the one that they are brought to.
    model = reluModel(7);
    model.mutable_graph()->mutable_node(0)->set_op_type("Einsum");
    REFUSED(model, "attribute \"equation\" is missing");
    // Operators of later versions than the installed library knows.
    model = emptyModel(18);
    addInput(*model.mutable_graph(), "x", {4});
    addOpenOutput(*model.mutable_graph(), "a");
    addOpenOutput(*model.mutable_graph(), "b");
    setFloat(addNode(*model.mutable_graph(), "Split", {"x"}, {"a", "b"}), "num_outputs", 2);
    REFUSED(model, "num_outputs");
}

void CallCheckTest::calls()
{
    auto model = emptyModel();
    addInput(*model.mutable_graph(), "x", {2});
    addOpenOutput(*model.mutable_graph(), "y");
    auto &node = addNode(*model.mutable_graph(), "Add", {"x"}, {"y"}, "sum");
    REFUSED(model, "has 1 inputs; the operator takes 2");
    node.add_input("x");
    ACCEPTED(model);
    node.add_input("x");
    REFUSED(model, "has 3 inputs");
    node.mutable_input()->RemoveLast();
    node.set_input(1, ""); // an input that is not optional
    REFUSED(model, "has 1 inputs; the operator takes 2");
    node.set_input(1, "x");
    node.add_output("z");
    REFUSED(model, "has 2 outputs");
    node.mutable_output()->RemoveLast();
    addNode(*model.mutable_graph(), "Relu", {"x"}, {""}, "unheard");
    REFUSED(model, "has 0 outputs; the operator produces 1");
}

GRAPHLOOM_TESTS(CallCheckTest)

} // namespace graphloom::test::call_check_test

#include "call_check_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include "tests/support/nested_model.h"

#include "tests/support/onnx_builder.h"

namespace graphloom::test {

using namespace graphloom::test;

namespace {

/// Adds the body of a loop with one state, which passes its condition on unchanged.
onnx::GraphProto &addBody(onnx::NodeProto &loop, const std::string &prefix)
{
    onnx::GraphProto &body = setGraph(loop, "body");
    addInput(body, prefix + "_iteration", {}, onnx::TensorProto::INT64);
    addInput(body, prefix + "_go", {}, onnx::TensorProto::BOOL);
    addInput(body, prefix + "_state", {4});
    addNode(body, "Identity", {prefix + "_go"}, {prefix + "_going"}, prefix + "_condition");
    addOutput(body, prefix + "_going", {}, onnx::TensorProto::BOOL);
    addOutput(body, prefix + "_next", {4});
    return body;
}

} // namespace

void writeNestedModel(const std::filesystem::path &path)
{
    onnx::ModelProto model = emptyModel();
    onnx::GraphProto &graph = *model.mutable_graph();
    addInput(graph, "x", {4});
    addInput(graph, "n", {}, onnx::TensorProto::INT64);
    addInput(graph, "flag", {}, onnx::TensorProto::BOOL);
    addOutput(graph, "y", {4});
    addNode(graph, "Relu", {"x"}, {"a"}, "head");

    onnx::GraphProto &body = addBody(addNode(graph, "Loop", {"n", "", "a"}, {"b"}, "outer"), "o");
    onnx::NodeProto &choice = addNode(body, "If", {"flag"}, {"o_next"}, "choice");
    onnx::GraphProto &then = setGraph(choice, "then_branch");
    addOutput(then, "looped", {4});
    onnx::GraphProto &inner =
        addBody(addNode(then, "Loop", {"n", "", "o_state"}, {"looped"}, "inner"), "i");
    addNode(inner, "Add", {"i_state", "a"}, {"i_next"}, "sum");
    onnx::GraphProto &other = setGraph(choice, "else_branch");
    addOutput(other, "turned", {4});
    addNode(other, "Neg", {"o_state"}, {"turned"}, "negation");

    onnx::NodeProto &pick = addNode(graph, "If", {"flag"}, {"y"}, "pick");
    onnx::GraphProto &some = setGraph(pick, "then_branch");
    addOutput(some, "some", {4});
    addNode(some, "Exp", {"b"}, {"power"}, "exponential");
    addNode(some, "Neg", {"power"}, {"some"}, "minus");
    onnx::GraphProto &none = setGraph(pick, "else_branch");
    addOutput(none, "none", {4});
    addFloats(none, "none", {4}, {1, 2, 3, 4});

    std::ofstream(path, std::ios::binary) << model.SerializeAsString();
}

} // namespace graphloom::test

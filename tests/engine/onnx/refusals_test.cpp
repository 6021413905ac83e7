// SPDX-License-Identifier: Apache-2.0
#include "tests/support/onnx_builder.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::refusals_test {

/// Every kind of defect in a model file is refused, and says why; its flawless twin is read.
class RefusalsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void notOnnx();
    void brokenWireFormat();
    void missingParts();
    void versions();
    void names();
    void definedTwice();
    void cycles();
    void unsortedIsRead();
    void types();
    void typesWithinTypes();
    void shapes();
    void badText();
};

void RefusalsTest::notOnnx()
{
    REFUSED(std::string(), "is empty");
    REFUSED(std::string("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"),
            "Git LFS");
    REFUSED(std::string("PK\x03\x04 and more"), "zip archive");
    REFUSED(std::string("{\"graph\": []}"), "JSON");
    REFUSED(std::string("<!DOCTYPE html><html></html>"), "HTML");
    REFUSED(std::string("a plain text\nof two lines\n"), "text");
    REFUSED(std::string("\x1f\x8b\x08\x00 compressed", 16), "gzip");
    REFUSED(std::string("\x1c\0\0\0TFL3\0\0", 10), "TensorFlow Lite");
    const auto missing = importOnnx("/nonexistent/model.onnx");
    QVERIFY(!missing);
    QVERIFY(missing.error().text().find("/nonexistent/model.onnx") != std::string::npos);
    const ModelFolder folder;
    const auto directory = importOnnx(folder.path());
    QVERIFY(!directory);
    QVERIFY(directory.error().text().find("folder") != std::string::npos);
}

void RefusalsTest::brokenWireFormat()
{
    const std::string good = reluModel().SerializeAsString();
    ACCEPTED(good);
    QVERIFY(good.size() > 20);
    for (std::size_t length = 1; length < good.size(); ++length) {
        const auto cut = load(good.substr(0, length));
        QVERIFY2(!cut || length > good.size() - 8, "a cut file was read"); // the opset may be gone
    }
    REFUSED(good.substr(0, good.size() / 2), "truncated");
    REFUSED(std::string("\x0b\x0c", 2), "not an ONNX model"); // a group
    REFUSED(std::string("\x08\x08\x0b\x0c", 4), "a field type that ONNX does not use");
    REFUSED(std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 13),
            "not an ONNX model");
    REFUSED(good + std::string("\0\0", 2), "an invalid protobuf field number");
}

void RefusalsTest::missingParts()
{
    auto model = reluModel();
    model.clear_graph();
    REFUSED(model, "has no graph");
    model = reluModel();
    model.clear_ir_version();
    REFUSED(model, "IR version");
    model = reluModel();
    model.mutable_graph()->mutable_node(0)->clear_op_type();
    REFUSED(model, "has no operator");
    model = reluModel();
    model.mutable_graph()->mutable_input(0)->clear_type();
    REFUSED(model, "has no type");
    model = reluModel();
    model.mutable_graph()->mutable_input(0)->clear_name();
    REFUSED(model, "has no name");
}

void RefusalsTest::versions()
{
    auto model = reluModel(6);
    ACCEPTED(model);
    ACCEPTED(reluModel(7));
    ACCEPTED(reluModel(22));
    REFUSED(reluModel(0), "sets 1 to 22 are supported");
    REFUSED(reluModel(23), "sets 1 to 22 are supported");
    REFUSED(reluModel(999), "operator set 999");
    REFUSED(reluModel(-1), "operator set -1");
    model = reluModel();
    model.set_ir_version(999);
    REFUSED(model, "IR version) 999");
    model = reluModel();
    model.clear_opset_import();
    REFUSED(model, "no operator set is imported");
    model = reluModel();
    model.mutable_graph()->mutable_node(0)->set_domain("com.example");
    REFUSED(model, "domain \"com.example\"");
    importDomain(model, "com.example", 999);
    ACCEPTED(model);
    model = reluModel();
    importDomain(model, "ai.onnx", 13);
    REFUSED(model, "in two versions");
}

void RefusalsTest::names()
{
    auto model = reluModel();
    model.mutable_graph()->mutable_node(0)->set_input(0, "nowhere");
    REFUSED(model, "reads tensor \"nowhere\", which is not defined");
    model = reluModel();
    model.mutable_graph()->mutable_output(0)->set_name("nowhere");
    REFUSED(model, "graph output \"nowhere\" is not defined");
    const auto refused = load(model);
    QVERIFY(refused.error().where.find("model.onnx") != std::string::npos);
}

void RefusalsTest::definedTwice()
{
    auto model = reluModel();
    addNode(*model.mutable_graph(), "Abs", {"x"}, {"y"});
    REFUSED(model, "tensor \"y\" is defined twice");
    model = reluModel();
    addNode(*model.mutable_graph(), "Abs", {"y"}, {"x"});
    REFUSED(model, "tensor \"x\" is defined twice");
    model = reluModel();
    addInput(*model.mutable_graph(), "x", {2, 3});
    REFUSED(model, "listed twice");
    model = reluModel();
    addOutput(*model.mutable_graph(), "y", {2, 3});
    REFUSED(model, "listed twice");
    model = reluModel();
    addFloats(*model.mutable_graph(), "w", {1}, {1});
    ACCEPTED(model);
    addFloats(*model.mutable_graph(), "w", {1}, {1});
    REFUSED(model, "tensor \"w\" is defined twice");
    model = reluModel();
    addFloats(*model.mutable_graph(), "y", {2, 3}, {1, 2, 3, 4, 5, 6});
    REFUSED(model, "tensor \"y\" is defined twice");
    model = reluModel();
    addNode(*model.mutable_graph(), "Split", {"x"}, {"a", "a"});
    REFUSED(model, "tensor \"a\" is defined twice");
}

void RefusalsTest::cycles()
{
    auto model = reluModel();
    addNode(*model.mutable_graph(), "Add", {"x", "c"}, {"b"}, "first");
    addNode(*model.mutable_graph(), "Abs", {"b"}, {"c"}, "second");
    addNode(*model.mutable_graph(), "Abs", {"c"}, {"d"}, "behind");
    REFUSED(model, "cycle");
    const std::string text = refusalOf(model);
    QVERIFY(text.find("first") != std::string::npos && text.find("second") != std::string::npos);
    QVERIFY(text.find("behind") == std::string::npos);
    model = reluModel();
    addNode(*model.mutable_graph(), "Add", {"x", "b"}, {"b"}, "itself");
    REFUSED(model, "cycle");
}

void RefusalsTest::unsortedIsRead()
{
    auto model = emptyModel();
    auto &graph = *model.mutable_graph();
    addInput(graph, "x", {2});
    addOutput(graph, "c", {2});
    addNode(graph, "Abs", {"b"}, {"c"}, "last");
    addNode(graph, "Neg", {"a"}, {"b"}, "middle");
    addNode(graph, "Relu", {"x"}, {"a"}, "first");
    const auto read = load(model);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(operatorsOf(read->graph), std::string("Relu Neg Abs"));
    QCOMPARE(read->warnings.size(), std::size_t(1));
    QVERIFY(read->warnings[0].find("sorted") != std::string::npos);
    std::reverse(graph.mutable_node()->begin(), graph.mutable_node()->end());
    const auto sorted = load(model);
    QVERIFY(sorted && sorted->warnings.empty());
    QCOMPARE(sorted->graph.hash(), read->graph.hash());
}

void RefusalsTest::types()
{
    auto model = reluModel();
    model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
        99);
    REFUSED(model, "unknown element type 99");
    model = reluModel();
    addFloats(*model.mutable_graph(), "x", {2, 3}, {1, 2, 3, 4, 5, 6});
    ACCEPTED(model); // the default value of an input
    QCOMPARE(load(model)->graph.inputs().size(), std::size_t(0));
    model = reluModel();
    addFloats(*model.mutable_graph(), "x", {3, 2}, {1, 2, 3, 4, 5, 6});
    REFUSED(model, "a different type or shape");
    model = reluModel();
    addInts(*model.mutable_graph(), "x", {2, 3}, {1, 2, 3, 4, 5, 6});
    REFUSED(model, "a different type or shape");
}

void RefusalsTest::typesWithinTypes()
{
    using Tensor = onnx::TypeProto::Tensor;
    const auto listOf = [](const Tensor &element) {
        auto model = reluModel();
        auto &list = *model.mutable_graph()->add_input();
        list.set_name("list");
        auto *inner = list.mutable_type()->mutable_optional_type()->mutable_elem_type();
        inner = inner->mutable_sequence_type()->mutable_elem_type();
        *inner->mutable_tensor_type() = element;
        return model;
    };
    Tensor tensor;
    tensor.set_elem_type(onnx::TensorProto::FLOAT);
    ACCEPTED(listOf(tensor));
    tensor.mutable_shape()->add_dim()->set_dim_value(-1);
    REFUSED(listOf(tensor), "negative extent -1");
    tensor.clear_shape();
    tensor.set_elem_type(99);
    REFUSED(listOf(tensor), "unknown element type 99");
    auto model = listOf(tensor);
    auto &sparse = *model.mutable_graph()->mutable_input(1)->mutable_type();
    sparse.mutable_sparse_tensor_type()->set_elem_type(99);
    REFUSED(model, "unknown element type 99");
}

void RefusalsTest::shapes()
{
    auto model = reluModel();
    auto &shape = shapeOfInput(model);
    shape.mutable_dim(0)->set_dim_value(-1);
    REFUSED(model, "negative extent -1");
    shape.mutable_dim(0)->set_dim_value(std::int64_t{1} << 40);
    shape.mutable_dim(1)->set_dim_value(std::int64_t{1} << 40);
    REFUSED(model, "more elements than 64 bits can count");
    shape.add_dim()->set_dim_value(0); // empty, but not the strides of its first dimensions
    REFUSED(model, "more elements than 64 bits can count");
    model = emptyModel();
    addInput(*model.mutable_graph(), "x", Extents(64, 1));
    addOpenOutput(*model.mutable_graph(), "x");
    ACCEPTED(model);
    shapeOfInput(model).add_dim()->set_dim_value(1);
    REFUSED(model, "has 65 dimensions");
    model = reluModel();
    describeValue(*model.mutable_graph()->add_value_info(), "y", {-3});
    ACCEPTED(model); // the graph output's own declaration counts
    model = emptyModel();
    addInput(*model.mutable_graph(), "x", {2});
    addInput(*model.mutable_graph(), "w", {3, 4});
    addOpenOutput(*model.mutable_graph(), "y");
    addNode(*model.mutable_graph(), "MatMul", {"x", "w"}, {"y"}, "product");
    REFUSED(model, "product");
}

void RefusalsTest::badText()
{
    auto model = reluModel();
    model.mutable_graph()->mutable_node(0)->set_name("\xff\xfe");
    REFUSED(model, "not valid UTF-8");
    model = reluModel();
    model.set_doc_string("caf\xe9");
    const auto read = load(model);
    QVERIFY(read);
    QCOMPARE(read->documentation, std::string("caf\xef\xbf\xbd"));
}

GRAPHLOOM_TESTS(RefusalsTest)

} // namespace graphloom::test::refusals_test

#include "refusals_test.moc"

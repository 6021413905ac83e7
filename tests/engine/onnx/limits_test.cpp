// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/format/wire.h"
#include "tests/support/onnx_builder.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <fstream>
#include <sys/resource.h>

namespace graphloom::test::limits_test {

/// Files that ask for much more than they hold are refused before they get it.
class LimitsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void manyEmptyNodes();
    void manySmallMessages();
    void nestedGraphs();
    void nestedTypes();
    void fileSize();
    void hugeConstants();
    void hugeSparseTensor();
    void reversedNodes();
    void stopping();

private:
    static std::size_t residentBytes();
};

namespace {

/// A model whose graph has `count` copies of a field, given as it stands on the wire.
std::string graphOf(const std::string &field, std::size_t count)
{
    std::string graph;
    for (std::size_t i = 0; i < count; ++i)
        graph += field;
    std::string model = emptyModel().SerializeAsString();
    appendBytes(model, 7, graph);
    return model;
}

onnx::ModelProto nested(int depth)
{
    auto model = emptyModel();
    addInput(*model.mutable_graph(), "c", {}, onnx::TensorProto::BOOL);
    addInput(*model.mutable_graph(), "x", {2});
    addOpenOutput(*model.mutable_graph(), "y0");
    auto *graph = model.mutable_graph();
    for (int i = 0; i < depth; ++i) {
        auto &node =
            addNode(*graph, "If", {"c"}, {"y" + std::to_string(i)}, "if" + std::to_string(i));
        auto &other = setGraph(node, "else_branch");
        addNode(other, "Neg", {"x"}, {"n" + std::to_string(i)});
        addOpenOutput(other, "n" + std::to_string(i));
        graph = &setGraph(node, "then_branch");
        addOpenOutput(*graph, "y" + std::to_string(i + 1));
    }
    addNode(*graph, "Relu", {"x"}, {"y" + std::to_string(depth)});
    return model;
}

} // namespace

std::size_t LimitsTest::residentBytes()
{
    std::size_t pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    return resident * std::size_t(sysconf(_SC_PAGESIZE));
}

void LimitsTest::manyEmptyNodes()
{
    // Ten megabytes, which protobuf turns into five million nodes and 700 MB.
    const std::string bytes = graphOf(std::string("\x0a\x00", 2), 5'000'000);
    const std::size_t before = residentBytes();
    REFUSED(bytes, "limit of 1000000 nodes");
    QVERIFY(residentBytes() < before + (std::size_t{64} << 20));
}

void LimitsTest::manySmallMessages()
{
    REFUSED(graphOf(std::string("\x2a\x00", 2), 5'000'000), "memory");   // tensors
    REFUSED(graphOf(std::string("\x6a\x00", 2), 10'000'000), "tensors"); // value_info
    REFUSED(graphOf(std::string("\x52\x00", 2), 30'000'000), "memory");  // doc_string
    ImportOptions options;
    options.maxTensors = 3;
    auto model = reluModel(); // x and y declared, y written
    QVERIFY(load(model, options));
    options.maxTensors = 2;
    QVERIFY(refusalOf(model, options).find("limit of 2 tensors") != std::string::npos);
}

void LimitsTest::nestedGraphs()
{
    ACCEPTED(nested(29)); // with the main graph, thirty
    REFUSED(nested(30), "nested more than 30 deep");
    REFUSED(nested(200), "nested more than 30 deep");
    ImportOptions options;
    options.maxDepth = 2;
    QVERIFY(load(nested(1), options));
    QVERIFY(!load(nested(2), options));
}

void LimitsTest::nestedTypes()
{
    const auto withType = [](int depth) {
        auto model = reluModel();
        auto *type = model.mutable_graph()->add_input()->mutable_type();
        model.mutable_graph()->mutable_input(1)->set_name("list");
        for (int i = 0; i < depth; ++i)
            type = type->mutable_sequence_type()->mutable_elem_type();
        type->mutable_tensor_type()->set_elem_type(1);
        return model;
    };
    ACCEPTED(withType(29));
    REFUSED(withType(30), "types are nested more than 30 deep");
    REFUSED(withType(5000), "nested");
}

void LimitsTest::fileSize()
{
    ImportOptions options;
    options.maxFileBytes = 10;
    QVERIFY(refusalOf(reluModel(), options).find("the limit is 10") != std::string::npos);
    // A file of 3 GiB that takes no space on the disk.
    const ModelFolder folder;
    const auto path = folder.save(reluModel());
    std::filesystem::resize_file(path, std::uintmax_t{3} << 30);
    const auto refused = importOnnx(path);
    QVERIFY(!refused);
    QVERIFY(refused.error().text().find("the limit is 2147483648") != std::string::npos);
}

void LimitsTest::hugeConstants()
{
    // A splat takes no memory, however large it is.
    const auto filled = [](const Extents &extents) {
        auto model = emptyModel();
        addInts(*model.mutable_graph(), "shape", {std::int64_t(extents.size())}, extents);
        addOpenOutput(*model.mutable_graph(), "y");
        addNode(*model.mutable_graph(), "ConstantOfShape", {"shape"}, {"y"}, "fill");
        return model;
    };
    const std::size_t before = residentBytes();
    const auto model = load(filled({1 << 20, 1 << 20}));
    QVERIFY2(model, model ? "" : model.error().text().c_str());
    const Graph &graph = model->graph;
    QCOMPARE(graph.nodeCount(), std::size_t(0));
    const auto constant = graph.tensor(graph.outputs()[0]).constant;
    QVERIFY(constant && constant->isSplat());
    QCOMPARE(constant->elements(), std::int64_t{1} << 40);
    QVERIFY(residentBytes() < before + (std::size_t{64} << 20));
    REFUSED(filled({std::int64_t{1} << 40, std::int64_t{1} << 40}),
            "more elements than 64 bits can count");
    REFUSED(filled({0, std::int64_t{1} << 62, std::int64_t{1} << 62}),
            "more elements than 64 bits can count");
    REFUSED(filled({-1}), "negative extent");
}

void LimitsTest::hugeSparseTensor()
{
    auto model = reluModel();
    auto &sparse = *model.mutable_graph()->add_sparse_initializer();
    fillFloats(*sparse.mutable_values(), "s", {1}, {1});
    auto &indices = *sparse.mutable_indices();
    indices.set_data_type(onnx::TensorProto::INT64);
    indices.add_dims(1);
    indices.add_int64_data(5);
    sparse.add_dims(std::int64_t{1} << 40);
    REFUSED(model, "exceeds the limit");
    sparse.set_dims(0, 10);
    ACCEPTED(model);
}

void LimitsTest::reversedNodes()
{
    // A long chain, last node first: sorting must not take quadratic time.
    auto model = emptyModel();
    auto &graph = *model.mutable_graph();
    constexpr int count = 100'000;
    addInput(graph, "t0", {1});
    addOpenOutput(graph, "t" + std::to_string(count));
    for (int i = count; i > 0; --i)
        addNode(graph, "Abs", {"t" + std::to_string(i - 1)}, {"t" + std::to_string(i)});
    QElapsedTimer timer;
    timer.start();
    ACCEPTED(model);
    QVERIFY2(timer.elapsed() < 30'000, "sorting takes too long");
}

void LimitsTest::stopping()
{
    std::stop_source source;
    source.request_stop();
    ImportOptions options;
    options.stop = source.get_token();
    QVERIFY(refusalOf(reluModel(), options).find("cancelled") != std::string::npos);
}

GRAPHLOOM_TESTS(LimitsTest)

} // namespace graphloom::test::limits_test

#include "limits_test.moc"

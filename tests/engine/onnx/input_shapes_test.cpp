// SPDX-License-Identifier: Apache-2.0
#include "tests/support/onnx_builder.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::input_shapes_test {

/// Extents that a file leaves open, and what a user gives for them.
class InputShapesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void symbolicShapes();
    void inputShapes();
    void batchSize();
    void aBatchSizeFillsExtentsThatStay();
    void batchSizesBelowOneAreRefused();
    void fixedBatchSize();
    void shapesThatHoldTheBatch_data();
    void shapesThatHoldTheBatch();
    void fixedBatchSizeRefused();
    void batchesThatCannotBeReckonedWith();
    void anotherDomainsShapeIsComputed();
};

void InputShapesTest::symbolicShapes()
{
    auto model = reluModel();
    auto &shape = shapeOfInput(model);
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

void InputShapesTest::inputShapes()
{
    auto model = reluModel();
    auto &shape = shapeOfInput(model);
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
    QCOMPARE(shapeOf({5, 0}), std::string("5x3")); // stays
    QCOMPARE(shapeOf({0, 7}), std::string("nx7"));
    QVERIFY(shapeOf({5, -1}).find("cannot have the extent -1") != std::string::npos);
    ImportOptions options;
    options.inputShapes["z"] = {1};
    const auto refused = load(model, options);
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, Error::Kind::Usage);
    QVERIFY(refused.error().text().find(
                "unknown input \"z\"; the model's inputs are \"x\" (nx3)") != std::string::npos);
}

void InputShapesTest::batchSize()
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

void InputShapesTest::aBatchSizeFillsExtentsThatStay()
{
    auto model = reluModel();
    shapeOfInput(model).mutable_dim(0)->set_dim_param("n");
    ImportOptions options;
    options.batchSize = 8;
    const auto shapeWith = [&](std::int64_t first) {
        options.inputShapes["x"] = {first, 7};
        const auto read = load(model, options);
        return read ? text(*read->graph.tensor(read->graph.inputs()[0]).shape)
                    : read.error().text();
    };
    QCOMPARE(shapeWith(0), std::string("8x7"));
    QCOMPARE(shapeWith(4), std::string("4x7"));
}

void InputShapesTest::batchSizesBelowOneAreRefused()
{
    auto open = reluModel(), fixed = reluModel();
    shapeOfInput(open).mutable_dim(0)->set_dim_param("n");
    ImportOptions options;
    options.batchSize = 0;
    for (const auto *model : {&open, &fixed}) {
        const auto read = load(*model, options);
        QVERIFY(!read && read.error().kind == Error::Kind::Usage);
    }
}

void InputShapesTest::fixedBatchSize()
{
    auto model = reluModel(); // of 2x3
    ImportOptions options;
    options.batchSize = 8;
    const auto read = load(model, options);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(text(*read->graph.tensor(read->graph.outputs()[0]).shape), std::string("8x3"));
}

void InputShapesTest::shapesThatHoldTheBatch_data()
{
    QTest::addColumn<int>("batch");
    QTest::addColumn<QList<int>>("target");
    QTest::addColumn<QString>("shape"); // with a batch of 6
    QTest::newRow("alone") << 4 << QList<int>{4, 2, 3} << "6x2x3";
    QTest::newRow("behind ones") << 4 << QList<int>{1, 4, 6} << "1x6x6";
    QTest::newRow("as a factor") << 4 << QList<int>{8, 3} << "12x3";
    QTest::newRow("inferred") << 4 << QList<int>{-1, 2} << "18x2";
    QTest::newRow("beside an inferred one") << 4 << QList<int>{4, -1} << "6x6";
    QTest::newRow("taken over") << 4 << QList<int>{0, 3, 2} << "6x3x2";
    QTest::newRow("of 1") << 1 << QList<int>{1, 3, 2} << "6x3x2";
}

void InputShapesTest::shapesThatHoldTheBatch()
{
    QFETCH(int, batch);
    QFETCH(QList<int>, target);
    QFETCH(QString, shape);
    auto model = emptyModel();
    auto &graph = *model.mutable_graph();
    addInput(graph, "x", {batch, 6});
    addInts(graph, "target", {target.size()}, {target.begin(), target.end()});
    addNode(graph, "Reshape", {"x", "target"}, {"y"});
    addOpenOutput(graph, "y");
    ImportOptions options;
    options.batchSize = 6;
    const auto read = load(model, options);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(QString::fromStdString(text(*read->graph.tensor(read->graph.outputs()[0]).shape)),
             shape);
}

void InputShapesTest::fixedBatchSizeRefused()
{
    ImportOptions options;
    options.batchSize = 6;
    auto model = emptyModel();
    auto &graph = *model.mutable_graph();
    addInput(graph, "x", {4, 6});
    addInts(graph, "target", {2}, {3, 8});
    addNode(graph, "Reshape", {"x", "target"}, {"y"}).set_name("flatten");
    addOpenOutput(graph, "y");
    const std::string refused = refusalOf(model, options);
    QVERIFY2(refused.find("flatten") != std::string::npos &&
                 refused.find("[3,8] does not contain the batch size 4") != std::string::npos,
             refused.c_str());
    addInput(graph, "z", {2, 6});
    const auto unclear = load(model, options);
    QVERIFY(!unclear);
    QCOMPARE(unclear.error().kind, Error::Kind::Usage);
    QVERIFY(unclear.error().text().find("--input") != std::string::npos);
}

/// Sums of bytes would not fit 64 bits.
void InputShapesTest::batchesThatCannotBeReckonedWith()
{
    const auto model = reluModel(); // of 2x3 floats
    ImportOptions options;
    options.batchSize = std::int64_t{1} << 31;
    QVERIFY(load(model, options));
    for (const int bits : {56, 62}) {
        options.batchSize = std::int64_t{1} << bits;
        const auto refused = load(model, options);
        QVERIFY(!refused);
        const std::string text = refused.error().text();
        QVERIFY2(bits == 62 || (refused.error().kind == Error::Kind::Usage &&
                                text.find("--batch-size " + std::to_string(*options.batchSize)) !=
                                    std::string::npos),
                 text.c_str());
    }
}

/// An operator that is called like ONNX's, but is somebody else's, gives values and no extents.
void InputShapesTest::anotherDomainsShapeIsComputed()
{
    auto model = emptyModel();
    importDomain(model, "com.example");
    auto &graph = *model.mutable_graph();
    addInput(graph, "x", {4, 6});
    addInts(graph, "target", {3}, {4, 2, 3});
    addNode(graph, "Shape", {"x"}, {"h"}).set_domain("com.example");
    addNode(graph, "Reshape", {"h", "target"}, {"y"}).set_name("reshape");
    addOpenOutput(graph, "y");
    ImportOptions options;
    options.batchSize = 6;
    const auto read = load(model, options);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    const Node &reshape = read->graph.node(read->graph.order().back());
    QCOMPARE(reshape.op, std::string("Reshape"));
    QCOMPARE(read->graph.tensor(reshape.inputs[1]).constant->integers(),
             (std::vector<std::int64_t>{6, 2, 3}));
}

GRAPHLOOM_TESTS(InputShapesTest)

} // namespace graphloom::test::input_shapes_test

#include "input_shapes_test.moc"

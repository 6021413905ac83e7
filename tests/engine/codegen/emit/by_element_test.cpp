// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/interpreter.h"
#include "tests/support/graph_maker.h"
#include "tests/support/kernel_batch.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::by_element_test {

namespace {

/// A machine like one with NEON; its code runs here, too, where elements are moved by themselves.
constexpr ScheduleTarget target{4, 32, 1, true, true};

/// A product of matrices, the second one constant.
Graph product(int rows, int depth, int columns)
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {Dim(rows), Dim(depth)});
    std::vector<float> values;
    for (int i = 0; i < depth * columns; ++i)
        values.push_back(float(i % 11) / 8 - 0.5F);
    const TensorId w = maker.constant("w", floats({depth, columns}, values));
    return maker.finish({maker.call("MatMul", {x, w}, {Dim(rows), Dim(columns)})});
}

/// A convolution of an image, padded, with windows of `window` x `window`.
Graph imageConvolution(int window, int stride, int width)
{
    Sketch sketch;
    const TensorId x = sketch.input("x", {1, 3, 9, Dim(width)});
    const std::int64_t pad = window / 2;
    return sketch.finish(
        {sketch.call("Conv", {x, sketch.randomWeight({24, 3, window, window})},
                     {ints("pads", {pad, pad, pad, pad}), ints("strides", {stride, stride})})});
}

std::string codeOf(const Graph &graph)
{
    GenerateOptions options;
    options.target = target;
    const auto kernels = generateKernels(graph, KernelBatch().opsets(), {allNodes(graph)}, options);
    return kernels ? kernels->kernels.back()->phases.front().code : kernels.error().text();
}

/// Compares the graph's kernel, which is run here, with the interpreter.
void compareWithInterpreter(const Graph &graph)
{
    const auto compiler = findCCompiler();
    if (!compiler)
        QSKIP("needs gcc or clang");
    const QTemporaryDir folder;
    KernelCache cache(folder.path().toStdString(), 1 << 26);
    ExecutableOptions options;
    options.target = target;
    options.compiler = &*compiler;
    options.cache = &cache;
    const auto built = Executable::build(graph, KernelBatch().opsets(), {allNodes(graph)}, options);
    QVERIFY2(built, built ? "" : built.error().text().c_str());
    const auto inputs = *randomInputs(graph, 1);
    const auto outputs = (*built)->run(inputs);
    QVERIFY(outputs);
    const auto expected = *interpret(graph, KernelBatch().opsets(), inputs);
    QVERIFY(compare(expected[0], (*outputs)[0]).maxRelError < 1e-5);
}

} // namespace

class ByElementTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sharedOperandsAreLoadedAsVectors();
    void sumsAreThoseOfTheInterpreter_data();
    void sumsAreThoseOfTheInterpreter();
    void neighbouringWindowsAreLoadedAsVectors();
    void convolutionsOfImagesAreThoseOfTheInterpreter_data();
    void convolutionsOfImagesAreThoseOfTheInterpreter();
};

void ByElementTest::sharedOperandsAreLoadedAsVectors()
{
    const std::string code = codeOf(product(8, 64, 32));
    std::size_t loads = 0;
    for (std::size_t at = code.find("gv_load_elements("); at != std::string::npos;
         at = code.find("gv_load_elements(", at + 1))
        ++loads;
    QVERIFY2(loads > 0, code.c_str());
    for (const char *element : {"[0];", "[1];", "[2];", "[3];"})
        QVERIFY2(std::size_t(QByteArray(code.c_str()).count(element)) >= loads, code.c_str());
}

void ByElementTest::sumsAreThoseOfTheInterpreter_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("depth");
    QTest::addColumn<int>("columns");
    for (const int rows : {1, 7, 12})
        for (const int depth : {3, 8, 30, 33}) // shorter than two vectors; with a rest
            for (const int columns : {5, 32})
                QTest::addRow("%d x %d x %d", rows, depth, columns) << rows << depth << columns;
}

void ByElementTest::sumsAreThoseOfTheInterpreter()
{
    QFETCH(int, rows);
    QFETCH(int, depth);
    QFETCH(int, columns);
    compareWithInterpreter(product(rows, depth, columns));
}

/// Eight windows of three elements at a stride of two read 17 elements: four vectors and one.
void ByElementTest::neighbouringWindowsAreLoadedAsVectors()
{
    const QByteArray code = codeOf(imageConvolution(3, 2, 16)).c_str();
    QVERIFY2(code.count("gv_load_elements(") >= 4, code.constData());
}

void ByElementTest::convolutionsOfImagesAreThoseOfTheInterpreter_data()
{
    QTest::addColumn<int>("window");
    QTest::addColumn<int>("stride");
    QTest::addColumn<int>("width");
    for (const int window : {3, 7})
        for (const int stride : {1, 2, 3})
            for (const int width : {7, 33}) // with a rest
                QTest::addRow("%d, stride %d, width %d", window, stride, width)
                    << window << stride << width;
}

void ByElementTest::convolutionsOfImagesAreThoseOfTheInterpreter()
{
    QFETCH(int, window);
    QFETCH(int, stride);
    QFETCH(int, width);
    compareWithInterpreter(imageConvolution(window, stride, width));
}

GRAPHLOOM_TESTS(ByElementTest)

} // namespace graphloom::test::by_element_test

#include "by_element_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/interpreter.h"
#include "tests/support/graph_maker.h"
#include "tests/support/kernel_batch.h"
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

std::string codeOf(const Graph &graph)
{
    GenerateOptions options;
    options.target = target;
    const auto kernels = generateKernels(graph, KernelBatch().opsets(), {allNodes(graph)}, options);
    return kernels ? kernels->kernels.back()->phases.front().code : kernels.error().text();
}

} // namespace

class ByElementTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sharedOperandsAreLoadedAsVectors();
    void sumsAreThoseOfTheInterpreter_data();
    void sumsAreThoseOfTheInterpreter();
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
    const auto compiler = findCCompiler();
    if (!compiler)
        QSKIP("needs gcc or clang");
    const Graph graph = product(rows, depth, columns);
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

GRAPHLOOM_TESTS(ByElementTest)

} // namespace graphloom::test::by_element_test

#include "by_element_test.moc"

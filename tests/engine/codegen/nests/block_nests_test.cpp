// SPDX-License-Identifier: Apache-2.0
// Which loop nests remain of a block.
#include "engine/codegen/nests/nest.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::block_nests_test {

namespace {

/// All nodes of the sketch as one block.
Result<BlockNests> blockOf(const Graph &graph)
{
    const auto order = graph.order();
    return nestsOf(graph, sketchOpset, {order.begin(), order.end()});
}

std::size_t nests(const Graph &graph)
{
    const auto block = blockOf(graph);
    if (!block)
        qFatal("%s", block.error().text().c_str());
    return block->nests.size();
}

/// The formulas of the only nest; the error when there is none.
QString formula(const Graph &graph)
{
    const auto block = blockOf(graph);
    if (!block)
        return QString::fromStdString(block.error().text());
    QStringList texts;
    for (const Nest &nest : block->nests)
        texts << QString::fromStdString(textOf(nest, block->tensors));
    return texts.join("\n");
}

} // namespace

class BlockNestsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void convolutionWithEpilogue();
    void productWithMovements();
    void softmax();
    void chainsAreOneNest();
    void movementsBecomeIndices();
    void movementOfAWindowsInput();
    void valuesWithSeveralReaders();
    void resultsThatLeaveAreWritten();
    void concatenationsWriteTheirParts();
    void gathersOfGathers();
    void narrowIntegersAreCut();
    void nothingIsWrittenToEmptyTensors();
    void scalarConstantsAreLiterals();
    void extentsKnownLater();
    void opaqueOperators();
    void stringsHaveNoCode();
};

void BlockNestsTest::convolutionWithEpilogue()
{
    Sketch g;
    const TensorId bias = g.weight({1, 8, 1, 1});
    const TensorId sum = g.call("Add", {g.conv(g.input("x", {1, 4, 6, 6}), 4, 8), bias});
    const Graph graph = g.finish({g.call("Relu", {sum})});
    const auto block = blockOf(graph);
    QVERIFY(block.has_value());
    QCOMPARE(block->nests.size(), std::size_t(1));
    QCOMPARE(block->nests.front().nodes.size(), std::size_t(3));
    QCOMPARE(block->nests.front().stores.size(), std::size_t(1));
    QVERIFY(block->nests.front().reduces());
}

void BlockNestsTest::productWithMovements()
{
    Sketch g;
    const TensorId product = g.call("MatMul", {g.input("x", {1, 12, 32}), g.weight({32, 64})});
    const TensorId heads = g.call("Reshape", {product, g.integers({1, 12, 4, 16})});
    const Graph graph = g.finish({g.call("Transpose", {heads}, {ints("perm", {0, 2, 1, 3})})});
    QVERIFY2(nests(graph) == 1, qPrintable(formula(graph)));
}

void BlockNestsTest::softmax()
{
    Sketch g;
    QCOMPARE(nests(g.finish({g.call("Softmax", {g.input("x", {4, 10})})})), std::size_t(3));
}

void BlockNestsTest::chainsAreOneNest()
{
    Sketch g;
    TensorId value = g.input("x", {3, 5});
    for (const char *op : {"Relu", "Exp", "Neg", "Tanh", "Sqrt"})
        value = g.call(op, {value});
    QCOMPARE(nests(g.finish({value})), std::size_t(1));
}

void BlockNestsTest::movementsBecomeIndices()
{
    Sketch g;
    const TensorId turned = g.call("Transpose", {g.input("x", {4, 6})}, {ints("perm", {1, 0})});
    const Graph graph = g.finish({g.call("Flatten", {turned}, {integer("axis", 0)})});
    QCOMPARE(nests(graph), std::size_t(1));
    QVERIFY2(formula(graph).contains("x["), qPrintable(formula(graph)));
    QVERIFY2(!formula(graph).contains("= Transpose"), qPrintable(formula(graph)));
}

void BlockNestsTest::movementOfAWindowsInput()
{
    // A window that reaches outside reads its input as it is stored, with margins.
    Sketch g;
    const TensorId turned =
        g.call("Transpose", {g.input("x", {1, 6, 6, 4})}, {ints("perm", {0, 3, 1, 2})});
    QCOMPARE(nests(g.finish({g.conv(turned, 4, 8)})), std::size_t(2));
}

void BlockNestsTest::valuesWithSeveralReaders()
{
    // What is dear and has two readers is computed once.
    Sketch g;
    const TensorId dear = g.call("Erf", {g.input("x", {8, 9})});
    const TensorId rows = g.call("ReduceMax", {dear}, {ints("axes", {1})});
    QCOMPARE(nests(g.finish({g.call("Sub", {dear, rows})})), std::size_t(3));
}

void BlockNestsTest::resultsThatLeaveAreWritten()
{
    Sketch g;
    const TensorId conv = g.conv(g.input("x", {1, 4, 6, 6}), 4, 8);
    const Graph graph = g.finish({g.call("Relu", {conv}), conv});
    const auto block = blockOf(graph);
    QVERIFY(block.has_value());
    QCOMPARE(block->nests.size(), std::size_t(1));
    QCOMPARE(block->nests.front().stores.size(), std::size_t(2));
}

void BlockNestsTest::concatenationsWriteTheirParts()
{
    Sketch g;
    const TensorId a = g.call("Sigmoid", {g.input("a", {2, 3})});
    const TensorId b = g.call("Tanh", {g.input("b", {2, 5})});
    const Graph graph = g.finish({g.call("Concat", {a, b}, {integer("axis", 1)})});
    QCOMPARE(nests(graph), std::size_t(2));
    QVERIFY2(formula(graph).contains("+ 3] = "), qPrintable(formula(graph)));
}

void BlockNestsTest::gathersOfGathers()
{
    // Lookups of the reader and of what is inlined into it stay apart.
    Sketch g;
    const TensorId inner = g.call("Gather", {g.input("x", {9, 4}), g.integers({3, 1, 4, 1, 5})});
    const Graph graph = g.finish({g.call("Gather", {inner, g.integers({2, 0, 3})})});
    const auto block = blockOf(graph);
    QVERIFY(block.has_value());
    QCOMPARE(block->nests.size(), std::size_t(1));
    QCOMPARE(block->nests.front().reads.size(), std::size_t(3));
}

void BlockNestsTest::narrowIntegersAreCut()
{
    Sketch g;
    const TensorId narrow = g.call("Cast", {g.input("x", {4})}, {integer("to", 3)});
    const TensorId sum = g.call("Add", {narrow, narrow});
    const Graph graph = g.finish({g.call("Cast", {sum}, {integer("to", 6)})});
    QCOMPARE(formula(graph).count("cast("), 4); // of both operands, of the sum, and to int32
}

void BlockNestsTest::nothingIsWrittenToEmptyTensors()
{
    Sketch g;
    QCOMPARE(nests(g.finish({g.call("Relu", {g.input("x", {0, 4})})})), std::size_t(0));
}

void BlockNestsTest::scalarConstantsAreLiterals()
{
    Sketch g;
    const Graph graph = g.finish({g.call("Mul", {g.input("x", {4}), g.number(2.5f)})});
    QVERIFY2(formula(graph).contains("2.5"), qPrintable(formula(graph)));
    QCOMPARE(blockOf(graph)->nests.front().reads.size(), std::size_t(1));
}

void BlockNestsTest::extentsKnownLater()
{
    Sketch g;
    const Graph graph = g.finish({g.call("Relu", {g.input("x", {Dim::symbol("n"), 4})})});
    QVERIFY2(formula(graph).contains(
                 "no kernel can be generated: the extent n is known only at run time"),
             qPrintable(formula(graph)));
    Sketch shapes;
    const Graph shape =
        shapes.finish({shapes.call("Shape", {shapes.input("x", {Dim::symbol("n")})})});
    QVERIFY2(formula(shape).contains("the extent n is known only"), qPrintable(formula(shape)));
}

void BlockNestsTest::opaqueOperators()
{
    Sketch g;
    const Graph graph = g.finish({g.call("NonZero", {g.input("x", {4})})});
    QVERIFY2(formula(graph).contains("no kernel can be generated: "), qPrintable(formula(graph)));
    QVERIFY2(formula(graph).contains("(NonZero)"), qPrintable(formula(graph)));
}

void BlockNestsTest::stringsHaveNoCode()
{
    Sketch g;
    const Graph graph =
        g.finish({g.call("Identity", {g.constant(TensorData::fromStrings({2}, {"a", "b"}))})});
    QVERIFY2(formula(graph).contains("there is no C code for elements of type string"),
             qPrintable(formula(graph)));
}

GRAPHLOOM_TESTS(BlockNestsTest)

} // namespace graphloom::test::block_nests_test

#include "block_nests_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/facts/block_rules.h"

#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::block_rules_test {

using Cause = BlockBorder::Cause;

namespace {

/// What the rules say of all nodes of a sketch as one block.
BlockAnswer answerOf(const Graph &graph, const BlockLimits &limits = {},
                     std::shared_ptr<const Partition> within = nullptr)
{
    const auto ecg = Ecg::of(graph, sketchOpset);
    if (!ecg)
        qFatal("%s", ecg.error().text().c_str());
    const auto order = graph.order();
    return BlockRules(*ecg, limits, std::move(within)).check(order);
}

QString reasonOf(const BlockAnswer &answer)
{
    return answer.refusal ? QString::fromStdString(answer.refusal->edge.reason) : QString();
}

/// LayerNormalization in pieces over [1,16,width].
Graph layerNorm(std::int64_t width)
{
    Sketch g;
    const TensorId x = g.input("x", {1, 16, width});
    const std::vector<Attribute> last = {ints("axes", {-1})};
    const TensorId centred = g.call("Sub", {x, g.call("ReduceMean", {x}, last)});
    const TensorId variance = g.call("ReduceMean", {g.call("Mul", {centred, centred})}, last);
    const TensorId deviation = g.call("Sqrt", {g.call("Add", {variance, g.weight({1})})});
    return g.finish({g.call("Div", {centred, deviation})});
}

/// softmax(q k) v with two heads and `rows` queries.
TensorId attention(Sketch &g, std::int64_t rows)
{
    const TensorId q = g.input("q", {1, 2, rows, 16}), k = g.input("k", {1, 2, 16, 32}),
                   v = g.input("v", {1, 2, 32, 16});
    const TensorId scores = g.call("Mul", {g.call("MatMul", {q, k}), g.weight({1})});
    return g.call("MatMul", {g.call("Softmax", {scores}), v});
}
Graph attention(std::int64_t rows)
{
    Sketch g;
    return g.finish({attention(g, rows)});
}

/// A 3x3 convolution, Relu, and what `behind` makes of it; [1,32,16,16] between.
template <class Behind> Graph afterAConvolution(Behind behind)
{
    Sketch g;
    const TensorId y = g.conv(g.input("x", {1, 8, 16, 16}), 8, 32);
    const TensorId between = g.call("Relu", {y});
    return g.finish({behind(g, between)});
}

TensorId pointwise(Sketch &g, TensorId x)
{
    return g.call("Conv", {x, g.weight({8, 32, 1, 1})});
}

TensorId depthwise(Sketch &g, TensorId x)
{
    return g.call("Conv", {x, g.weight({32, 1, 3, 3})},
                  {ints("pads", {1, 1, 1, 1}), integer("group", 32)});
}

BlockLimits with(BlockLimits::Contractions contractions)
{
    BlockLimits limits;
    limits.contractions = contractions;
    return limits;
}

using Contractions = BlockLimits::Contractions;

} // namespace

class BlockRulesTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aConvolutionWithItsEpilogue();
    void twoConvolutions();
    void convolutionsSideBySide();
    void anExpansionBeforeAConvolution();
    void aBroadcastOperandFromOutsideDoesNotCount();
    void poolingWithoutOverlapNeedsEachElementOnce();
    void poolingWithOverlapOverAConvolution();
    void aNormalizationRunsRowByRow();
    void aRowThatDoesNotFit();
    void attentionRunsRowByRow();
    void aProjectionBehindAttention();
    void tooFewRowsForTheCores();
    void anOperandThatLeavesTheCache();
    void rowsThatAreMixedAgain();
    void withoutReductionsTable3Holds();
    void opaqueStaysAlone();
    void tooManyOperators();
    void tooManyInputs();
    void tooManyLiveValues();
    void aSecondContractionIsIntensiveFusions();
    void aPointwiseConvolutionBehindAnother();
    void aDepthwiseConvolutionBehindAnother();
    void windowsThatOverlapBehindAConvolution();
    void aChainOfConvolutionsSlides();
    void convolutionsOfOneResultSlide();
    void productsOfTheSameRows();
    void productsOfDifferentRows();
    void aProductThatReusesEverything();
    void oneContractionAtMost();
    void subgraphsAreBorders();
};

void BlockRulesTest::aConvolutionWithItsEpilogue()
{
    Sketch g;
    const TensorId y = g.conv(g.input("x", {1, 8, 10, 10}), 8, 8);
    const BlockAnswer answer = answerOf(g.finish({g.call("Relu", {y})}));
    QCOMPARE(reasonOf(answer), QString());
    QCOMPARE(answer.mapping, MappingType::ManyToMany);
    QVERIFY(answer.undecided.empty());
}

void BlockRulesTest::twoConvolutions()
{
    Sketch g;
    const TensorId y = g.conv(g.input("x", {1, 8, 10, 10}), 8, 8);
    const BlockAnswer answer = answerOf(g.finish({g.conv(y, 8, 8)}));
    QVERIFY(answer.refusal);
    QCOMPARE(answer.refusal->cause, Cause::MappingTypes);
    QCOMPARE(answer.refusal->edge.producer, g.nodes()[0]);
    QCOMPARE(answer.refusal->edge.consumer, g.nodes()[1]);
    QVERIFY(
        reasonOf(answer).contains("(Many-to-Many before Many-to-Many, DNNFusion Table 3: red)"));
}

void BlockRulesTest::convolutionsSideBySide()
{
    Sketch g;
    const TensorId x = g.input("x", {1, 8, 10, 10});
    const TensorId left = g.conv(x, 8, 8), right = g.conv(x, 8, 8);
    const BlockAnswer answer = answerOf(g.finish({g.call("Add", {left, right})}));
    QVERIFY(reasonOf(answer).contains("parallel branches"));
}

void BlockRulesTest::anExpansionBeforeAConvolution()
{
    Sketch g;
    const TensorId wide =
        g.call("Expand", {g.input("x", {1, 8, 1, 1}), g.integers({1, 8, 10, 10})});
    const BlockAnswer answer = answerOf(g.finish({g.conv(wide, 8, 8)}));
    QVERIFY(answer.refusal);
    QVERIFY2(reasonOf(answer).contains("(One-to-Many before Many-to-Many, DNNFusion Table 3: red)"),
             qPrintable(reasonOf(answer)));
}

void BlockRulesTest::aBroadcastOperandFromOutsideDoesNotCount()
{
    Sketch g;
    const TensorId x = g.input("x", {1, 8, 10, 10}), scale = g.input("s", {1, 8, 1, 1});
    const BlockAnswer answer = answerOf(g.finish({g.conv(g.call("Mul", {x, scale}), 8, 8)}));
    QCOMPARE(reasonOf(answer), QString());
}

void BlockRulesTest::poolingWithoutOverlapNeedsEachElementOnce()
{
    Sketch g;
    const TensorId y = g.conv(g.input("x", {1, 8, 10, 10}), 8, 8);
    const BlockAnswer answer = answerOf(g.finish(
        {g.call("MaxPool", {y}, {ints("kernel_shape", {2, 2}), ints("strides", {2, 2})})}));
    QCOMPARE(reasonOf(answer), QString());
    QCOMPARE(answer.undecided.size(), std::size_t(1));
    QVERIFY(answer.undecided[0].reason.find("needed once") != std::string::npos);
}

void BlockRulesTest::poolingWithOverlapOverAConvolution()
{
    // Its planes would be kept, and there is one row for every channel of the image only.
    Sketch g;
    const TensorId y = g.conv(g.input("x", {1, 8, 400, 400}), 8, 8);
    const BlockAnswer answer = answerOf(g.finish(
        {g.call("MaxPool", {y}, {ints("kernel_shape", {3, 3}), ints("strides", {2, 2})})}));
    QVERIFY(answer.refusal);
    QCOMPARE(answer.refusal->cause, Cause::Constraint);
}

void BlockRulesTest::aNormalizationRunsRowByRow()
{
    const BlockAnswer answer = answerOf(layerNorm(768));
    QCOMPARE(reasonOf(answer), QString());
    QCOMPARE(answer.rereadBytes, 0.0);
}

void BlockRulesTest::aRowThatDoesNotFit()
{
    BlockLimits limits;
    limits.scratchBytes = 1024;
    const BlockAnswer answer = answerOf(layerNorm(768), limits);
    QVERIFY(answer.refusal);
    QCOMPARE(answer.refusal->cause, Cause::Constraint);
    QVERIFY(reasonOf(answer).contains("scratch memory"));
}

void BlockRulesTest::attentionRunsRowByRow()
{
    const BlockAnswer answer = answerOf(attention(64));
    QCOMPARE(reasonOf(answer), QString());
    QCOMPARE(answer.mapping, MappingType::ManyToMany);
}

/// The product behind attention sums over all heads of a query.
void BlockRulesTest::aProjectionBehindAttention()
{
    Sketch g;
    const TensorId heads = g.call("Transpose", {attention(g, 64)}, {ints("perm", {0, 2, 1, 3})});
    const TensorId row = g.call("Reshape", {heads, g.integers({1, 64, 32})});
    const Graph graph = g.finish({g.call("MatMul", {row, g.weight({32, 24})})});
    QCOMPARE(reasonOf(answerOf(graph, with(Contractions::Intensive))), QString());
    QVERIFY(reasonOf(answerOf(graph)).contains("two contractions"));
}

void BlockRulesTest::tooFewRowsForTheCores()
{
    const BlockAnswer answer = answerOf(attention(1));
    QVERIFY(answer.refusal);
    QVERIFY(reasonOf(answer).contains("too few rows to share among cores: 2 "));
}

void BlockRulesTest::anOperandThatLeavesTheCache()
{
    BlockLimits limits;
    limits.operandBytes = 1024;
    const BlockAnswer answer = answerOf(attention(64), limits);
    QVERIFY(answer.refusal);
    QVERIFY(reasonOf(answer).contains("read again for every row tile"));
}

void BlockRulesTest::rowsThatAreMixedAgain()
{
    // Normalized rows, then a softmax across them.
    Sketch g;
    const TensorId x = g.input("x", {16, 64});
    const TensorId rows = g.call("Softmax", {x}, {integer("axis", 1)});
    const BlockAnswer answer =
        answerOf(g.finish({g.call("Softmax", {rows}, {integer("axis", 0)})}));
    QVERIFY(reasonOf(answer).contains("needs several rows"));
}

void BlockRulesTest::withoutReductionsTable3Holds()
{
    BlockLimits limits;
    limits.reductions = false;
    QVERIFY(answerOf(layerNorm(768), limits).refusal);
    QVERIFY(answerOf(attention(64), limits).refusal);
}

void BlockRulesTest::opaqueStaysAlone()
{
    Sketch g;
    const TensorId x = g.input("x", {4, 4});
    const BlockAnswer answer = answerOf(g.finish({g.call("NonZero", {g.call("Relu", {x})})}));
    QVERIFY(answer.refusal);
    QCOMPARE(answer.refusal->cause, Cause::Opaque);
}

void BlockRulesTest::tooManyOperators()
{
    Sketch g;
    TensorId x = g.input("x", {4, 4});
    for (int i = 0; i < 5; ++i)
        x = g.call("Relu", {x});
    BlockLimits limits;
    limits.operators = 4;
    QCOMPARE(reasonOf(answerOf(g.finish({x}), limits)), "too many operators: 5 (limit: 4)");
}

void BlockRulesTest::tooManyInputs()
{
    Sketch g;
    TensorId x = g.input("x", {4, 4});
    for (int i = 0; i < 3; ++i)
        x = g.call("Add", {x, g.input("y" + std::to_string(i), {4, 4})});
    BlockLimits limits;
    limits.inputs = 3;
    QCOMPARE(reasonOf(answerOf(g.finish({x}), limits)), "too many inputs: 4 (limit: 3)");
}

void BlockRulesTest::tooManyLiveValues()
{
    Sketch g;
    const TensorId x = g.input("x", {4, 4});
    std::vector<TensorId> waiting;
    for (const char *op : {"Relu", "Abs", "Neg"})
        waiting.push_back(g.call(op, {x}));
    const TensorId y = g.call("Sum", waiting);
    BlockLimits limits;
    limits.liveValues = 2;
    QCOMPARE(reasonOf(answerOf(g.finish({y}), limits)),
             "too many simultaneously live values: 3 (limit: 2)");
}

void BlockRulesTest::aSecondContractionIsIntensiveFusions()
{
    const BlockAnswer answer = answerOf(afterAConvolution(pointwise));
    QVERIFY2(reasonOf(answer).startsWith(
                 "two contractions in one kernel: only intensive fusion (ago) can merge"),
             qPrintable(reasonOf(answer)));
}

void BlockRulesTest::aPointwiseConvolutionBehindAnother()
{
    const BlockAnswer answer =
        answerOf(afterAConvolution(pointwise), with(Contractions::Intensive));
    QCOMPARE(reasonOf(answer), QString());
    QCOMPARE(answer.undecided.size(), std::size_t(1));
    QVERIFY(answer.undecided.front().reason.starts_with("it runs in tiles of h, w, and o whole ("));
}

void BlockRulesTest::aDepthwiseConvolutionBehindAnother()
{
    const BlockAnswer answer =
        answerOf(afterAConvolution(depthwise), with(Contractions::Intensive));
    QCOMPARE(reasonOf(answer), QString());
    QVERIFY(answer.undecided.front().reason.starts_with("it runs in tiles of g, and h, w whole ("));
}

void BlockRulesTest::windowsThatOverlapBehindAConvolution()
{
    const auto whole = [](Sketch &g, TensorId x) { return g.conv(x, 32, 8); };
    const BlockAnswer answer = answerOf(afterAConvolution(whole), with(Contractions::Intensive));
    QCOMPARE(reasonOf(answer), QString());
    QVERIFY(
        answer.undecided.front().reason.starts_with("it runs in rows of h, each computed once"));
}

void BlockRulesTest::aChainOfConvolutionsSlides()
{
    const auto residual = [](Sketch &g, TensorId x) { return pointwise(g, depthwise(g, x)); };
    const BlockAnswer answer = answerOf(afterAConvolution(residual), with(Contractions::Intensive));
    QCOMPARE(reasonOf(answer), QString());
    QCOMPARE(answer.undecided.size(), std::size_t(2));
}

/// SqueezeNet's expansion: side by side, but both along the rows of what they read.
void BlockRulesTest::convolutionsOfOneResultSlide()
{
    const auto expansion = [](Sketch &g, TensorId x) {
        const TensorId three =
            g.call("Conv", {x, g.weight({8, 32, 3, 3})}, {ints("pads", {1, 1, 1, 1})});
        return g.call("Concat", {pointwise(g, x), g.call("Relu", {three})}, {integer("axis", 1)});
    };
    const Graph graph = afterAConvolution(expansion);
    QCOMPARE(reasonOf(answerOf(graph, with(Contractions::Intensive))), QString());
    QVERIFY(reasonOf(answerOf(graph)).contains("two contractions"));
}

/// The projections to queries, keys and values.
void BlockRulesTest::productsOfTheSameRows()
{
    Sketch g;
    const TensorId x = g.input("x", {64, 32});
    std::vector<TensorId> outputs;
    for (int i = 0; i < 3; ++i)
        outputs.push_back(g.call("MatMul", {x, g.weight({32, 32})}));
    const Graph graph = g.finish(outputs);
    QCOMPARE(reasonOf(answerOf(graph, with(Contractions::Intensive))), QString());
    QVERIFY(reasonOf(answerOf(graph)).contains("are on parallel branches"));
}

void BlockRulesTest::productsOfDifferentRows()
{
    Sketch g;
    const TensorId x = g.input("x", {64, 64});
    const TensorId rows = g.call("MatMul", {x, g.weight({64, 32})});
    const Graph graph = g.finish({rows, g.call("MatMul", {g.weight({32, 64}), x})});
    QVERIFY(answerOf(graph, with(Contractions::Intensive)).refusal);
}

void BlockRulesTest::aProductThatReusesEverything()
{
    Sketch g;
    const TensorId y = g.call("MatMul", {g.input("x", {1, 8}), g.weight({8, 16})});
    const Graph graph = g.finish({g.call("MatMul", {y, g.weight({16, 8})})});
    const BlockAnswer answer = answerOf(graph, with(Contractions::Intensive));
    QVERIFY(answer.refusal);
    QCOMPARE(answer.refusal->cause, Cause::MappingTypes);
    QVERIFY2(reasonOf(answer).contains("every axis of the reader uses an element again"),
             qPrintable(reasonOf(answer)));
}

void BlockRulesTest::oneContractionAtMost()
{
    QCOMPARE(reasonOf(answerOf(attention(16))), QString());
    const BlockAnswer answer = answerOf(attention(16), with(Contractions::One));
    QCOMPARE(reasonOf(answer), "too many complex operators: 2 (limit: 1)");
}

void BlockRulesTest::subgraphsAreBorders()
{
    Sketch g;
    const TensorId y = g.call("Relu", {g.input("x", {4, 4})});
    const Graph graph = g.finish({g.call("Abs", {y})});
    Partition partition;
    partition.subgraphs = {{{g.nodes()[0]}, 1}, {{g.nodes()[1]}, 1}};
    partition.index(graph);
    const BlockAnswer apart = answerOf(graph, {}, std::make_shared<const Partition>(partition));
    QVERIFY(apart.refusal);
    QCOMPARE(apart.refusal->cause, Cause::Subgraph);
    QCOMPARE(reasonOf(apart), "the two are in subgraphs 0 and 1 of the partition");
    partition.subgraphs = {{{g.nodes()[0], g.nodes()[1]}, 2}};
    partition.index(graph);
    QVERIFY(!answerOf(graph, {}, std::make_shared<const Partition>(partition)).refusal);
}

GRAPHLOOM_TESTS(BlockRulesTest)

} // namespace graphloom::test::block_rules_test

#include "block_rules_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/verify.h"

#include "engine/interpreter/interpreter.h"
#include "engine/ops/describe/value_type.h"
#include "tests/support/graph_maker.h"
#include "tests/support/opsets.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>

namespace graphloom::test::verify_test {

namespace testing = graphloom::test;
using graphloom::test::opset17;
using test::floats;
using test::splat;

namespace {

/// A graph that is written down node by node.
class Maker : public test::GraphMaker {
public:
    Runnable finish(std::vector<TensorId> outputs, std::string name = "graph")
    {
        return {std::move(name), GraphMaker::finish(std::move(outputs)), opset17};
    }
};

/// (x + a) * 2, as written or distributed.
Runnable scaledSum(bool distributed, float a = 0.25f)
{
    Maker maker;
    const TensorId x = maker.input("x", {4});
    const TensorId two = maker.constant("two", floats({1}, {2}));
    if (!distributed) {
        const TensorId shift = maker.constant("a", floats({1}, {a}));
        return maker.finish({maker.call("Mul", {maker.call("Add", {x, shift}, {4}), two}, {4})});
    }
    const TensorId shift = maker.constant("2a", floats({1}, {2 * a}));
    return maker.finish({maker.call("Add", {maker.call("Mul", {x, two}, {4}), shift}, {4})},
                        "the other graph");
}

/// x * weight, where every element of the weight is the same; transposed or not.
Runnable product(bool transposed)
{
    Maker maker;
    const TensorId x = maker.input("x", {2, 64});
    const TensorId weight = maker.constant("weight", splat(0.5f, {64, 64}));
    std::vector<TensorId> inputs = {x, weight};
    return maker.finish(
        {maker.call("Gemm", inputs, {2, 64}, {{"transB", std::int64_t(transposed ? 1 : 0)}})});
}

Verification verified(std::vector<Runnable> runnables, const VerifyOptions &options = {})
{
    const auto result = verify(std::move(runnables), options);
    if (!result || !*result)
        qFatal("%s", result ? "stopped" : result.error().text().c_str());
    return **result;
}

} // namespace

class VerifyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalGraphsAgree();
    void rewrittenGraphsAgreeWithinTolerance();
    void wrongRewriteFailsAndNamesTheOutput();
    void toleranceDecides();
    void mixedUpWeightsAreFound();
    void inputsBelongTogetherByName();
    void unknownInputIsAFault();
    void otherNumberOfOutputsFails();
    void nothingFiniteIsAWarning();
    void symbolicInputsCannotRun();
    void stopping();
    void everyFormIsCompared();
    void storedOutputs();
    void sequencesAreCompared();
    void optionalInputsAreMade();
    void randomNumbersAreNotCompared();
    void seededNumbersAreCompared();
    void storedRandomNumbersAreNotCompared();
    void whatOnlyTheOriginalRunsFails();
};

void VerifyTest::equalGraphsAgree()
{
    const Verification result = verified({scaledSum(false), scaledSum(false)});
    QVERIFY(result.passed);
    QCOMPARE(result.maxAbsError, 0.0);
    QCOMPARE(result.maxRelError, 0.0);
    QCOMPARE(result.inputs, std::size_t(1));
    QVERIFY(result.message.empty() && result.warnings.empty());
}

void VerifyTest::rewrittenGraphsAgreeWithinTolerance()
{
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Verification result = verified({scaledSum(false), scaledSum(true)}, {.seed = seed});
        QVERIFY2(result.passed, qPrintable(QString("seed %1").arg(seed)));
        QVERIFY(result.maxRelError < 1e-6);
    }
}

void VerifyTest::wrongRewriteFailsAndNamesTheOutput()
{
    const Verification result = verified({scaledSum(false), scaledSum(true, 0.26f)});
    QVERIFY(!result.passed);
    QVERIFY(std::abs(result.maxAbsError - 0.02) < 1e-6);
    QVERIFY2(result.message.starts_with("the other graph, output \"Add"), result.message.c_str());
    QVERIFY2(result.message.find("expected") != std::string::npos, result.message.c_str());
}

void VerifyTest::toleranceDecides()
{
    const auto run = [](double tolerance) {
        return verified({scaledSum(false), scaledSum(true, 0.26f)}, {.tolerance = tolerance});
    };
    const double error = run(0).maxRelError;
    QVERIFY(error > 0);
    QVERIFY(!run(0).passed);
    QVERIFY(run(error).passed);
    QVERIFY(!run(error / 2).passed);
}

/// With all weights equal, a transposed weight gives the same result; filled in it does not.
void VerifyTest::mixedUpWeightsAreFound()
{
    const Verification same = verified({product(false), product(false)});
    QVERIFY(same.passed);
    QCOMPARE(same.filledWeights, std::size_t(1));
    QVERIFY(!verified({product(false), product(true)}).passed);
}

void VerifyTest::inputsBelongTogetherByName()
{
    const auto difference = [](bool swapped) {
        Maker maker;
        TensorId a, b;
        if (swapped) {
            b = maker.input("b", {8});
            a = maker.input("a", {8});
        } else {
            a = maker.input("a", {8});
            b = maker.input("b", {8});
        }
        return maker.finish({maker.call("Sub", {a, b}, {8})});
    };
    const Verification result = verified({difference(false), difference(true)});
    QVERIFY(result.passed);
    QCOMPARE(result.maxAbsError, 0.0);
}

void VerifyTest::unknownInputIsAFault()
{
    Maker maker;
    const TensorId y = maker.input("y", {4});
    const auto result = verify({scaledSum(false), maker.finish({maker.call("Neg", {y}, {4})})}, {});
    QVERIFY(!result);
    QCOMPARE(int(result.error().kind), int(Error::Kind::Fault));
    QVERIFY(result.error().text().find("\"y\"") != std::string::npos);
}

void VerifyTest::otherNumberOfOutputsFails()
{
    Maker maker;
    const TensorId x = maker.input("x", {4});
    const TensorId y = maker.call("Neg", {x}, {4});
    const Verification result = verified({scaledSum(false), maker.finish({y, y})});
    QVERIFY(!result.passed);
    QVERIFY(result.message.find("2 outputs, expected 1") != std::string::npos);
}

void VerifyTest::nothingFiniteIsAWarning()
{
    const auto logarithm = [] {
        Maker maker;
        const TensorId x = maker.input("x", {4});
        const TensorId two = maker.constant("two", floats({1}, {2}));
        const TensorId below = maker.call("Sub", {x, two}, {4});
        return maker.finish({maker.call("Log", {below}, {4})}); // of -3 to -1
    };
    const Verification result = verified({logarithm(), logarithm()});
    QVERIFY(result.passed);
    QCOMPARE(result.warnings.size(), std::size_t(1));
    QVERIFY(result.warnings[0].find("no finite value") != std::string::npos);
}

void VerifyTest::symbolicInputsCannotRun()
{
    const auto graph = [] {
        Maker maker;
        const TensorId x = maker.input("x", {Dim::symbol("batch"), 4});
        return maker.finish({maker.call("Neg", {x}, {Dim::symbol("batch"), 4})});
    };
    const auto result = verify({graph(), graph()}, {});
    QVERIFY(!result);
    QVERIFY2(result.error().text().find("x") != std::string::npos, result.error().text().c_str());
}

void VerifyTest::stopping()
{
    std::stop_source source;
    source.request_stop();
    VerifyOptions options;
    options.stop = source.get_token();
    const auto result = verify({scaledSum(false), scaledSum(true)}, options);
    QVERIFY(result.has_value());
    QVERIFY(!*result);
}

void VerifyTest::everyFormIsCompared()
{
    const Verification result =
        verified({scaledSum(false), scaledSum(false), scaledSum(true, 0.5f)});
    QVERIFY(!result.passed);
    QVERIFY(verified({scaledSum(false), scaledSum(true), scaledSum(false)}).passed);
}

void VerifyTest::storedOutputs()
{
    const std::vector<DataValue> inputs = {floats({4}, {0, 1, 2, 3})};
    const auto run = [&](std::vector<float> expected) {
        const auto result = verifyOutputs(scaledSum(false), inputs, {floats({4}, expected)}, {});
        return result && *result ? **result : Verification();
    };
    QVERIFY(run({0.5f, 2.5f, 4.5f, 6.5f}).passed);
    QVERIFY(run({0.5f, 2.5f, 4.5f, 6.501f}).passed);
    const Verification wrong = run({0.5f, 2.5f, 4.5f, 6.6f});
    QVERIFY(!wrong.passed);
    QVERIFY(wrong.message.find("element 3 is 6.5, expected 6.5999999") != std::string::npos);
}

namespace {

/// A sequence of x and x + a.
Runnable sequenceOf(float a)
{
    Maker maker;
    const TensorId x = maker.input("x", {4});
    const TensorId more = maker.call("Add", {x, maker.constant("a", floats({1}, {a}))}, {4});
    return maker.finish({maker.call("SequenceConstruct", {x, more}, {})}, "the other graph");
}

/// Random numbers, which the first output depends on, and x + 1.
Runnable noise(bool alone, int shift, std::vector<Attribute> attributes = {})
{
    Maker maker;
    const TensorId x = maker.input("x", {4});
    for (int i = 0; i < shift; ++i) // so that other numbers are drawn
        maker.call("Neg", {x}, {4});
    const TensorId drawn = maker.call("RandomNormalLike", {x}, {4}, std::move(attributes));
    const TensorId sum = maker.call("Add", {x, drawn}, {4});
    if (alone)
        return maker.finish({sum}, "the other graph");
    return maker.finish({sum, maker.call("Relu", {x}, {4})}, "the other graph");
}

} // namespace

void VerifyTest::sequencesAreCompared()
{
    QVERIFY(verified({sequenceOf(1), sequenceOf(1)}).passed);
    const Verification result = verified({sequenceOf(1), sequenceOf(2)});
    QVERIFY(!result.passed);
    QCOMPARE(result.maxAbsError, 1.0);
    QVERIFY2(result.message.find("element 1: element ") != std::string::npos,
             result.message.c_str());
}

void VerifyTest::optionalInputsAreMade()
{
    const std::string tensor("\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x04", 10); // float[4]
    for (const bool sequence : {false, true}) {
        Maker maker;
        Tensor input;
        input.name = "o";
        input.otherType = sequence ? valuetype::sequenceOf(tensor) : valuetype::optionalOf(tensor);
        const TensorId o = maker.editor.addTensor(input);
        maker.editor.setInputs({o});
        const Runnable runnable = maker.finish(
            {sequence ? maker.call("ConcatFromSequence", {o}, {12}, {{"axis", std::int64_t(0)}})
                      : maker.call("OptionalGetElement", {o}, {4})});
        const auto values = randomValues(runnable.graph, 3);
        QVERIFY2(values, values ? "" : values.error().text().c_str());
        QCOMPARE(values->front().elements().size(), std::size_t(sequence ? 3 : 1));
        QVERIFY(verified({runnable, runnable}).passed);
    }
}

void VerifyTest::randomNumbersAreNotCompared()
{
    const Verification alone = verified({noise(true, 0), noise(true, 1)});
    QVERIFY(alone.passed && !alone.comparable);
    QVERIFY2(alone.message.find("RandomNormalLike") != std::string::npos, alone.message.c_str());
    QVERIFY(verified({noise(true, 0), noise(true, 0)}).comparable); // they agree
    const Verification beside = verified({noise(false, 0), noise(false, 1)});
    QVERIFY(beside.passed && beside.comparable);
    QCOMPARE(beside.warnings.size(), std::size_t(1));
    // What fails was compared, also behind what could not be.
    Maker maker;
    const Runnable odd = maker.finish({maker.call("NoSuchOperator", {maker.input("x", {4})}, {4})});
    const Verification failed = verified({noise(true, 0), noise(true, 1), odd});
    QVERIFY(!failed.passed && failed.comparable);
}

void VerifyTest::seededNumbersAreCompared()
{
    const Verification same =
        verified({noise(true, 0, {{"seed", 3.0f}}), noise(true, 0, {{"seed", 3.0f}})});
    QVERIFY(same.passed && same.comparable);
    const Verification other =
        verified({noise(true, 0, {{"seed", 3.0f}}), noise(true, 0, {{"seed", 4.0f}})});
    QVERIFY(!other.passed);
}

/// No two generators draw the same numbers, whatever the seed is.
void VerifyTest::storedRandomNumbersAreNotCompared()
{
    const Runnable runnable = noise(true, 0, {{"seed", 3.0f}});
    const std::vector<DataValue> inputs = {floats({4}, {0, 1, 2, 3})};
    const auto result = verifyOutputs(runnable, inputs, inputs, {});
    QVERIFY(result && *result);
    QVERIFY((*result)->passed && !(*result)->comparable);
    const auto shorter = verifyOutputs(runnable, inputs, {floats({2}, {0, 1})}, {});
    QVERIFY(shorter && *shorter && !(*shorter)->passed);
}

void VerifyTest::whatOnlyTheOriginalRunsFails()
{
    Maker maker;
    const Runnable odd = maker.finish({maker.call("NoSuchOperator", {maker.input("x", {4})}, {4})});
    const Verification result = verified({scaledSum(false), odd});
    QVERIFY(!result.passed && std::isinf(result.maxRelError));
    QVERIFY2(result.message.find("NoSuchOperator") != std::string::npos, result.message.c_str());
    const auto refused = verify({odd, scaledSum(false)}, {});
    QVERIFY(!refused);
    QCOMPARE(int(refused.error().kind), int(Error::Kind::Model));
}

GRAPHLOOM_TESTS(VerifyTest)

} // namespace graphloom::test::verify_test

#include "verify_test.moc"

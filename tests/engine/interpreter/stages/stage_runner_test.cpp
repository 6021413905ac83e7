// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/stages/stage_runner.h"

#include "engine/interpreter/random.h"
#include "engine/interpreter/stages/stage_values.h"
#include "tests/engine/interpreter/stages/random_stages.h"
#include "tests/engine/interpreter/stages/stage_case.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>

namespace graphloom::test::stage_runner_test {

namespace {

using Reals = std::vector<double>;
using Integers = std::vector<std::int64_t>;
using Outside = Read::Outside;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

Expr loadOf(int read, DataType type)
{
    return Expr::load(read, type);
}

/// y = cast of one real to a type, as both an integer and, for reals, a number.
double castOf(double value, DataType to)
{
    const StageCase c(elementwise(1, 1, Expr::cast(loadOf(0, DataType::Double), to)),
                      {to, Shape{1}, {}}, {tensorOf<double>(DataType::Double, {1}, {value})});
    const auto result = c.reals();
    return result.empty() ? notANumber : result[0];
}

Integers ofUnsigned(Fn fn, std::uint64_t a, std::uint64_t b, DataType to = DataType::Uint64)
{
    const StageCase c(
        elementwise(1, 2,
                    Expr::binary(fn, loadOf(0, DataType::Uint64), loadOf(1, DataType::Uint64))),
        {to, Shape{1}, {}},
        {tensorOf<std::uint64_t>(DataType::Uint64, {1}, {a}),
         tensorOf<std::uint64_t>(DataType::Uint64, {1}, {b})});
    return c.integers();
}

Integers ofSigned(Fn fn, std::int64_t a, std::int64_t b)
{
    const StageCase c(
        elementwise(1, 2, Expr::binary(fn, loadOf(0, DataType::Int64), loadOf(1, DataType::Int64))),
        {DataType::Int64, Shape{1}, {}}, {integers({a}), integers({b})});
    return c.integers();
}

/// y[i] = x[index] for i < count.
Stage readStage(std::int64_t count, Index index, Outside outside, double value = 0)
{
    Stage stage = elementwise(count, 0, loadOf(0, DataType::Float));
    stage.reads = {readOf(0, {std::move(index)}, outside, value)};
    return stage;
}

Value floatValue(Shape shape)
{
    return {DataType::Float, std::move(shape), {}};
}

/// The stage of [rows, depth] times [depth, columns].
Stage product(std::int64_t rows, std::int64_t columns, std::int64_t depth, DataType type)
{
    Stage stage;
    stage.axes = {{"m", rows, Axis::Kind::Space},
                  {"n", columns, Axis::Kind::Space},
                  {"k", depth, Axis::Kind::Reduce}};
    stage.reads = {readOf(0, {Index::axis(0), Index::axis(2)}),
                   readOf(1, {Index::axis(2), Index::axis(1)})};
    stage.write = {Index::axis(0), Index::axis(1)};
    stage.combine = Combine::Sum;
    stage.body = loadOf(0, type) * loadOf(1, type);
    return stage;
}

} // namespace

class StageRunnerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithLiteralRunsOnRandomStages();
    void multipliesPanelsInTheOrderOfTheLoops_data();
    void multipliesPanelsInTheOrderOfTheLoops();
    void convolvesWithPaddingGroupsAndStride();
    void treatsUint64AsUnsigned();
    void dividesIntegersWithoutTraps();
    void castsAsOnnxDoes();
    void wrapsIntegersOnWriting();
    void roundsOnceOnWriting();
    void readsOutsideByPolicy_data();
    void readsOutsideByPolicy();
    void looksUpNegativeIndicesFromTheEnd();
    void refusesIndicesBeyondTheTensor();
    void refusesReadsThatWereNotProvedToStayInside();
    void gathersPositionsOfMaximaAndMinima();
    void startsEmptyReductionsAtTheInitialValue();
    void laterStagesOverwriteEarlierOnes();
    void scattersInTheOrderOfTheLoops();
    void accumulatesIntoItsOwnValue();
    void readsSplatsWithoutStoringThem();
    void movesStringsAndComplexNumbers();
    void packsFourBitElements();
    void refusesResultsThatDoNotFit();
    void stopsWhenAsked();
    void aStoppedResultIsNotFilled();
};

void StageRunnerTest::agreesWithLiteralRunsOnRandomStages()
{
    constexpr std::uint64_t cases = 4000;
    std::uint64_t comparable = 0;
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        const RandomStages random(seed);
        const StageCase c(random.description(), random.inputs());
        const auto fast = c.run(), literal = c.runLiterally();
        const std::string which = "seed " + std::to_string(seed);
        QVERIFY2(fast.has_value() == literal.has_value(), which.c_str());
        if (!fast)
            continue;
        ++comparable;
        for (std::size_t k = 0; k < fast->size(); ++k) {
            // Fused multiply-add may differ from product and sum where the product is inexact.
            QVERIFY2(StageCase::agree((*fast)[k], (*literal)[k], 1e-12), which.c_str());
        }
    }
    QVERIFY(comparable > cases / 2);
}

void StageRunnerTest::multipliesPanelsInTheOrderOfTheLoops_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    QTest::addColumn<int>("depth");
    QTest::newRow("less than a tile") << 4 << 5 << 3;
    QTest::newRow("odd") << 7 << 17 << 5;
    QTest::newRow("several blocks each way") << 67 << 131 << 300;
    QTest::newRow("tall") << 200 << 4 << 9;
    QTest::newRow("row vector") << 1 << 300 << 20;
    QTest::newRow("column vector") << 300 << 1 << 20;
}

void StageRunnerTest::multipliesPanelsInTheOrderOfTheLoops()
{
    QFETCH(int, rows);
    QFETCH(int, columns);
    QFETCH(int, depth);
    const StageCase c(product(rows, columns, depth, DataType::Float), floatValue({rows, columns}),
                      {*randomTensor(DataType::Float, {rows, depth}, 1),
                       *randomTensor(DataType::Float, {depth, columns}, 2)});
    const auto fast = c.run(), literal = c.runLiterally();
    QVERIFY(fast && literal);
    QVERIFY((*fast)[0] == (*literal)[0]); // to the last bit
}

void StageRunnerTest::convolvesWithPaddingGroupsAndStride()
{
    constexpr std::int64_t groups = 2, in = 5, out = 6, size = 9, positions = 5;
    Stage stage;
    stage.axes = {{"n", 2, Axis::Kind::Space},         {"g", groups, Axis::Kind::Space},
                  {"o", out, Axis::Kind::Space},       {"h", positions, Axis::Kind::Space},
                  {"w", positions, Axis::Kind::Space}, {"i", in, Axis::Kind::Reduce},
                  {"r", 3, Axis::Kind::Reduce},        {"s", 3, Axis::Kind::Reduce}};
    const auto sum = [](std::vector<Index::Term> terms, std::int64_t offset = 0) {
        Index index = Index::constant(offset);
        index.terms = std::move(terms);
        return index;
    };
    stage.reads = {
        readOf(0,
               {Index::axis(0), sum({{1, in}, {5, 1}}), sum({{3, 2}, {6, 1}}, -1),
                sum({{4, 2}, {7, 1}}, -1)},
               Outside::Value),
        readOf(1, {sum({{1, out}, {2, 1}}), Index::axis(5), Index::axis(6), Index::axis(7)}),
        readOf(2, {sum({{1, out}, {2, 1}})})};
    stage.write = {Index::axis(0), sum({{1, out}, {2, 1}}), Index::axis(3), Index::axis(4)};
    stage.combine = Combine::Sum;
    stage.body = loadOf(0, DataType::Float) * loadOf(1, DataType::Float);
    stage.finish = Expr::accumulator(DataType::Float) + loadOf(2, DataType::Float);
    const StageCase c(stage, floatValue({2, groups * out, positions, positions}),
                      {*randomTensor(DataType::Float, {2, groups * in, size, size}, 1),
                       *randomTensor(DataType::Float, {groups * out, in, 3, 3}, 2),
                       *randomTensor(DataType::Float, {groups * out}, 3)});
    const auto fast = c.run(), literal = c.runLiterally();
    QVERIFY(fast && literal);
    QVERIFY((*fast)[0] == (*literal)[0]);
}

void StageRunnerTest::treatsUint64AsUnsigned()
{
    constexpr std::uint64_t big = 0xffff'ffff'ffff'fff0;
    const auto asSigned = [](std::uint64_t value) { return std::int64_t(value); };
    QCOMPARE(ofUnsigned(Fn::Div, big, 16), Integers{asSigned(big / 16)});
    QCOMPARE(ofUnsigned(Fn::Mod, big, 7), Integers{asSigned(big % 7)});
    QCOMPARE(ofUnsigned(Fn::Max, big, 1), Integers{asSigned(big)});
    QCOMPARE(ofUnsigned(Fn::Min, big, 1), Integers{1});
    QCOMPARE(ofUnsigned(Fn::ShiftRight, big, 60), Integers{15});
    QCOMPARE(ofUnsigned(Fn::ShiftLeft, 1, 64), Integers{0});
    QCOMPARE(ofUnsigned(Fn::Less, 1, big, DataType::Bool), Integers{1});
    const StageCase asReal(
        elementwise(1, 1, Expr::cast(loadOf(0, DataType::Uint64), DataType::Double)),
        {DataType::Double, Shape{1}, {}}, {tensorOf<std::uint64_t>(DataType::Uint64, {1}, {big})});
    QCOMPARE(asReal.reals(), Reals{double(big)});
}

void StageRunnerTest::dividesIntegersWithoutTraps()
{
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    QCOMPARE(ofSigned(Fn::Div, -7, 2), Integers{-3});
    QCOMPARE(ofSigned(Fn::FloorDiv, -7, 2), Integers{-4});
    QCOMPARE(ofSigned(Fn::Mod, -7, 3), Integers{2});
    QCOMPARE(ofSigned(Fn::Mod, 7, -3), Integers{-2});
    QCOMPARE(ofSigned(Fn::Fmod, -7, 3), Integers{-1});
    QCOMPARE(ofSigned(Fn::Div, 5, 0), Integers{0});
    QCOMPARE(ofSigned(Fn::Mod, 5, 0), Integers{0});
    QCOMPARE(ofSigned(Fn::Div, least, -1), Integers{least});
    QCOMPARE(ofSigned(Fn::Fmod, least, -1), Integers{0});
    QCOMPARE(ofSigned(Fn::ShiftRight, -16, 70), Integers{-1});
    QCOMPARE(ofSigned(Fn::Pow, 3, 4), Integers{81});
    QCOMPARE(ofSigned(Fn::Pow, -1, -3), Integers{-1});
    QCOMPARE(ofSigned(Fn::Pow, 2, -1), Integers{0});
}

void StageRunnerTest::castsAsOnnxDoes()
{
    QCOMPARE(castOf(-2.9, DataType::Int32), -2.0);
    QCOMPARE(castOf(2.9, DataType::Uint8), 2.0);
    QCOMPARE(castOf(0.25, DataType::Bool), 1.0);
    QCOMPARE(castOf(notANumber, DataType::Bool), 1.0);
    QCOMPARE(castOf(-0.0, DataType::Bool), 0.0);
    QCOMPARE(castOf(1.8446744073709550e19, DataType::Uint64), 1.8446744073709550e19);
    QCOMPARE(castOf(inf, DataType::Int64), 9223372036854775807.0);
    QCOMPARE(castOf(notANumber, DataType::Int64), -9223372036854775808.0);
    QCOMPARE(castOf(65519, DataType::Float16), 65504.0);
    QCOMPARE(castOf(65520, DataType::Float16), inf);
    QCOMPARE(castOf(1000, DataType::Float8E4M3FN), 448.0); // saturates
    QCOMPARE(castOf(-1e9, DataType::Float8E5M2), -57344.0);
    QCOMPARE(castOf(-inf, DataType::Float8E5M2), -inf); // it has one: moving elements keeps it
    QVERIFY(std::isnan(castOf(notANumber, DataType::Float8E4M3FN)));
}

void StageRunnerTest::wrapsIntegersOnWriting()
{
    const auto sum = [](DataType type) { return loadOf(0, type) + loadOf(0, type); };
    const StageCase bytes(elementwise(3, 1, sum(DataType::Int8)), {DataType::Int8, Shape{3}, {}},
                          {tensorOf<std::int8_t>(DataType::Int8, {3}, {100, -100, 5})});
    QCOMPARE(bytes.integers(), (Integers{-56, 56, 10}));
    const StageCase words(elementwise(2, 1, sum(DataType::Uint32)),
                          {DataType::Uint32, Shape{2}, {}},
                          {tensorOf<std::uint32_t>(DataType::Uint32, {2}, {0x8000'0001, 3})});
    QCOMPARE(words.integers(), (Integers{2, 6}));
    // Not rounded in between: (100 + 100) / 2 in 64 bits.
    const StageCase wide(elementwise(1, 1, sum(DataType::Int8) / Expr::integer(2, DataType::Int8)),
                         {DataType::Int8, Shape{1}, {}},
                         {tensorOf<std::int8_t>(DataType::Int8, {1}, {100})});
    QCOMPARE(wide.integers(), Integers{100});
}

void StageRunnerTest::roundsOnceOnWriting()
{
    // 2^24 + 1 is no float, 2^24 + 1 + 1 is: the intermediate sum must stay a double.
    const Expr x = loadOf(0, DataType::Float);
    const StageCase c(elementwise(1, 1, x + 1.0 + 1.0), floatValue({1}), {floats({16777216.0f})});
    QCOMPARE(c.reals(), Reals{16777218.0});
    const StageCase rounded(elementwise(1, 1, Expr::cast(x + 1.0, DataType::Float) + 1.0),
                            floatValue({1}), {floats({16777216.0f})});
    QCOMPARE(rounded.reals(), Reals{16777216.0});
}

void StageRunnerTest::readsOutsideByPolicy_data()
{
    QTest::addColumn<int>("policy");
    QTest::addColumn<int>("stride");
    QTest::addColumn<std::vector<double>>("expected");
    // x = 1 2 3, read at stride * i - 4 for i < 10.
    QTest::newRow("value") << int(Outside::Value) << 1 << Reals{9, 9, 9, 9, 1, 2, 3, 9, 9, 9};
    QTest::newRow("clamp") << int(Outside::Clamp) << 1 << Reals{1, 1, 1, 1, 1, 2, 3, 3, 3, 3};
    QTest::newRow("reflect") << int(Outside::Reflect) << 1 << Reals{1, 2, 3, 2, 1, 2, 3, 2, 1, 2};
    QTest::newRow("wrap") << int(Outside::Wrap) << 1 << Reals{3, 1, 2, 3, 1, 2, 3, 1, 2, 3};
    QTest::newRow("value, stride 3")
        << int(Outside::Value) << 3 << Reals{9, 9, 3, 9, 9, 9, 9, 9, 9, 9};
    QTest::newRow("value, backwards") << int(Outside::Value) << -2 << Reals(10, 9.0);
}

void StageRunnerTest::readsOutsideByPolicy()
{
    QFETCH(int, policy);
    QFETCH(int, stride);
    QFETCH(std::vector<double>, expected);
    const StageCase c(readStage(10, Index::axis(0, stride, -4), Outside(policy), 9),
                      floatValue({10}), {floats({1, 2, 3})});
    QCOMPARE(c.reals(), expected);
}

void StageRunnerTest::looksUpNegativeIndicesFromTheEnd()
{
    Stage stage = elementwise(4, 0, loadOf(1, DataType::Float));
    Index looked = Index::constant(0);
    looked.lookup = 0;
    stage.reads = {readOf(0, {Index::axis(0)}), readOf(1, {looked})};
    const StageCase c(stage, floatValue({4}), {integers({0, -1, 2, -3}), floats({10, 20, 30})});
    QCOMPARE(c.reals(), (Reals{10, 30, 30, 10}));
}

void StageRunnerTest::refusesIndicesBeyondTheTensor()
{
    Stage stage = elementwise(2, 0, loadOf(1, DataType::Float));
    Index looked = Index::constant(0);
    looked.lookup = 0;
    stage.reads = {readOf(0, {Index::axis(0)}), readOf(1, {looked})};
    for (const std::int64_t index :
         {std::int64_t(3), std::int64_t(-4), std::numeric_limits<std::int64_t>::min(),
          std::numeric_limits<std::int64_t>::max()}) {
        const StageCase c(stage, floatValue({2}), {integers({0, index}), floats({10, 20, 30})});
        const auto result = c.run();
        QVERIFY(!result && !c.runLiterally());
        QVERIFY(result.error().kind == Error::Kind::Model);
        QVERIFY(result.error().text().find("under test") != std::string::npos);
        QVERIFY(result.error().text().find("dimension 0, which has 3 elements") !=
                std::string::npos);
    }
    Stage scatter = elementwise(2, 2, loadOf(0, DataType::Float));
    scatter.write = {looked};
    scatter.write[0].lookup = 1;
    const StageCase written(scatter, floatValue({3}), {floats({1, 2}), integers({0, 3})});
    QVERIFY(written.error().find("index 3") != std::string::npos);
}

void StageRunnerTest::refusesReadsThatWereNotProvedToStayInside()
{
    const StageCase c(readStage(4, Index::axis(0), Outside::Never), floatValue({4}),
                      {floats({1, 2, 3})});
    const auto result = c.run();
    QVERIFY(!result && !c.runLiterally());
    QVERIFY(result.error().kind == Error::Kind::Fault);
}

void StageRunnerTest::gathersPositionsOfMaximaAndMinima()
{
    const std::vector<float> row{2, 7, 7, -1, -1, 3};
    const auto position = [](Combine combine, std::vector<float> values, bool manyRows) {
        const auto count = std::int64_t(values.size());
        const std::int64_t rows = manyRows ? 300 : 1; // strips along the rows, or along the values
        std::vector<float> all;
        for (std::int64_t r = 0; r < rows; ++r)
            all.insert(all.end(), values.begin(), values.end());
        Stage stage;
        stage.axes = {{"n", rows, Axis::Kind::Space}, {"k", count, Axis::Kind::Reduce}};
        stage.reads = {readOf(0, {Index::axis(0), Index::axis(1)})};
        stage.write = {Index::axis(0)};
        stage.combine = combine;
        stage.body = Expr::load(0, DataType::Float);
        const StageCase c(stage, {DataType::Int64, Shape{rows}, {}},
                          {tensorOf<float>(DataType::Float, {rows, count}, all)});
        const auto result = c.integers();
        return result.empty() ? -1 : result.back();
    };
    for (const bool manyRows : {false, true}) {
        QCOMPARE(position(Combine::ArgMax, row, manyRows), 1);
        QCOMPARE(position(Combine::ArgMaxLast, row, manyRows), 2);
        QCOMPARE(position(Combine::ArgMin, row, manyRows), 3);
        QCOMPARE(position(Combine::ArgMinLast, row, manyRows), 4);
        QCOMPARE(position(Combine::ArgMax, {1, float(notANumber), 5, float(notANumber)}, manyRows),
                 1);
        QCOMPARE(position(Combine::ArgMin, {1, float(notANumber), 5, float(notANumber)}, manyRows),
                 1);
    }
}

void StageRunnerTest::startsEmptyReductionsAtTheInitialValue()
{
    const auto reduced = [](DataType type, double initial) {
        Stage stage;
        stage.axes = {{"n", 3, Axis::Kind::Space}, {"k", 0, Axis::Kind::Reduce}};
        stage.reads = {readOf(0, {Index::axis(0), Index::axis(1)})};
        stage.write = {Index::axis(0)};
        stage.combine = Combine::Max;
        stage.initial = initial;
        stage.body = Expr::load(0, type);
        const StageCase c(stage, {type, Shape{3}, {}}, {TensorData::fromBytes(type, {3, 0}, {})});
        const auto values = c.reals();
        return values.empty() ? notANumber : values[2];
    };
    QCOMPARE(reduced(DataType::Float, -inf), -inf);
    QCOMPARE(reduced(DataType::Int8, -inf), -128.0);
    QCOMPARE(reduced(DataType::Uint16, -inf), 0.0);
    QCOMPARE(reduced(DataType::Int32, inf), 2147483647.0);
}

void StageRunnerTest::laterStagesOverwriteEarlierOnes()
{
    Stage second = elementwise(2, 1, -loadOf(0, DataType::Float));
    second.reads[0].operand.index = 1;
    second.write = {Index::axis(0, 2, 1)};
    Description description;
    description.values = {floatValue({5})};
    description.stages = {elementwise(5, 1, loadOf(0, DataType::Float)), second};
    const StageCase c(description, {floats({1, 2, 3, 4, 5}), floats({8, 9})});
    QCOMPARE(c.reals(), (Reals{1, -8, 3, -9, 5}));
}

void StageRunnerTest::scattersInTheOrderOfTheLoops()
{
    // 1000 updates go to three places: the last one for each place stays.
    constexpr std::int64_t count = 1000;
    std::vector<float> updates;
    Integers places;
    for (std::int64_t i = 0; i < count; ++i) {
        updates.push_back(float(i));
        places.push_back(i % 3);
    }
    Stage stage = elementwise(count, 2, loadOf(0, DataType::Float));
    stage.write = {Index::constant(0)};
    stage.write[0].lookup = 1;
    const StageCase c(stage, floatValue({3}), {floats(updates), integers(places)});
    QCOMPARE(c.reals(), (Reals{999, 997, 998}));
}

void StageRunnerTest::accumulatesIntoItsOwnValue()
{
    // Running sums: y[i] = y[i-1] + x[i].
    Stage stage = elementwise(5, 1, loadOf(0, DataType::Float) + loadOf(1, DataType::Float));
    stage.reads.push_back({{Operand::Kind::Value, 0}, {Index::axis(0, 1, -1)}, Outside::Value, 0});
    const StageCase c(stage, floatValue({5}), {floats({1, 2, 3, 4, 5})});
    QCOMPARE(c.reals(), (Reals{1, 3, 6, 10, 15}));
}

void StageRunnerTest::readsSplatsWithoutStoringThem()
{
    constexpr std::int64_t huge = std::int64_t{1} << 50;
    const float half = 0.5f;
    const auto bytes = std::as_bytes(std::span(&half, 1));
    const TensorData splat =
        TensorData::splat(DataType::Float, {huge, 8}, {bytes.begin(), bytes.end()});
    Stage stage;
    stage.axes = {{"i", 4, Axis::Kind::Space}, {"j", 8, Axis::Kind::Space}};
    stage.reads = {readOf(0, {Index::axis(0, huge / 4), Index::axis(1)}),
                   readOf(0, {Index::axis(0, huge), Index::axis(1)}, Outside::Value, 3)};
    stage.write = {Index::axis(0), Index::axis(1)};
    stage.body = loadOf(0, DataType::Float) + loadOf(1, DataType::Float);
    const StageCase c(stage, floatValue({4, 8}), {splat});
    Reals expected(8, 1.0);
    expected.resize(32, 3.5);
    QCOMPARE(c.reals(), expected);
}

void StageRunnerTest::movesStringsAndComplexNumbers()
{
    Stage reversed = elementwise(3, 0, loadOf(0, DataType::String));
    reversed.reads = {readOf(0, {Index::axis(0, -1, 2)})};
    const StageCase texts(reversed, {DataType::String, Shape{3}, {}},
                          {TensorData::fromStrings({3}, {"a", "bc", ""})});
    const auto moved = texts.run();
    QVERIFY(moved.has_value());
    QCOMPARE((*moved)[0].strings(), (std::vector<std::string>{"", "bc", "a"}));

    Stage equal = elementwise(
        3, 0, Expr::binary(Fn::Equal, loadOf(0, DataType::String), loadOf(1, DataType::String)));
    equal.reads = {readOf(0, {Index::axis(0)}), readOf(0, {Index::axis(0, -1, 2)})};
    const StageCase compared(equal, {DataType::Bool, Shape{3}, {}},
                             {TensorData::fromStrings({3}, {"a", "b", "x"})});
    QCOMPARE(compared.integers(), (Integers{0, 1, 0}));

    reversed.body = loadOf(0, DataType::Complex64);
    const StageCase complex(reversed, {DataType::Complex64, Shape{3}, {}},
                            {tensorOf<float>(DataType::Complex64, {3}, {1, 2, 3, 4, 5, 6})});
    const auto turned = complex.run();
    QVERIFY(turned.has_value());
    QVERIFY((*turned)[0] == tensorOf<float>(DataType::Complex64, {3}, {5, 6, 3, 4, 1, 2}));
}

void StageRunnerTest::packsFourBitElements()
{
    // Two elements to a byte, low half first: 1, -2, 3 become 2, -4, 6.
    const StageCase c(
        elementwise(3, 1, loadOf(0, DataType::Int4) + loadOf(0, DataType::Int4)),
        {DataType::Int4, Shape{3}, {}},
        {TensorData::fromBytes(DataType::Int4, {3}, {std::byte(0xe1), std::byte(0x03)})});
    QCOMPARE(c.integers(), (Integers{2, -4, 6}));
    const auto stored = c.run();
    QCOMPARE((*stored)[0].bytes().size(), 2u);
}

void StageRunnerTest::refusesResultsThatDoNotFit()
{
    const StageCase c(elementwise(1 << 20, 0, Expr::real(1, DataType::Float)),
                      floatValue({1 << 20}), {});
    QVERIFY(c.run({{}, 1 << 22}).has_value());
    const auto refused = c.run({{}, (1 << 22) - 1});
    QVERIFY(!refused && refused.error().kind == Error::Kind::Model);
    const std::int64_t huge = std::int64_t{1} << 45;
    const StageCase beyond(elementwise(huge, 0, Expr::real(1, DataType::Float)), floatValue({huge}),
                           {});
    QVERIFY(beyond.error().find("does not fit into memory") != std::string::npos);
}

void StageRunnerTest::stopsWhenAsked()
{
    std::stop_source source;
    source.request_stop();
    const StageCase c(product(300, 300, 300, DataType::Float), floatValue({300, 300}),
                      {*randomTensor(DataType::Float, {300, 300}, 1),
                       *randomTensor(DataType::Float, {300, 300}, 2)});
    QVERIFY(!c.run({source.get_token(), 0}));
    QVERIFY(c.run().has_value());
}

/// Gigabytes of zeros take their time, and so would their pages: these are counted.
void StageRunnerTest::aStoppedResultIsNotFilled()
{
    constexpr std::int64_t elements = std::int64_t{1} << 28; // a gigabyte
    const auto pages = [] {                                  // in memory
        std::ifstream file("/proc/self/statm");
        std::int64_t all = 0, resident = 0;
        file >> all >> resident;
        return resident;
    };
    std::stop_source source;
    source.request_stop();
    Node node;
    node.op = "Case";
    const Call call(node, {}, 17);
    Description description;
    description.values = {floatValue({elements})};
    description.outputs = 1;
    const std::int64_t before = pages();
    QVERIFY(!StageValues::make(description, call, {}, machineMemory(), source.get_token()));
    QVERIFY(pages() - before < elements / 4096); // a quarter of its pages
}

GRAPHLOOM_TESTS(StageRunnerTest)

} // namespace graphloom::test::stage_runner_test

#include "stage_runner_test.moc"

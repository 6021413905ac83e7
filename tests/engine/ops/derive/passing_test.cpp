// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/derive/passing.h"
#include "engine/ops/describe/stage.h"
#include "tests/support/attribute.h"
#include "tests/support/operator_case.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::passing_test {

namespace {

TensorData splatOf(float value, std::vector<std::int64_t> extents)
{
    const auto bytes = std::as_bytes(std::span(&value, 1));
    return TensorData::splat(DataType::Float, std::move(extents), {bytes.begin(), bytes.end()});
}

Given number(float value)
{
    return Given(splatOf(value, {}));
}

} // namespace

class PassingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void permutationsAreTold();
    void returned_data();
    void returned();
    void handedOn_data();
    void handedOn();
    void runs_data();
    void runs();
    void changed_data();
    void changed();
    void expansions();
    void positionsAreNotBroadcast();
    void partsAreNoExpansions();
    void readsOfMoreDimensionsAreAtOtherPlaces();

private:
    static void columns() { QTest::addColumn<std::shared_ptr<OperatorCase>>("call"); }
    template <class... Arguments> static void row(const char *name, Arguments &&...arguments)
    {
        QTest::newRow(name) << std::make_shared<OperatorCase>(
            std::forward<Arguments>(arguments)...);
    }
    using Inputs = std::vector<Given>;
    using List = std::vector<Attribute>;
};

void PassingTest::returned_data()
{
    const Shape x = {2, 8, 6, 6};
    const Dim n = Dim::symbol("n");
    columns();
    row("Identity", "Identity", Inputs{x});
    row("Dropout", "Dropout", Inputs{x});
    row("Dropout with mask", "Dropout", Inputs{x}, List{}, 2);
    row("Cast to the same type", "Cast", Inputs{x}, List{integer("to", 1)});
    row("Pad of nothing", "Pad", Inputs{x, Given::integers({0, 0, 0, 0, 0, 0, 0, 0})});
    row("Pad of nothing with a value", "Pad",
        Inputs{x, Given::integers({0, 0, 0, 0, 0, 0, 0, 0}), Given(Shape{})});
    row("Slice of everything", "Slice",
        Inputs{x, Given::integers({0}), Given::integers({9}), Given::integers({1})});
    row("Slice of everything, symbolic", "Slice",
        Inputs{Shape{n, 4}, Given::integers({0}), Given::integers({INT64_MAX})});
    row("Expand to the same shape", "Expand", Inputs{x, Given::integers({8, 1, 6})});
    row("Tile once", "Tile", Inputs{x, Given::integers({1, 1, 1, 1})});
    row("Concat of one", "Concat", Inputs{x}, List{integer("axis", 1)});
    row("Split into one", "Split", Inputs{x}, List{integer("axis", 1)});
    row("Reshape to the same shape", "Reshape", Inputs{x, Given::integers({2, 8, -1, 6})});
    row("Reshape, symbolic", "Reshape", Inputs{Shape{n, 4}, Given::integers({-1, 4})});
    row("Transpose in order", "Transpose", Inputs{x}, List{ints("perm", {0, 1, 2, 3})});
    row("AveragePool of one", "AveragePool", Inputs{x}, List{ints("kernel_shape", {1, 1})});
    row("MaxPool of one", "MaxPool", Inputs{x}, List{ints("kernel_shape", {1, 1})});
    row("GlobalAveragePool of one", "GlobalAveragePool", Inputs{Shape{2, 8, 1, 1}});
    row("ReduceSum of one", "ReduceSum", Inputs{Shape{2, 1}, Given::integers({1})});
    row("Resize by one", "Resize",
        Inputs{x, Given(Shape{0}), Given(Shape{0}), Given::integers({2, 8, 6, 6})},
        List{word("mode", "nearest")});
    row("Sum of one", "Sum", Inputs{x});
    row("times one", "Mul", Inputs{x, number(1)});
    row("plus zero", "Add", Inputs{x, number(0)});
    row("minus zero", "Sub", Inputs{x, number(0)});
    row("over one", "Div", Inputs{x, number(1)});
    row("to the power of one", "Pow", Inputs{x, number(1)});
}

void PassingTest::returned()
{
    QFETCH(std::shared_ptr<OperatorCase>, call);
    const auto description = call->description();
    QVERIFY2(!description.isOpaque(), description.opaque.c_str());
    QVERIFY(inputReturned(description, call->call(), 0) == 0);
}

void PassingTest::handedOn_data()
{
    columns();
    row("Reshape", "Reshape", Inputs{Shape{2, 6}, Given::integers({3, 4})});
    row("Flatten", "Flatten", Inputs{Shape{2, 3, 4}});
    row("Squeeze", "Squeeze", Inputs{Shape{2, 1, 4}, Given::integers({1})});
    row("Unsqueeze", "Unsqueeze", Inputs{Shape{2, 4}, Given::integers({1})});
    row("Transpose past ones", "Transpose", Inputs{Shape{2, 1, 1, 4}},
        List{ints("perm", {1, 0, 3, 2})});
    row("ReduceMax of one, dimension dropped", "ReduceMax", Inputs{Shape{2, 1}},
        List{ints("axes", {1}), integer("keepdims", 0)});
}

void PassingTest::handedOn()
{
    QFETCH(std::shared_ptr<OperatorCase>, call);
    const auto description = call->description();
    QVERIFY(inputHandedOn(description, call->call(), 0) == 0);
    QVERIFY(!inputReturned(description, call->call(), 0));
}

void PassingTest::runs_data()
{
    const Shape x = {2, 8, 6, 6}, one = {1, 8, 6, 6};
    const auto slice = [](std::int64_t begin, std::int64_t end, std::int64_t axis) {
        return std::array{Given::integers({begin}), Given::integers({end}),
                          Given::integers({axis})};
    };
    QTest::addColumn<std::shared_ptr<OperatorCase>>("call");
    QTest::addColumn<bool>("run");
    const auto add = [](const char *name, const char *op, Inputs inputs, bool run,
                        List attributes = {}) {
        QTest::newRow(name) << std::make_shared<OperatorCase>(op, std::move(inputs),
                                                              std::move(attributes))
                            << run;
    };
    const auto [b0, e0, a0] = slice(1, 2, 0);
    const auto [b1, e1, a1] = slice(2, 5, 1);
    add("outermost slice", "Slice", Inputs{x, b0, e0, a0}, true);
    add("slice behind a one", "Slice", Inputs{one, b1, e1, a1}, true);
    add("inner slice", "Slice", Inputs{x, b1, e1, a1}, false);
    add("slice of every other", "Slice",
        Inputs{Shape{8}, Given::integers({0}), Given::integers({8}), Given::integers({0}),
               Given::integers({2})},
        false);
    add("slice backwards", "Slice",
        Inputs{Shape{8}, Given::integers({-1}), Given::integers({INT64_MIN}), Given::integers({0}),
               Given::integers({-1})},
        false);
    add("all of it", "Reshape", Inputs{Shape{2, 6}, Given::integers({2, 6})}, true);
    add("Transpose", "Transpose", Inputs{x}, false, List{ints("perm", {0, 1, 3, 2})});
    add("Expand", "Expand", Inputs{Shape{1, 4}, Given::integers({2, 4})}, false);
    add("Relu", "Relu", Inputs{x}, false);
    add("Pad", "Pad", Inputs{Shape{4}, Given::integers({0, 1})}, false);
}

/// Neighbours that stay neighbours.
void PassingTest::runs()
{
    QFETCH(std::shared_ptr<OperatorCase>, call);
    QFETCH(bool, run);
    const auto input = inputRunHandedOn(call->description(), call->call(), 0);
    QCOMPARE(input.has_value(), run);
    QVERIFY(!run || *input == 0);
}

void PassingTest::changed_data()
{
    const Shape x = {2, 8, 6, 6};
    columns();
    row("Relu", "Relu", Inputs{x});
    row("Cast", "Cast", Inputs{x}, List{integer("to", 10)});
    row("Slice", "Slice", Inputs{x, Given::integers({1}), Given::integers({2})});
    row("Slice backwards", "Slice",
        Inputs{x, Given::integers({-1}), Given::integers({INT64_MIN}), Given::integers({1}),
               Given::integers({-1})});
    row("Pad that shifts", "Pad", Inputs{x, Given::integers({0, 0, 0, 1, 0, 0, 0, -1})});
    row("Transpose", "Transpose", Inputs{x}, List{ints("perm", {0, 1, 3, 2})});
    row("Expand", "Expand", Inputs{Shape{1, 4}, Given::integers({2, 4})});
    row("AveragePool that strides", "AveragePool", Inputs{x},
        List{ints("kernel_shape", {1, 1}), ints("strides", {2, 2})});
    row("AveragePool of four", "AveragePool", Inputs{x}, List{ints("kernel_shape", {2, 2})});
    row("Concat of two", "Concat", Inputs{x, x}, List{integer("axis", 1)});
    row("ReduceL2 of one", "ReduceL2", Inputs{Shape{2, 1}}, List{ints("axes", {1})});
    row("ReduceMean of two", "ReduceMean", Inputs{Shape{2, 2}}, List{ints("axes", {1})});
    row("Gather in order", "Gather", Inputs{Shape{2, 4}, Given::integers({0, 1})});
    row("times two", "Mul", Inputs{x, number(2)});
    row("one over", "Div", Inputs{number(1), x});
    row("zero minus", "Sub", Inputs{number(0), x});
    row("times one that widens", "Mul", Inputs{Shape{4}, Given(splatOf(1, {2, 1}))});
    row("times a weight of ones", "Mul", Inputs{x, Given(splatOf(1, {2, 8, 6, 6}))});
    row("CumSum of one", "CumSum", Inputs{Shape{2, 1}, Given::integers({1})});
}

void PassingTest::changed()
{
    QFETCH(std::shared_ptr<OperatorCase>, call);
    QVERIFY(!inputHandedOn(call->description(), call->call(), 0));
}

void PassingTest::expansions()
{
    const OperatorCase expand("Expand", {Shape{1, 4}, Given::integers({2, 4})});
    QVERIFY(isExpansion(expand.description(), expand.call()));
}

void PassingTest::positionsAreNotBroadcast()
{
    const OperatorCase triangle("Trilu", {Shape{3, 4}});
    QVERIFY(!isBroadcast(triangle.description(), triangle.call()));
    const OperatorCase sum("Add", {Shape{3, 4}, Shape{4}});
    QVERIFY(isBroadcast(sum.description(), sum.call()));
}

void PassingTest::partsAreNoExpansions()
{
    // One column of four: its one axis, too, reads from the first element on.
    const OperatorCase slice(
        "Slice", {Shape{2, 4}, Given::integers({0}), Given::integers({1}), Given::integers({1})});
    QVERIFY(!isBroadcast(slice.description(), slice.call()));
}

void PassingTest::readsOfMoreDimensionsAreAtOtherPlaces()
{
    // [i, 0] is read for [i]: the second dimension has no axis.
    const OperatorCase squeeze("Squeeze", {Shape{4, 1}, Given::integers({1})});
    QVERIFY(inputsOverwritable(squeeze.description(), squeeze.call()).empty());
    const OperatorCase relu("Relu", {Shape{4, 1}});
    QCOMPARE(inputsOverwritable(relu.description(), relu.call()), std::vector{0});
}

void PassingTest::permutationsAreTold()
{
    const auto of = [](const char *op, const std::vector<Given> &inputs,
                       std::vector<Attribute> attributes = {}) {
        return permutationOf(OperatorCase(op, inputs, std::move(attributes)).description());
    };
    using Permutation = std::vector<std::int64_t>;
    QCOMPARE(of("Transpose", {Shape{2, 3, 4}}, {ints("perm", {2, 0, 1})}), Permutation({2, 0, 1}));
    QCOMPARE(of("Transpose", {Shape{2, 3}}), Permutation({1, 0}));
    QCOMPARE(of("Identity", {Shape{2, 3}}), Permutation({0, 1}));
    QVERIFY(!of("Relu", {Shape{2, 3}}));
    QVERIFY(!of("Add", {Shape{2, 3}, Shape{2, 3}}));
    QVERIFY(!of("Reshape", {Shape{2, 3}, Given::integers({6})}));
    QVERIFY(!of("DepthToSpace", {Shape{1, 4, 2, 2}}, {Attribute{"blocksize", std::int64_t{2}}}));
}

GRAPHLOOM_TESTS(PassingTest)

} // namespace graphloom::test::passing_test

#include "passing_test.moc"

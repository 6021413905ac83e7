// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/stages/stage_runner.h"
#include "engine/ops/derive/analysis.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"
#include "tests/examples/example.h"
#include "tests/support/operator_case.h"
#include "tests/support/operator_run.h"

namespace graphloom::test::operator_test {

// [example]
/// y = x * scale, with one scale for each channel: what an entry of engine/ops/entries says.
Result<Description> scaleChannels(const Call &call)
{
    const Shape &x = call.shape(0);
    if (x.size() < 2 || call.shape(1) != Shape{x[1]})
        return call.refuse("it needs one scale for each channel of " + text(x));
    Stage stage;
    std::vector<Index> everywhere;
    for (int d = 0; d < int(x.size()); ++d) {
        stage.axes.push_back({"d" + std::to_string(d), x[std::size_t(d)], Axis::Kind::Space});
        everywhere.push_back(Index::axis(d));
    }
    stage.reads = {{{Operand::Kind::Input, 0}, everywhere},
                   {{Operand::Kind::Input, 1}, {Index::axis(1)}}};
    stage.write = everywhere;
    stage.body = Expr::load(0, call.type(0)) * Expr::load(1, call.type(0));
    return build::single(call.type(0), std::move(stage));
}

/// Domain, name, the operator set that it is of, how many inputs at least and at most, how many
/// outputs; and a typical call, which help, tests and `--list ops` use.
constexpr Operator entry =
    Operator{"example", "ScaleChannels", 1, 2, 2, 1, scaleChannels}.like("[2,8,6] w[8]");
// [/example]

class OperatorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everythingIsDerived()
    {
        const OperatorCase one("ScaleChannels", {Shape{1, 2, 2}, Given::weights({2})});
        auto description = entry.describe(one.call());
        QVERIFY(description);
        description->values[0].shape = shapeOf(*description, 0); // as describe() does for calls
        QCOMPARE(*mappingType(*description, 0, 0), MappingType::OneToOne);
        QCOMPARE(*mappingType(*description, 1, 0), MappingType::OneToMany);
        const TensorData x = floats({1, 2, 2}, {1, 2, 3, 4}), scale = floats({2}, {10, 100});
        const TensorData *inputs[] = {&x, &scale};
        const auto result = runStages(*description, one.call(), inputs);
        QVERIFY(result);
        QCOMPARE(textOf(result->front()), QString("float 1x2x2: 10 20 300 400"));
    }

    void whatItCannotBeIsRefused()
    {
        const OperatorCase one("ScaleChannels", {Shape{1, 2, 2}, Given::weights({3})});
        const auto description = entry.describe(one.call());
        QVERIFY(!description);
        QVERIFY(QString::fromStdString(description.error().message).contains("one scale for each"));
    }

    void contributingShowsIt() { QVERIFY(isInContributing(__FILE__)); }
};

GRAPHLOOM_TESTS(OperatorTest)

} // namespace graphloom::test::operator_test

#include "operator_test.moc"

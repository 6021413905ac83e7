// SPDX-License-Identifier: Apache-2.0
#include "engine/pass/pass.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <array>
#include <cmath>
#include <stdexcept>

namespace graphloom::test::pass_test {

namespace {

constexpr std::array<std::string_view, 3> colours = {"red", "green", "blue"};
const std::array<Parameter, 4> table = {{
    {.name = "ratio", .help = "A number.", .initial = 0.5, .least = 0, .most = 1},
    {.name = "count",
     .help = "A whole number.",
     .kind = Parameter::Kind::Integer,
     .initial = 3,
     .least = 1,
     .most = 10},
    {.name = "loud", .help = "Yes or no.", .kind = Parameter::Kind::Toggle, .most = 1},
    {.name = "colour",
     .help = "One of three.",
     .kind = Parameter::Kind::Choice,
     .initial = 1,
     .choices = colours},
}};

/// A pass that does what a function says.
class FunctionPass final : public Pass {
public:
    explicit FunctionPass(std::function<Result<Plan>(Plan, const Context &)> run)
        : m_run(std::move(run))
    {
    }
    std::string_view name() const override { return "tried"; }
    std::string_view help() const override { return "Does what the test says."; }
    std::span<const Parameter> parameters() const override { return table; }
    Result<Plan> run(Plan plan, const Context &context) const override
    {
        return m_run(std::move(plan), context);
    }

private:
    std::function<Result<Plan>(Plan, const Context &)> m_run;
};

Plan plan()
{
    return *initialPlan(graphloom::test::modelOf(graphloom::test::transformer(40)));
}

QString errorOf(const Result<void> &result)
{
    return result ? "none" : QString::fromStdString(result.error().text());
}

} // namespace

class PassTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void settingsHaveInitialValues();
    void settingsReadText();
    void settingsRefuse_data();
    void settingsRefuse();
    void settingsRefuseNumbers();
    void runPassRecords();
    void runPassFillsSettingsIn();
    void runPassRefusesSettingsOfAnotherPass();
    void runPassCatches();
    void runPassKeepsErrors();
    void runPassChecksPartitions();
    void progressNeverGoesBack();
    void initialPlanFolds();
};

void PassTest::settingsHaveInitialValues()
{
    const Settings settings(table);
    QCOMPARE(settings.real("ratio"), 0.5);
    QCOMPARE(settings.integer("count"), std::int64_t(3));
    QVERIFY(!settings.toggle("loud"));
    QCOMPARE(settings.integer("colour"), std::int64_t(1));
    QCOMPARE(settings.values().size(), std::size_t(4));
}

void PassTest::settingsReadText()
{
    Settings settings(table);
    QVERIFY(settings.set("ratio", "0.25"));
    QVERIFY(settings.set("count", "10"));
    QVERIFY(settings.set("loud", "true"));
    QVERIFY(settings.set("colour", "blue"));
    QCOMPARE(settings.real("ratio"), 0.25);
    QCOMPARE(settings.integer("count"), std::int64_t(10));
    QVERIFY(settings.toggle("loud"));
    QCOMPARE(settings.integer("colour"), std::int64_t(2));
    QVERIFY(settings.set("loud", "off"));
    QVERIFY(!settings.toggle("loud"));
    QVERIFY(settings.set("ratio", 1.0));
    QCOMPARE(settings.real("ratio"), 1.0);
}

void PassTest::settingsRefuse_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("reason");
    QTest::newRow("unknown") << "size"
                             << "1"
                             << "ratio, count, loud, colour";
    QTest::newRow("no number") << "ratio"
                               << "half"
                               << "a number from 0 to 1";
    QTest::newRow("half a number") << "ratio"
                                   << "0.5x"
                                   << "0.5x";
    QTest::newRow("empty") << "ratio"
                           << ""
                           << "ratio";
    QTest::newRow("not a number") << "ratio"
                                  << "nan"
                                  << "nan";
    QTest::newRow("too large") << "ratio"
                               << "1.5"
                               << "a number from 0 to 1, not 1.5";
    QTest::newRow("infinite") << "ratio"
                              << "inf"
                              << "inf";
    QTest::newRow("fraction") << "count"
                              << "2.5"
                              << "a whole number from 1 to 10";
    QTest::newRow("too small") << "count"
                               << "0"
                               << "from 1 to 10, not 0";
    QTest::newRow("toggle") << "loud"
                            << "maybe"
                            << "true or false";
    QTest::newRow("choice") << "colour"
                            << "pink"
                            << "one of red, green, blue";
}

void PassTest::settingsRefuse()
{
    QFETCH(QString, name);
    QFETCH(QString, value);
    QFETCH(QString, reason);
    Settings settings(table);
    const auto result = settings.set(name.toStdString(), std::string_view(value.toStdString()));
    QVERIFY(!result);
    QCOMPARE(int(result.error().kind), int(Error::Kind::Usage));
    QVERIFY2(errorOf(result).contains(reason), qPrintable(errorOf(result)));
    QVERIFY2(errorOf(result).contains("\"" + name + "\""), qPrintable(errorOf(result)));
    QCOMPARE(settings.values(), Settings(table).values());
}

void PassTest::settingsRefuseNumbers()
{
    Settings settings(table);
    QVERIFY(!settings.set("loud", 2.0));
    QVERIFY(!settings.set("colour", 3.0));
    QVERIFY(!settings.set("colour", -1.0));
    QVERIFY(!settings.set("count", 2.5));
    QVERIFY(!settings.set("ratio", std::nan("")));
}

void PassTest::runPassRecords()
{
    const FunctionPass pass([](Plan before, const Context &) -> Result<Plan> {
        before.history.push_back({});
        before.history.back().summary.push_back({"answer", std::int64_t(42)});
        return before;
    });
    Context context;
    context.settings = Settings(table);
    QVERIFY(context.settings.set("count", "7"));
    const auto once = runPass(pass, plan(), context);
    QVERIFY(once);
    const auto twice = runPass(pass, *once, context);
    QVERIFY(twice);
    QCOMPARE(twice->history.size(), std::size_t(2));
    const PassRecord &record = twice->history[1];
    QCOMPARE(record.pass, std::string("tried"));
    QVERIFY(record.seconds >= 0);
    QCOMPARE(record.settings[1], (std::pair<std::string, double>("count", 7)));
    QCOMPARE(record.summary[0].key, std::string("answer"));
    // A pass that has nothing to say gets its record, too.
    const FunctionPass silent([](Plan before, const Context &) -> Result<Plan> { return before; });
    QCOMPARE(runPass(silent, *twice, context)->history.size(), std::size_t(3));
}

void PassTest::runPassFillsSettingsIn()
{
    double seen = 0;
    const FunctionPass pass([&](Plan before, const Context &context) -> Result<Plan> {
        seen = context.settings.real("ratio");
        return before;
    });
    QVERIFY(runPass(pass, plan(), {}));
    QCOMPARE(seen, 0.5);
}

void PassTest::runPassRefusesSettingsOfAnotherPass()
{
    static const std::array<Parameter, 1> others = {{{.name = "depth", .help = "d", .most = 9}}};
    Context context;
    context.settings = Settings(others);
    const FunctionPass pass([](Plan before, const Context &) -> Result<Plan> { return before; });
    const auto result = runPass(pass, plan(), context);
    QVERIFY(!result);
    QCOMPARE(int(result.error().kind), int(Error::Kind::Usage));
}

void PassTest::runPassCatches()
{
    const FunctionPass throws(
        [](Plan, const Context &) -> Result<Plan> { throw std::runtime_error("out of luck"); });
    auto result = runPass(throws, plan(), {});
    QVERIFY(!result);
    QCOMPARE(int(result.error().kind), int(Error::Kind::Fault));
    QVERIFY(result.error().text().find("out of luck") != std::string::npos);
    QVERIFY(result.error().text().find("tried") != std::string::npos);
    const FunctionPass odd([](Plan, const Context &) -> Result<Plan> { throw 7; });
    result = runPass(odd, plan(), {});
    QVERIFY(!result);
    QCOMPARE(int(result.error().kind), int(Error::Kind::Fault));
}

void PassTest::runPassKeepsErrors()
{
    const FunctionPass fails([](Plan, const Context &) -> Result<Plan> {
        return fail(Error::Kind::Model, "too large");
    });
    const auto result = runPass(fails, plan(), {});
    QVERIFY(!result);
    QCOMPARE(int(result.error().kind), int(Error::Kind::Model));
    QCOMPARE(result.error().message, std::string("too large"));
}

void PassTest::progressNeverGoesBack()
{
    std::vector<double> seen;
    Context context;
    context.progress = [&](double done, std::string_view) { seen.push_back(done); };
    const FunctionPass pass([](Plan plan, const Context &own) -> Result<Plan> {
        for (const double done : {0.1, 0.72, 0.4, 0.82})
            own.progress(done, "searching");
        return plan;
    });
    QVERIFY(runPass(pass, plan(), context));
    QCOMPARE(seen, (std::vector{0.1, 0.72, 0.72, 0.82}));
}

void PassTest::runPassChecksPartitions()
{
    for (const bool baseline : {false, true}) {
        const FunctionPass pass([&](Plan before, const Context &) -> Result<Plan> {
            auto partition = std::make_shared<Partition>(); // holds no node
            partition->index(before.graph);
            (baseline ? before.baselinePartition : before.partition) = partition;
            return before;
        });
        const auto result = runPass(pass, plan(), {});
        QVERIFY(!result);
        QCOMPARE(int(result.error().kind), int(Error::Kind::Fault));
        QVERIFY(result.error().message.find("not in any subgraph") != std::string::npos);
    }
}

void PassTest::initialPlanFolds()
{
    // x -> Add(x, Add(1, 2)): the inner sum depends on constants alone.
    GraphEditor editor;
    Tensor value;
    value.type = DataType::Int64;
    value.shape = Shape{};
    value.name = "x";
    const TensorId x = editor.addTensor(value), sum = editor.addTensor(value),
                   y = editor.addTensor(value);
    const TensorId one = editor.addTensor(Tensor::of("one", TensorData::scalar(1)));
    const TensorId two = editor.addTensor(Tensor::of("two", TensorData::scalar(2)));
    editor.setInputs({x});
    Node add;
    add.op = "Add";
    add.inputs = {one, two};
    add.outputs = {sum};
    editor.addNode(add);
    add.inputs = {x, sum};
    add.outputs = {y};
    editor.addNode(add);
    editor.setOutputs({y});
    const auto model = graphloom::test::modelOf(*std::move(editor).finish());
    const auto first = initialPlan(model);
    QVERIFY(first);
    QCOMPARE(first->model, model);
    QCOMPARE(first->graph.nodeCount(), std::size_t(1));
    const Node &left = first->graph.node(first->graph.order()[0]);
    QCOMPARE(first->graph.tensor(left.inputs[1]).constant->integer(0), std::int64_t(3));
    QVERIFY(!first->partition);
    QVERIFY(first->history.empty());
}

GRAPHLOOM_TESTS(PassTest)

} // namespace graphloom::test::pass_test

#include "pass_test.moc"

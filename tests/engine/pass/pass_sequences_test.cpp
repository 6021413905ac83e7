// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/import.h"
#include "engine/onnx_export/export.h"
#include "engine/ops/derive/infer.h"
#include "engine/pass/graph_change.h"
#include "engine/pass/plugins.h"
#include "engine/plan/plan_check.h"
#include "engine/verify/verify.h"
#include "tests/support/exported_structure.h"
#include "tests/support/magis_networks.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace graphloom::test::pass_sequences_test {

namespace {

/// The three passes of the build, by name.
const std::vector<PassPlugin> &passes()
{
    static const auto plugins = loadPassPlugins(GRAPHLOOM_PLUGINS);
    return plugins;
}

/// So many states, and no limit in time: the result depends on the seed alone.
Context contextOf(const Pass &pass)
{
    Context context;
    context.settings = Settings(pass.parameters(), pass.rules());
    const std::map<std::string_view, double> budgets = {
        {"seconds", 0}, {"states", 24}, {"search", 4}};
    for (const Parameter &parameter : pass.parameters())
        if (const auto budget = budgets.find(parameter.name); budget != budgets.end())
            if (auto set = context.settings.set(parameter.name, budget->second); !set)
                qFatal("%s", set.error().text().c_str());
    context.threads = 1;
    context.seed = 1;
    context.objective.mode = Objective::Mode::Memory;
    return context;
}

const std::map<QString, Graph> &models()
{
    static const std::map<QString, Graph> graphs = {{"perceptron", test::perceptron()},
                                                    {"convolutions", test::depthwise()},
                                                    {"u-net", test::unet()},
                                                    {"attention", test::attentionBlock()}};
    return graphs;
}

} // namespace

/// Passes one after the other, in every order: what one has made of a graph does not outlive the
/// graph, and what comes out fits together, runs and can be read back.
class PassSequencesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void everyOrder_data();
    void everyOrder();
    void whatIsLostIsSaidBefore();

private:
    void follow(const Plan &plan, const QString &before, int left);
    void look(const Plan &plan, const QString &sequence);

    QTemporaryDir m_folder;
    int m_sequences = 0, m_changed = 0;
};

void PassSequencesTest::initTestCase()
{
    QVERIFY(m_folder.isValid());
    QCOMPARE(passes().size(), std::size_t(4));
    for (const PassPlugin &plugin : passes())
        QVERIFY2(plugin.pass, plugin.problem.c_str());
    QCOMPARE(models().size(), std::size_t(4));
}

void PassSequencesTest::everyOrder_data()
{
    QTest::addColumn<QString>("model");
    for (const auto &[name, graph] : models())
        QTest::newRow(qPrintable(name)) << name;
}

void PassSequencesTest::everyOrder()
{
    QFETCH(QString, model);
    m_sequences = m_changed = 0;
    auto plan = initialPlan(test::modelOf(models().at(model)));
    QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
    follow(*plan, "", 3);
    const int count = int(passes().size());
    QCOMPARE(m_sequences, count + count * count + count * count * count);
    QVERIFY(m_changed > 0); // a graph that plans had been made for
}

void PassSequencesTest::follow(const Plan &plan, const QString &before, int left)
{
    for (const PassPlugin &plugin : passes()) {
        const QString sequence = before + (before.isEmpty() ? "" : ", ") +
                                 QString::fromStdString(plugin.pass->name().data());
        Context context = contextOf(*plugin.pass);
        QString published;
        context.publish = [&](const std::shared_ptr<const Plan> &snapshot) {
            if (auto checked = checkPlan(*snapshot); !checked)
                published = QString::fromStdString(checked.error().text());
        };
        auto result = runPass(*plugin.pass, plan, context);
        QVERIFY2(result,
                 qPrintable(sequence + ": " + (result ? "" : result.error().text().c_str())));
        QVERIFY2(published.isEmpty(), qPrintable(sequence + ": " + published));
        ++m_sequences;
        m_changed += !partsOfGraph(plan).empty() && !isSameGraph(plan.graph, result->graph);
        look(*result, sequence);
        if (QTest::currentTestFailed())
            return;
        if (left > 1)
            follow(*result, sequence, left - 1);
        if (QTest::currentTestFailed())
            return;
    }
}

/// Computes the same as the model, and so does its export, which has what the plan had.
void PassSequencesTest::look(const Plan &plan, const QString &sequence)
{
    const auto reason = [&](const Error &error) {
        return (sequence + ": " + QString::fromStdString(error.text())).toUtf8();
    };
    const auto file = std::filesystem::path(m_folder.filePath("out.onnx").toStdString());
    auto exported = exportOnnx(plan, file);
    QVERIFY2(exported, exported ? "" : reason(exported.error()).constData());
    auto model = importOnnx(file);
    QVERIFY2(model, model ? "" : reason(model.error()).constData());
    auto again = importPlan(std::make_shared<const Model>(*std::move(model)));
    QVERIFY2(again, again ? "" : reason(again.error()).constData());
    for (const std::string &defect : test::structuralDefects(plan, file))
        QFAIL(qPrintable(sequence + ": " + defect.c_str()));
    constexpr double inHalf = 1e-2; // tolerance of half precision
    const Opsets opsets = opsetsOf(*plan.model);
    auto verified = verify({{"model", plan.model->graph, opsets},
                            {"result", plan.graph, opsets},
                            {"export", again->model->graph, opsetsOf(*again->model)}},
                           {.tolerance = sequence.contains("half") ? inHalf : 1e-4, .threads = 1});
    QVERIFY2(verified && *verified, verified ? "stopped" : reason(verified.error()).constData());
    QVERIFY2((*verified)->passed, qPrintable(sequence + ": " + (*verified)->message.c_str()));
}

void PassSequencesTest::whatIsLostIsSaidBefore()
{
    const auto named = [](std::string_view name) {
        return std::ranges::find_if(
                   passes(), [&](const PassPlugin &plugin) { return plugin.pass->name() == name; })
            ->pass;
    };
    const auto ago = named("ago"), magis = named("magis");
    auto plan = initialPlan(test::modelOf(models().at("u-net")));
    QVERIFY(plan);
    Context context = contextOf(*magis);
    QCOMPARE(lossBy(*magis, context.settings, *plan), std::string()); // there is nothing to lose
    plan = runPass(*ago, *plan, contextOf(*ago));
    QVERIFY(plan);
    QCOMPARE(lossBy(*magis, context.settings, *plan),
             std::string("magis may change the graph, which discards these parts of the plan: "
                         "partition, fusion blocks, layouts"));
    QCOMPARE(lossBy(*ago, contextOf(*ago).settings, *plan),
             std::string("ago replaces these parts of the plan: partition, fusion blocks, "
                         "layouts"));
    auto result = runPass(*magis, *plan, context);
    QVERIFY(result);
    QCOMPARE(result->history.back().summary.back().key, std::string("dropped"));
    QCOMPARE(std::get<std::string>(result->history.back().summary.back().value),
             std::string("partition, fusion blocks, layouts"));
    // A graph that is only described stays, and so does what is known of it.
    QVERIFY(context.settings.set("largest-graph", 0.0));
    result = runPass(*magis, *plan, context);
    QVERIFY(result);
    QVERIFY(result->partition && result->fusion && result->layouts);
}

GRAPHLOOM_TESTS(PassSequencesTest)

} // namespace graphloom::test::pass_sequences_test

#include "pass_sequences_test.moc"

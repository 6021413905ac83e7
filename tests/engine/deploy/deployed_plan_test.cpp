// SPDX-License-Identifier: Apache-2.0
#include "engine/deploy/deployed_build.h"

#include "engine/connection/emulator_connection.h"
#include "engine/deploy/deployed_plan.h"
#include "engine/interpreter/compare.h"
#include "engine/interpreter/interpreter.h"
#include "tests/support/board.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/small_network.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <thread>

namespace graphloom::test::deployed_plan_test {

/// Plans for this machine's own processor, sent and run as for another one.
class DeployedPlanTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void outputsAreThoseOfTheInterpreter_data();
    void outputsAreThoseOfTheInterpreter();
    void otherInputsGiveOtherOutputs();
    void wrongInputsAreRefused();
    void devicesMeasure();
    void emulatorsDoNotMeasure();
    void aDeviceThatDisappearsKeepsThePlan();
    void indicesOutOfRangeAreErrorsOfTheModel();
    void blocksWithoutKernelAreRefused();

private:
    /// Builds a plan for the other end of a connection.
    Result<std::shared_ptr<BuiltPlan>> built(const Plan &plan,
                                             std::shared_ptr<Connection> connection)
    {
        BuildOptions options;
        Toolchain toolchain(*findCCompiler(), m_folder.filePath("cache").toStdString(),
                            options.tell);
        DeployedBuild build{toolchain,
                            std::move(connection),
                            scheduleTargetOf(testedSet(), 2),
                            {},
                            devices().front()};
        build.content.device = "test";
        build.content.instructions = &testedSet();
        return buildDeployed(plan, build, options);
    }
    /// Builds the network for a board, with inputs; null if that fails.
    std::shared_ptr<BuiltPlan> readyOn(const Board &board)
    {
        const Plan plan = smallNetwork();
        const auto made = built(plan, board.connection());
        return made && (*made)->setInputs(*randomInputs(plan.graph, 1)) ? *made : nullptr;
    }
    /// An emulator that runs programs as they are.
    static std::shared_ptr<Connection> here() { return emulatorConnection({"env"}); }

    QTemporaryDir m_folder;
};

void DeployedPlanTest::initTestCase()
{
    if (!findCCompiler())
        QSKIP("needs gcc or clang");
    if (const std::string reason = whyNotRun(); !reason.empty())
        QSKIP(reason.c_str());
}

void DeployedPlanTest::outputsAreThoseOfTheInterpreter_data()
{
    QTest::addColumn<int>("kind");
    QTest::newRow("here") << -1;
    QTest::newRow("ssh") << int(Board::Kind::Ssh);
    QTest::newRow("adb") << int(Board::Kind::Adb);
}

void DeployedPlanTest::outputsAreThoseOfTheInterpreter()
{
    QFETCH(int, kind);
    std::unique_ptr<Board> board;
    if (kind >= 0) {
        board = std::make_unique<Board>(Board::Kind(kind));
        if (!board->problem().empty())
            QSKIP(board->problem().c_str());
    }
    const Plan plan = smallNetwork();
    const auto made = built(plan, board ? board->connection() : here());
    QVERIFY2(made, made ? "" : made.error().text().c_str());
    const auto inputs = *randomInputs(plan.graph, 1);
    const auto set = (*made)->setInputs(inputs);
    QVERIFY2(set, set ? "" : set.error().text().c_str());
    const auto ran = (*made)->runOnce();
    QVERIFY2(ran, ran ? "" : ran.error().text().c_str());
    const auto outputs = (*made)->outputs();
    QVERIFY2(outputs, outputs ? "" : outputs.error().text().c_str());
    const auto expected = *interpret(plan.graph, opsetsOf(*plan.model), inputs);
    QCOMPARE(outputs->size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        QVERIFY(compare(expected[i], (*outputs)[i]).maxRelError < 1e-5);
}

void DeployedPlanTest::otherInputsGiveOtherOutputs()
{
    const Plan plan = smallNetwork();
    const auto made = built(plan, here());
    QVERIFY(made);
    std::vector<std::vector<TensorData>> results;
    for (const std::uint64_t seed : {1, 2}) {
        QVERIFY((*made)->setInputs(*randomInputs(plan.graph, seed)));
        QVERIFY((*made)->runOnce());
        results.push_back(*(*made)->outputs());
    }
    QVERIFY(compare(results[0][0], results[1][0]).maxRelError > 1e-3);
}

void DeployedPlanTest::wrongInputsAreRefused()
{
    const auto made = built(smallNetwork(), here());
    QVERIFY(made);
    const auto few = (*made)->setInputs({});
    QVERIFY(!few);
    QCOMPARE(int(few.error().kind), int(Error::Kind::Usage));
    const auto other = (*made)->setInputs({numbered({1, 3, 9, 8}), numbered({1, 8, 9, 9})});
    QVERIFY(!other);
    QVERIFY(other.error().text().find("input \"x\"") != std::string::npos);
}

void DeployedPlanTest::devicesMeasure()
{
    Board board(Board::Kind::Ssh);
    if (!board.problem().empty())
        QSKIP(board.problem().c_str());
    const auto made = readyOn(board);
    QVERIFY(made);
    MeasureOptions options;
    options.runs = 7;
    const auto measured = measureDeployed(std::span(&made, 1), options);
    QVERIFY2(measured, measured ? "" : measured.error().text().c_str());
    const Measurement &of = measured->front();
    QCOMPARE(int(of.provenance), int(Provenance::Device));
    QCOMPARE(of.runs, 7);
    QCOMPARE(of.steps.size(), made->steps().size());
    QVERIFY(of.whole.min > 0 && of.whole.min <= of.whole.median);
}

void DeployedPlanTest::emulatorsDoNotMeasure()
{
    const auto made = built(smallNetwork(), here());
    QVERIFY(made);
    const auto measured = measureDeployed(std::span(&*made, 1), {});
    QVERIFY(measured);
    QCOMPARE(int(measured->front().provenance), int(Provenance::Modelled));
    QCOMPARE(measured->front().whole.min, measured->front().whole.p95);
}

void DeployedPlanTest::aDeviceThatDisappearsKeepsThePlan()
{
    Board board(Board::Kind::Ssh);
    if (!board.problem().empty())
        QSKIP(board.problem().c_str());
    const auto made = readyOn(board);
    QVERIFY(made);
    board.disappear();
    const auto ran = made->runOnce();
    QVERIFY(!ran);
    QCOMPARE(int(ran.error().kind), int(Error::Kind::Missing));
    QVERIFY(ran.error().text().find("127.0.0.1") != std::string::npos);
}

void DeployedPlanTest::indicesOutOfRangeAreErrorsOfTheModel()
{
    GraphMaker maker;
    const TensorId table = maker.constant("table", numbered({5, 4}));
    const TensorId x = maker.input("x", {Dim(3)});
    Tensor declared;
    declared.name = "whole";
    declared.type = DataType::Int64;
    declared.shape = Shape{Dim(3)};
    const TensorId whole = maker.editor.addTensor(std::move(declared));
    Node cast;
    cast.op = cast.name = "Cast";
    cast.inputs = {x};
    cast.outputs = {whole};
    cast.attributes = Attributes({{"to", std::int64_t(7)}});
    maker.nodes.push_back(maker.editor.addNode(std::move(cast)));
    const TensorId rows = maker.call("Gather", {table, whole}, {Dim(3), Dim(4)});
    const Plan plan = unfusedPlanOf(maker.finish({rows}));
    const auto made = built(plan, here());
    QVERIFY2(made, made ? "" : made.error().text().c_str());
    QVERIFY((*made)->setInputs(
        {TensorData::fromValues<float>(DataType::Float, {3}, std::vector<float>{0, 1, 9})}));
    const auto ran = (*made)->runOnce();
    QVERIFY(!ran);
    QCOMPARE(int(ran.error().kind), int(Error::Kind::Model));
}

void DeployedPlanTest::blocksWithoutKernelAreRefused()
{
    const auto made = built(smallNetwork(true), here());
    QVERIFY(!made);
    QCOMPARE(int(made.error().kind), int(Error::Kind::Model));
}

GRAPHLOOM_TESTS(DeployedPlanTest)

} // namespace graphloom::test::deployed_plan_test

#include "deployed_plan_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/session.h"

#include "engine/pass/device_parameter.h"
#include "tests/support/app/window_driver.h"

#include <QSignalSpy>

#include <array>
#include <atomic>
#include <fstream>
#include <thread>

namespace graphloom::test::session_test {

using Change = Session::Change;

namespace {

std::shared_ptr<const Pass> scripted(test::ScriptedPass::Body body)
{
    return std::make_shared<test::ScriptedPass>(std::move(body));
}

/// A plan with every node in one subgraph of its own.
Plan partitioned(Plan plan)
{
    auto partition = std::make_shared<Partition>();
    partition->method = "single nodes";
    partition->subgraphOf.assign(plan.graph.nodeBound(), Partition::none);
    for (const NodeId id : plan.graph.order()) {
        partition->subgraphOf[id.index] = std::uint32_t(partition->subgraphs.size());
        partition->subgraphs.push_back({{id}, 1});
    }
    plan.partition = std::move(partition);
    return plan;
}

Result<Plan> partition(Plan plan, const Context &)
{
    return partitioned(std::move(plan));
}

/// Waits for the stop, as a search does that has a plan already.
Result<Plan> untilStopped(Plan plan, const Context &context)
{
    while (!context.stop.stop_requested())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return partitioned(std::move(plan));
}

/// Implements a pass that plans for the device of the plan, and changes nothing.
class PlanningPass final : public Pass {
public:
    std::string_view name() const override { return "planning"; }
    std::string_view help() const override { return "Needs a device."; }
    std::span<const Parameter> parameters() const override
    {
        static const std::array all = {deviceParameter("Device that is not looked at.")};
        return all;
    }
    Result<Plan> run(Plan plan, const Context &) const override { return plan; }
};

} // namespace

class SessionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_session = std::make_unique<Session>();
        m_session->open(test::sample("bert_tiny.onnx"));
        QVERIFY(waitForOpening());
        QVERIFY(m_session->snapshot());
    }

    void openingShowsTheModel()
    {
        QCOMPARE(m_session->path(), test::sample("bert_tiny.onnx"));
        QVERIFY(m_session->snapshot()->graph().nodeCount() > 10);
        QVERIFY(m_session->messages().index(0).data().toString().startsWith(
            QStringLiteral("Opened bert_tiny.onnx: ")));
    }

    void aRefusedFileLeavesWhatIsOpen()
    {
        const QTemporaryDir folder;
        const std::filesystem::path broken =
            std::filesystem::path(folder.path().toStdString()) / "broken.onnx";
        std::ofstream(broken) << "this is no model";
        const SnapshotPointer before = m_session->snapshot();
        QSignalSpy failed(m_session.get(), &Session::failed),
            changed(m_session.get(), &Session::snapshotChanged);
        m_session->open(broken);
        QVERIFY(waitForOpening());
        QCOMPARE(failed.size(), 1);
        QCOMPARE(changed.size(), 0);
        QCOMPARE(m_session->snapshot(), before);
        QCOMPARE(m_session->path(), test::sample("bert_tiny.onnx"));
        const QModelIndex message = m_session->messages().index(0);
        QCOMPARE(message.data(MessageModel::SeverityRole).toInt(),
                 int(MessageModel::Severity::Error));
        QVERIFY2(message.data().toString().startsWith(QStringLiteral("Cannot open broken.onnx: ")),
                 qPrintable(message.data().toString()));
        QCOMPARE(message.data(MessageModel::DetailsRole).toString(), QString());
    }

    void theNewestOpeningWins()
    {
        QSignalSpy changed(m_session.get(), &Session::snapshotChanged);
        m_session->open(test::sample("mobilenet_v2_224.onnx"));
        m_session->open(test::sample("shufflenet_v2_x1_0_224.onnx"));
        QVERIFY(waitForOpening());
        QTest::qWait(100);
        QCOMPARE(changed.size(), 1);
        QCOMPARE(m_session->path(), test::sample("shufflenet_v2_x1_0_224.onnx"));
    }

    void openingCanBeCancelled()
    {
        QSignalSpy finished(m_session.get(), &Session::openingFinished);
        m_session->open(test::sample("mobilenet_v2_224.onnx"));
        m_session->cancel();
        QVERIFY(finished.wait(test::patience));
        QCOMPARE(finished[0][0].toBool(), false);
        QCOMPARE(m_session->path(), test::sample("bert_tiny.onnx"));
        QCOMPARE(m_session->messages().index(0).data().toString(),
                 QStringLiteral("Opening mobilenet_v2_224.onnx cancelled"));
    }

    void closingEndsAnOpening()
    {
        QSignalSpy finished(m_session.get(), &Session::openingFinished);
        m_session->open(test::sample("mobilenet_v2_224.onnx"));
        m_session->close();
        QCOMPARE(finished.size(), 1);
        QTest::qWait(200);
        QVERIFY(!m_session->snapshot());
        QVERIFY(m_session->path().empty());
    }

    void aPassIsAnEntryOfTheUndoStack()
    {
        const SnapshotPointer before = m_session->snapshot();
        QVERIFY(run(scripted(partition)));
        const SnapshotPointer after = m_session->snapshot();
        QVERIFY(after != before && after->partition);
        QCOMPARE(after->facts, before->facts); // the graph is the same: nothing is described again
        QCOMPARE(m_session->undoStack().undoText(), QStringLiteral("scripted"));
        m_session->undoStack().undo();
        QCOMPARE(m_session->snapshot(), before);
        m_session->undoStack().redo();
        QCOMPARE(m_session->snapshot(), after);
    }

    void openingForgetsTheUndoStack()
    {
        QVERIFY(run(scripted(partition)));
        m_session->open(test::sample("mobilenet_v2_224.onnx"));
        QVERIFY(waitForOpening());
        QVERIFY(!m_session->undoStack().canUndo());
    }

    void settingsReachThePass()
    {
        double seen = 0;
        const auto pass = scripted([&seen](Plan plan, const Context &context) -> Result<Plan> {
            seen = context.settings.real("ratio");
            return plan;
        });
        Settings settings(pass->parameters());
        QVERIFY(settings.set("ratio", 0.5));
        QVERIFY(run(pass, settings));
        QCOMPARE(seen, 0.5);
    }

    void aFailedPassChangesNothing()
    {
        const SnapshotPointer before = m_session->snapshot();
        QVERIFY(!run(scripted([](Plan, const Context &) -> Result<Plan> {
            return fail(Error::Kind::Fault, "no idea how");
        })));
        QCOMPARE(m_session->snapshot(), before);
        QVERIFY(!m_session->undoStack().canUndo());
        QVERIFY(m_session->messages().index(0).data().toString().contains(
            QStringLiteral("no idea how")));
    }

    void aPassThatThrowsChangesNothing()
    {
        QVERIFY(!run(scripted(
            [](Plan, const Context &) -> Result<Plan> { throw std::runtime_error("thrown"); })));
        QVERIFY(
            m_session->messages().index(0).data().toString().contains(QStringLiteral("thrown")));
        // Where, for whoever repairs it, but without the folder in which the program was built.
        const QString details =
            m_session->messages().index(0).data(MessageModel::DetailsRole).toString();
        QVERIFY2(details.startsWith(QStringLiteral("Internal error at ")) && !details.contains('/'),
                 qPrintable(details));
    }

    /// What describes the device for a pass runs on its thread, but not in the pass.
    void aDeviceThatThrowsChangesNothing()
    {
        m_session->runs().setDevice(
            [](const TimingLimits &, const CallTimers &) -> Result<PlannedDevice> {
                throw std::bad_alloc();
            });
        const SnapshotPointer before = m_session->snapshot();
        QVERIFY(!run(std::make_shared<PlanningPass>()));
        QCOMPARE(m_session->snapshot(), before);
        QVERIFY(
            m_session->messages().index(0).data().toString().contains(QStringLiteral("memory")));
    }

    void aCancelledPassKeepsItsBestPlan()
    {
        start(scripted(untilStopped));
        QVERIFY(m_session->isRunning());
        QSignalSpy finished(m_session.get(), &Session::passFinished);
        m_session->cancel();
        QVERIFY(finished.wait(test::patience));
        QVERIFY(m_session->snapshot()->partition);
        QVERIFY(m_session->undoStack().canUndo());
        QVERIFY(m_session->messages().index(0).data().toString().contains(
            QStringLiteral("cancelled: the best plan so far is shown")));
    }

    void progressArrives()
    {
        QSignalSpy progress(m_session.get(), &Session::passProgress);
        start(scripted([](Plan plan, const Context &context) {
            context.progress(0.5, "half of it");
            return untilStopped(std::move(plan), context);
        }));
        QVERIFY(progress.wait(test::patience));
        QCOMPARE(progress[0][0].toDouble(), 0.5);
        QCOMPARE(progress[0][1].toString(), QStringLiteral("half of it"));
    }

    void snapshotsArriveWhileThePassRuns()
    {
        const SnapshotPointer before = m_session->snapshot();
        QSignalSpy changed(m_session.get(), &Session::snapshotChanged);
        start(scripted([](Plan plan, const Context &context) {
            context.publish(std::make_shared<const Plan>(partitioned(plan)));
            return untilStopped(std::move(plan), context);
        }));
        QVERIFY(changed.wait(test::patience));
        QCOMPARE(changed[0][1].value<Change>(), Change::Live);
        QVERIFY(changed[0][0].value<SnapshotPointer>()->partition);
        QCOMPARE(m_session->snapshot(), before); // it is a view of the work, no result
    }

    void snapshotsAreThinnedOut()
    {
        QSignalSpy changed(m_session.get(), &Session::snapshotChanged);
        QVERIFY(run(scripted([](Plan plan, const Context &context) -> Result<Plan> {
            const auto shown = std::make_shared<const Plan>(partitioned(plan));
            for (int i = 0; i < 10'000; ++i)
                context.publish(shown);
            return plan;
        })));
        QVERIFY2(changed.size() < 100, qPrintable(QString::number(changed.size())));
    }

    void openingGivesUpARunningPass()
    {
        start(scripted([](Plan plan, const Context &context) {
            context.publish(std::make_shared<const Plan>(partitioned(plan)));
            return untilStopped(std::move(plan), context);
        }));
        QSignalSpy finished(m_session.get(), &Session::passFinished);
        m_session->open(test::sample("mobilenet_v2_224.onnx"));
        QVERIFY(waitForOpening());
        QCOMPARE(finished.size(), 1);
        QCOMPARE(finished[0][0].toBool(), false);
        QTest::qWait(200);
        QVERIFY(!m_session->snapshot()->partition);
        QVERIFY(!m_session->undoStack().canUndo());
        QCOMPARE(finished.size(), 1);
    }

    void aRefusedFileLeavesThePassAtWork()
    {
        start(scripted(untilStopped));
        m_session->open("/no/such/file.onnx");
        QVERIFY(waitForOpening());
        QVERIFY(m_session->isRunning());
        QSignalSpy finished(m_session.get(), &Session::passFinished);
        m_session->cancel();
        QVERIFY(finished.wait(test::patience));
        QVERIFY(m_session->snapshot()->partition);
    }

    void previewsAreTakenBackWhenAPassIsLeft()
    {
        QSignalSpy changed(m_session.get(), &Session::snapshotChanged);
        start(scripted([](Plan plan, const Context &context) {
            context.publish(std::make_shared<const Plan>(partitioned(plan)));
            return untilStopped(std::move(plan), context);
        }));
        QVERIFY(changed.wait(test::patience));
        m_session->leave(1);
        QCOMPARE(changed.last()[0].value<SnapshotPointer>(), m_session->snapshot());
        QCOMPARE(changed.last()[1].value<Change>(), Change::Planned);
    }

    void whatAGivenUpPassStillSaysIsDropped()
    {
        // It publishes when told to stop: then the next pass is at work.
        const auto said = std::make_shared<std::atomic<bool>>(false);
        start(scripted([said](Plan plan, const Context &context) -> Result<Plan> {
            while (!context.stop.stop_requested())
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            std::this_thread::sleep_for(std::chrono::milliseconds(150));
            context.publish(std::make_shared<const Plan>(partitioned(plan)));
            *said = true;
            return plan;
        }));
        const auto plan = m_session->snapshot()->plan;
        m_session->show(plan);
        QVERIFY(waitForOpening());
        start(scripted(untilStopped));
        QSignalSpy changed(m_session.get(), &Session::snapshotChanged);
        QVERIFY(QTest::qWaitFor([&] { return said->load(); }, test::patience));
        QTest::qWait(100);
        QCOMPARE(changed.size(), 0);
    }

    void onlyOnePassRunsAtATime()
    {
        start(scripted(untilStopped));
        QSignalSpy started(m_session.get(), &Session::passStarted);
        m_session->run({.pass = scripted(partition),
                        .settings = Settings(test::ScriptedPass(partition).parameters())});
        QCOMPARE(started.size(), 0);
    }

    void closingShowsNothing()
    {
        QSignalSpy changed(m_session.get(), &Session::snapshotChanged);
        m_session->close();
        QCOMPARE(changed.size(), 1);
        QVERIFY(!changed[0][0].value<SnapshotPointer>());
        QVERIFY(m_session->path().empty());
    }

    void dotFilesOpenToo()
    {
        const QTemporaryDir folder;
        const std::filesystem::path file =
            std::filesystem::path(folder.path().toStdString()) / "small.DOT";
        std::ofstream(file) << "digraph g { a [label=\"Conv\"]; a -> b; a -> c; b -> d; c -> d }";
        m_session->open(file);
        QVERIFY(waitForOpening());
        QCOMPARE(m_session->path(), file);
        QCOMPARE(m_session->snapshot()->graph().nodeCount(), std::size_t(4));
    }

    void theSessionEndsWhileAPassRuns()
    {
        start(scripted(untilStopped));
        m_session.reset();
        QVERIFY(!m_session); // its thread was stopped and joined
    }

private:
    bool waitForOpening()
    {
        return QTest::qWaitFor([this] { return !m_session->isOpening(); }, test::patience);
    }
    void start(const std::shared_ptr<const Pass> &pass)
    {
        m_session->run({.pass = pass, .settings = Settings(pass->parameters())});
    }
    /// Whether it succeeded.
    bool run(const std::shared_ptr<const Pass> &pass, std::optional<Settings> settings = {})
    {
        QSignalSpy finished(m_session.get(), &Session::passFinished);
        m_session->run({.pass = pass, .settings = settings.value_or(Settings(pass->parameters()))});
        return finished.wait(test::patience) && finished[0][0].toBool();
    }

    std::unique_ptr<Session> m_session;
};

GRAPHLOOM_WINDOW_TESTS(SessionTest)

} // namespace graphloom::test::session_test

#include "session_test.moc"

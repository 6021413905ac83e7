// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/session.h"

#include "engine/pass/plugins.h"
#include "tests/support/app/window_driver.h"

#include <QSignalSpy>
#include <QTemporaryDir>

#include <atomic>

namespace graphloom::test::session_runs_test {

using Change = Session::Change;

namespace {

RunRequest request(test::ScriptedPass::Body body)
{
    auto pass = std::make_shared<const test::ScriptedPass>(std::move(body));
    const Settings settings(pass->parameters(), pass->rules());
    return {.pass = pass, .settings = settings};
}

/// A run of the plugin whose passes go wrong, in a process of its own.
RunRequest faulty(std::string_view how)
{
    const auto file = std::filesystem::path(GRAPHLOOM_FAULTY_PLUGINS) / "faulty_pass.so";
    const PassPlugin plugin = loadPassPlugin(file);
    RunRequest made{.pass = plugin.pass, .library = file};
    made.settings = Settings(plugin.pass->parameters());
    if (auto set = made.settings.set("how", how); !set)
        qFatal("%s", set.error().text().c_str());
    return made;
}

std::size_t subgraphsOf(const SnapshotPointer &snapshot)
{
    return snapshot->plan->partition ? snapshot->plan->partition->subgraphs.size() : 0;
}

} // namespace

class SessionRunsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_session = std::make_unique<Session>();
        m_session->open(test::sample("bert_tiny.onnx"));
        QVERIFY(QTest::qWaitFor([this] { return !m_session->isOpening(); }, test::patience));
        QVERIFY(m_session->snapshot());
    }

    void aRunIsInTheList()
    {
        RunRequest wanted = request(test::splitUntilStopped);
        wanted.seed = 3;
        m_session->run(std::move(wanted));
        QCOMPARE(runs().runs().size(), std::size_t{1});
        const PassRun &run = *runs().runs().front();
        QCOMPARE(run.number, 1);
        QCOMPARE(run.name(), QStringLiteral("scripted"));
        QCOMPARE(run.settings(), QStringLiteral("seed 3"));
        QVERIFY(run.followed && run.isActive());
        QTRY_VERIFY_WITH_TIMEOUT(runs().find(1)->latest, test::patience);
        m_session->cancel();
        QVERIFY(waitForEnd(1));
        QCOMPARE(runs().find(1)->state, PassRun::State::Stopped);
        QCOMPARE(runs().find(1)->result, m_session->snapshot());
    }

    void passesReadTheDatabaseThatIsNamed()
    {
        const QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("p.db").toStdString();
        m_session->runs().setProfile(file);
        std::atomic<bool> has{false};
        m_session->run(request([&](Plan plan, const Context &context) -> Result<Plan> {
            has = context.profile != nullptr;
            return plan;
        }));
        QVERIFY(waitForEnd(1));
        QVERIFY(has);
        QVERIFY(std::filesystem::exists(file));
    }

    void aHeldRunGoesOn()
    {
        m_session->run(request(test::splitUntilStopped));
        QTRY_VERIFY_WITH_TIMEOUT(runs().find(1)->latest, test::patience);
        m_session->hold(true);
        QVERIFY(m_session->isHeld());
        QCOMPARE(runs().find(1)->state, PassRun::State::Held);
        QCOMPARE(runs().find(1)->activity(), QStringLiteral("paused"));
        QTest::qWait(300); // what was on its way is here
        QSignalSpy published(&runs(), &RunList::published);
        QTest::qWait(300);
        QCOMPARE(published.size(), 0);
        m_session->hold(false);
        QVERIFY(!m_session->isHeld());
        QVERIFY(published.wait(test::patience));
    }

    void takingEndsTheRun()
    {
        m_session->run(request(test::splitUntilStopped));
        QTRY_VERIFY_WITH_TIMEOUT(runs().find(1)->latest, test::patience);
        m_session->take(1);
        QVERIFY(QTest::qWaitFor([&] { return !m_session->isBusy(); }, test::patience));
        QCOMPARE(m_session->snapshot(), runs().find(1)->result);
        QVERIFY(!m_session->isRunning());
        QCOMPARE(message(0), QStringLiteral("Applied the plan of run 1 (scripted)"));
        QVERIFY(m_session->undoStack().canUndo());
        QCOMPARE(runs().find(1)->state, PassRun::State::Stopped);
    }

    void aRunBesideThatIsTakenIsStopped()
    {
        m_session->runBeside(request(test::splitUntilStopped));
        QTRY_VERIFY_WITH_TIMEOUT(runs().find(1)->latest, test::patience);
        m_session->take(1);
        QVERIFY(m_session->isBusy());
        QVERIFY(waitForEnd(1));
        QCOMPARE(m_session->snapshot(), runs().find(1)->result);
        QVERIFY(subgraphsOf(m_session->snapshot()) >= 2);
    }

    void thePlanOfAFailedSearchIsRealized()
    {
        m_session->run(request([](Plan plan, const Context &context) -> Result<Plan> {
            auto memory = std::make_shared<MemoryPlan>();
            memory->state = "decisions";
            if (context.resume) {
                memory->realized = context.resume->only && context.resume->state.empty() &&
                                   context.resume->from->memory->state == memory->state;
                plan.memory = std::move(memory);
                return plan;
            }
            plan.memory = std::move(memory);
            context.publish(std::make_shared<const Plan>(std::move(plan)));
            return fail(Error::Kind::Missing, "not enough memory");
        }));
        QVERIFY(waitForEnd(1));
        QTRY_VERIFY_WITH_TIMEOUT(runs().find(1)->latest, test::patience);
        m_session->take(1);
        QVERIFY(m_session->isRunning());
        QVERIFY(waitForEnd(2));
        QVERIFY(m_session->snapshot()->plan->memory);
        QVERIFY(m_session->snapshot()->plan->memory->realized);
    }

    void aRunBesideChangesNothing()
    {
        const SnapshotPointer before = m_session->snapshot();
        QSignalSpy changed(m_session.get(), &Session::snapshotChanged);
        m_session->runBeside(faulty("none"));
        QVERIFY(!m_session->isRunning());
        QVERIFY(waitForEnd(1));
        QCOMPARE(changed.size(), 0);
        QCOMPARE(m_session->snapshot(), before);
        QCOMPARE(runs().find(1)->state, PassRun::State::Done);
        m_session->take(1);
        QTRY_COMPARE(subgraphsOf(m_session->snapshot()), std::size_t{3});
        QCOMPARE(m_session->undoStack().undoText(), QStringLiteral("faulty"));
    }

    void runsGoSideBySide()
    {
        m_session->run(faulty("wait"));
        m_session->runBeside(faulty("wait"));
        QTRY_VERIFY_WITH_TIMEOUT(runs().find(1)->search && runs().find(2)->search, test::patience);
        runs().stop(2);
        QVERIFY(waitForEnd(2));
        QVERIFY(runs().find(1)->isActive());
        m_session->cancel();
        QVERIFY(waitForEnd(1));
        QCOMPARE(subgraphsOf(m_session->snapshot()), std::size_t{3});
    }

    void aRunThatIsLeftGoesOn()
    {
        const SnapshotPointer before = m_session->snapshot();
        m_session->run(faulty("wait"));
        QTRY_VERIFY_WITH_TIMEOUT(runs().find(1)->latest, test::patience);
        m_session->leave(1);
        QVERIFY(!m_session->isRunning());
        QVERIFY(runs().find(1)->isActive());
        runs().stop(1);
        QVERIFY(waitForEnd(1));
        QCOMPARE(m_session->snapshot(), before);
    }

    void aCrashLosesTheRunAlone()
    {
        const SnapshotPointer before = m_session->snapshot();
        m_session->run(faulty("crash"));
        QVERIFY(waitForEnd(1));
        QCOMPARE(runs().find(1)->state, PassRun::State::Failed);
        QCOMPARE(m_session->snapshot(), before);
        const QString said = message(1);
        QVERIFY2(said.contains(QStringLiteral("crashed with SIGSEGV")), qPrintable(said));
        // What it had found is there to be taken.
        m_session->take(1);
        QTRY_COMPARE(subgraphsOf(m_session->snapshot()), std::size_t{2});
    }

    void aPassThatDoesNotStopIsEnded()
    {
        m_session->run(faulty("deaf"));
        QTRY_VERIFY_WITH_TIMEOUT(runs().find(1)->search, test::patience);
        m_session->cancel();
        QTest::qWait(200);
        QCOMPARE(runs().find(1)->state, PassRun::State::Stopping);
        m_session->cancel();
        QVERIFY(waitForEnd(1));
        QCOMPARE(runs().find(1)->state, PassRun::State::Failed);
    }

    void endedRunsCanBeRemoved()
    {
        m_session->runBeside(faulty("none"));
        runs().remove(1);
        QVERIFY(runs().find(1)); // it is at work
        QVERIFY(waitForEnd(1));
        runs().remove(1);
        QVERIFY(!runs().find(1));
    }

    void anotherModelEndsAllRuns()
    {
        m_session->run(faulty("wait"));
        m_session->runBeside(faulty("deaf"));
        QTRY_VERIFY_WITH_TIMEOUT(runs().find(1)->search && runs().find(2)->search, test::patience);
        m_session->open(test::sample("mobilenet_v2_224.onnx"));
        QVERIFY(QTest::qWaitFor([this] { return !m_session->isOpening(); }, test::patience));
        QVERIFY(runs().runs().empty());
    }

    void theSessionEndsWhileADeafPassRuns()
    {
        m_session->run(faulty("deaf"));
        QTRY_VERIFY_WITH_TIMEOUT(runs().find(1)->search, test::patience);
        m_session.reset();
        QVERIFY(!m_session); // did not wait for it
    }

    void aSearchGoesOnFromItsEnd()
    {
        const auto searching = [](Plan plan, const Context &context) -> Result<Plan> {
            SearchRecord record;
            record.state = std::make_shared<const std::string>(
                context.resume ? context.resume->state + "+" : "begun");
            plan.search = std::make_shared<const SearchRecord>(std::move(record));
            return plan;
        };
        QVERIFY(!m_session->canGoOn("scripted"));
        m_session->run(request(searching));
        QVERIFY(waitForEnd(1));
        QVERIFY(m_session->canGoOn("scripted"));
        QVERIFY(!m_session->canGoOn("another"));
        m_session->goOn(request(searching));
        QVERIFY(waitForEnd(2));
        QCOMPARE(*m_session->snapshot()->plan->search->state, std::string("begun+"));
        // From the same plan as the first time: it is no pass more.
        QCOMPARE(m_session->snapshot()->plan->history.size(), std::size_t{1});
    }

private:
    RunList &runs() { return m_session->runs(); }
    bool waitForEnd(int number)
    {
        return QTest::qWaitFor([&] { return !runs().find(number)->isActive(); }, test::patience);
    }
    QString message(int row) { return m_session->messages().index(row).data().toString(); }

    std::unique_ptr<Session> m_session;
};

GRAPHLOOM_WINDOW_TESTS(SessionRunsTest)

} // namespace graphloom::test::session_runs_test

#include "session_runs_test.moc"

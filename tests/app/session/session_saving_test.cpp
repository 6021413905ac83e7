// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/session.h"

#include "tests/support/app/window_driver.h"
#include "tests/support/kept_plans.h"
#include "tests/support/made_verification.h"

#include <QSignalSpy>

#include <fstream>

namespace graphloom::test::session_saving_test {

namespace fs = std::filesystem;

namespace {

std::shared_ptr<const Pass> splitting()
{
    return std::make_shared<const test::ScriptedPass>([](Plan plan, const Context &) {
        Partition partition;
        partition.method = "single nodes";
        for (const NodeId id : plan.graph.order())
            partition.subgraphs.push_back({{id}, 1});
        partition.index(plan.graph);
        plan.partition = std::make_shared<const Partition>(std::move(partition));
        return Result<Plan>(std::move(plan));
    });
}

} // namespace

class SessionSavingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_root = m_folder->path().toStdString();
        m_session = freshSession();
        QVERIFY(open(test::sample("bert_tiny.onnx")));
        QVERIFY(run());
        m_session->edit(QStringLiteral("Forget subgraphs"), [](Plan plan) {
            plan.partition = nullptr;
            return plan;
        });
        QVERIFY(QTest::qWaitFor([this] { return !m_session->isBusy(); }, test::patience));
    }

    void undoLeadsThroughASavedSession()
    {
        m_session->undoStack().undo();
        QVERIFY(m_session->isModified());
        QVERIFY(save(m_root / "a.gloom"));
        QVERIFY(!m_session->isModified());
        const auto saved = test::keptBytes(*m_session->snapshot()->plan);
        m_session = freshSession();
        QVERIFY(open(m_root / "a.gloom"));
        QVERIFY(!m_session->isModified());
        QCOMPARE(m_session->path(), test::sample("bert_tiny.onnx"));
        QCOMPARE(test::keptBytes(*m_session->snapshot()->plan), saved);
        QCOMPARE(m_session->undoStack().undoText(), QStringLiteral("scripted"));
        QCOMPARE(m_session->undoStack().redoText(), QStringLiteral("Forget subgraphs"));
        m_session->undoStack().undo();
        QVERIFY(!m_session->snapshot()->plan->partition);
        m_session->undoStack().redo();
        QVERIFY(m_session->snapshot()->plan->partition);
    }

    void openingShowsOnlyTheLastState()
    {
        QVERIFY(save(m_root / "a.gloom"));
        m_session = freshSession();
        QSignalSpy changed(m_session.get(), &Session::snapshotChanged);
        QVERIFY(open(m_root / "a.gloom"));
        QCOMPARE(changed.size(), 1);
    }

    void runsAreKept()
    {
        QVERIFY(save(m_root / "a.gloom"));
        m_session = freshSession();
        QVERIFY(open(m_root / "a.gloom"));
        const auto runs = m_session->runs().runs();
        QCOMPARE(runs.size(), std::size_t{1});
        QCOMPARE(runs[0]->name(), QStringLiteral("scripted"));
        QCOMPARE(runs[0]->state, PassRun::State::Done);
        QVERIFY(runs[0]->latest && runs[0]->latest->partition);
        // New ones get other numbers.
        QVERIFY(run());
        QCOMPARE(m_session->runs().runs().back()->number, 2);
    }

    void theWindowsPartComesBack()
    {
        QVERIFY(save(m_root / "a.gloom", {{"zoom", "2"}}));
        m_session = freshSession();
        QVERIFY(open(m_root / "a.gloom"));
        QCOMPARE(m_session->savedView().at("zoom"), std::string("2"));
    }

    void aFolderThatCannotBeWrittenKeepsTheWork()
    {
        QVERIFY(!save(m_root / "nowhere" / "a.gloom"));
        QVERIFY(m_session->isModified());
        QVERIFY(m_session->file().empty());
        const QString said = m_session->messages().index(0).data().toString();
        QVERIFY2(said.startsWith(QStringLiteral("Cannot save a.gloom: ")), qPrintable(said));
    }

    void workIsUnsavedUntilItIsWritten()
    {
        QVERIFY(save(m_root / "a.gloom"));
        m_session->setMeasured({{}, std::make_shared<const TuningTrials>()});
        QSignalSpy saved(m_session.get(), &Session::saved);
        m_session->save(m_root / "a.gloom", {}, {});
        QVERIFY(m_session->isModified());
        QVERIFY(saved.wait(test::patience));
        QVERIFY(!m_session->isModified());
    }

    void changesWhileAFileIsWrittenStayUnsaved()
    {
        QSignalSpy saved(m_session.get(), &Session::saved);
        m_session->save(m_root / "a.gloom", {}, {});
        m_session->setMeasured({{}, std::make_shared<const TuningTrials>()});
        QVERIFY(saved.wait(test::patience));
        QVERIFY(m_session->isModified());
    }

    void aFileIsNotThatOfAModelOpenedMeanwhile()
    {
        QSignalSpy saved(m_session.get(), &Session::saved);
        m_session->save(m_root / "a.gloom", {}, {});
        m_session->close();
        QVERIFY(saved.wait(test::patience));
        QVERIFY(m_session->file().empty());
    }

    void aBrokenSessionLeavesWhatIsOpen()
    {
        QVERIFY(save(m_root / "a.gloom"));
        fs::resize_file(m_root / "a.gloom", fs::file_size(m_root / "a.gloom") / 2);
        const SnapshotPointer before = m_session->snapshot();
        QVERIFY(!open(m_root / "a.gloom"));
        QCOMPARE(m_session->snapshot(), before);
        QVERIFY(m_session->undoStack().canUndo());
    }

    void aJournalHasEveryChange()
    {
        m_session->keepJournal(m_root / "journals");
        m_session->undoStack().undo();
        QVERIFY(waitForJournal());
        const auto wanted = test::keptBytes(*m_session->snapshot()->plan);
        m_session.reset(); // without a word: as a crash leaves it
        const auto left = SessionJournal::leftBehind(m_root / "journals");
        QCOMPARE(left.size(), std::size_t{1});
        m_session = freshSession();
        m_session->keepJournal(m_root / "journals");
        QSignalSpy finished(m_session.get(), &Session::openingFinished);
        m_session->recover(left.front());
        QVERIFY(finished.wait(test::patience));
        QVERIFY(finished[0][0].toBool());
        QCOMPARE(test::keptBytes(*m_session->snapshot()->plan), wanted);
        QVERIFY(m_session->isModified());
        QVERIFY(m_session->undoStack().canUndo() && m_session->undoStack().canRedo());
        // The old journal goes when the new one has all of it.
        QTRY_VERIFY_WITH_TIMEOUT(!fs::exists(left.front()), test::patience);
        QVERIFY(SessionJournal::leftBehind(m_root / "journals").empty());
    }

    void aJournalHasVerifications()
    {
        PlanVerification made;
        static_cast<VerifiedPlan &>(made) = test::madeVerification(m_session->snapshot()->plan);
        m_session->keepJournal(m_root / "journals");
        m_session->setVerifications({verificationOf(std::move(made))});
        QVERIFY(waitForJournal());
        m_session.reset(); // without a word: as a crash leaves it
        const auto left = SessionJournal::leftBehind(m_root / "journals");
        QCOMPARE(left.size(), std::size_t{1});
        m_session = freshSession();
        QSignalSpy finished(m_session.get(), &Session::openingFinished);
        m_session->recover(left.front());
        QVERIFY(finished.wait(test::patience));
        QCOMPARE(m_session->verifications().size(), std::size_t{1});
        const PlanVerification &verification = *m_session->verifications().front();
        QCOMPARE(verification.inputsText(), QStringLiteral("cat.png"));
        QVERIFY(verification.isOf(*m_session->snapshot()->plan));
    }

    void verificationsOfAnotherModelAreForgotten()
    {
        PlanVerification made;
        static_cast<VerifiedPlan &>(made) = test::madeVerification(m_session->snapshot()->plan);
        m_session->setVerifications({verificationOf(std::move(made))});
        QVERIFY(open(test::sample("bert_tiny.onnx")));
        QVERIFY(m_session->verifications().empty());
    }

    void discardedWorkLeavesNothing()
    {
        m_session->keepJournal(m_root / "journals");
        m_session->undoStack().undo();
        QVERIFY(waitForJournal());
        m_session->discardJournal();
        m_session.reset();
        QVERIFY(fs::is_empty(m_root / "journals"));
    }

    void savedWorkNeedsNoJournal()
    {
        m_session->keepJournal(m_root / "journals");
        m_session->undoStack().undo();
        QVERIFY(waitForJournal());
        QVERIFY(!fs::is_empty(m_root / "journals"));
        QVERIFY(save(m_root / "a.gloom"));
        QTRY_VERIFY_WITH_TIMEOUT(fs::is_empty(m_root / "journals"), test::patience);
    }

    void aRunOfTheListIsWorkToSave()
    {
        QVERIFY(save(m_root / "a.gloom"));
        const auto pass = splitting();
        QSignalSpy finished(&m_session->runs(), &RunList::finished);
        m_session->runBeside({.pass = pass, .settings = Settings(pass->parameters())});
        QVERIFY(finished.wait(test::patience));
        QVERIFY(m_session->undoStack().isClean());
        QVERIFY(m_session->isModified());
        QVERIFY(save(m_root / "a.gloom"));
        QVERIFY(!m_session->isModified());
    }

    void aModelAloneNeedsNoJournal()
    {
        m_session = freshSession();
        m_session->keepJournal(m_root / "journals");
        QVERIFY(open(test::sample("bert_tiny.onnx")));
        QTest::qWait(500);
        QVERIFY(!fs::exists(m_root / "journals"));
    }

    void aJournalThatCannotBeWrittenIsSaidOnce()
    {
        std::ofstream(m_root / "file") << "in the way";
        m_session->keepJournal(m_root / "file" / "journals");
        m_session->undoStack().undo();
        const auto said = [this] {
            return m_session->messages().index(0).data().toString().startsWith(
                QStringLiteral("Cannot back up unsaved work: "));
        };
        QVERIFY(QTest::qWaitFor(said, test::patience));
        const int messages = m_session->messages().rowCount();
        m_session->undoStack().redo();
        QTest::qWait(600);
        QCOMPARE(m_session->messages().rowCount(), messages);
        QVERIFY(m_session->snapshot());
    }

private:
    static std::unique_ptr<Session> freshSession()
    {
        auto session = std::make_unique<Session>();
        session->setPasses({splitting()});
        return session;
    }
    /// Whether it succeeded.
    bool open(const fs::path &path)
    {
        QSignalSpy finished(m_session.get(), &Session::openingFinished);
        m_session->open(path);
        return finished.wait(test::patience) && finished[0][0].toBool();
    }
    bool run()
    {
        const auto pass = splitting();
        QSignalSpy finished(m_session.get(), &Session::passFinished);
        m_session->run({.pass = pass, .settings = Settings(pass->parameters(), pass->rules())});
        return finished.wait(test::patience) && finished[0][0].toBool();
    }
    bool save(const fs::path &file, std::map<std::string, std::string> view = {})
    {
        QSignalSpy saved(m_session.get(), &Session::saved);
        m_session->save(file, std::move(view), {});
        return saved.wait(test::patience) && saved[0][0].toBool();
    }
    bool waitForJournal()
    {
        // Behind the last change by its patience, and by what writing takes.
        return QTest::qWaitFor([this] { return fs::exists(m_root / "journals"); },
                               test::patience) &&
               (QTest::qWait(800), true);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_root;
    std::unique_ptr<Session> m_session;
};

GRAPHLOOM_WINDOW_TESTS(SessionSavingTest)

} // namespace graphloom::test::session_saving_test

#include "session_saving_test.moc"

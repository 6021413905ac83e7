// SPDX-License-Identifier: Apache-2.0
#include "engine/session/session_file.h"

#include "engine/onnx/import.h"
#include "engine/pass/plugins.h"
#include "engine/system/sqlite.h"
#include "tests/support/kept_plans.h"
#include "tests/support/test_program.h"
#include "tests/support/weighty_model.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <sys/stat.h>

namespace graphloom::test::session_file_test {

using graphloom::test::keptBytes;
namespace fs = std::filesystem;

namespace {

Plan planOfFile(const fs::path &path)
{
    auto model = importOnnx(path);
    if (!model)
        qFatal("%s", model.error().text().c_str());
    return *initialPlan(std::make_shared<const Model>(*std::move(model)));
}

/// The model cut into single nodes.
Plan partitioned(Plan plan)
{
    Partition partition;
    partition.method = "single nodes";
    for (const NodeId id : plan.graph.order())
        partition.subgraphs.push_back({{id}, 1});
    partition.index(plan.graph);
    plan.partition = std::make_shared<const Partition>(std::move(partition));
    return plan;
}

SessionContent contentOf(const Plan &plan)
{
    SessionContent content;
    content.states.push_back({std::make_shared<const Plan>(plan), "", false});
    content.states.push_back({std::make_shared<const Plan>(partitioned(plan)), "cut", true});
    content.current = 1;
    SessionRun run;
    run.number = 4;
    run.pass = "magis";
    run.settings = {{"seconds", 3}};
    run.objective.latencyLimit = 1.1;
    run.seed = 9;
    run.beganMs = 1'700'000'000'000;
    run.before = content.states[0].plan;
    run.result = content.states[1].plan;
    content.runs.push_back(run);
    content.view = {{"zoom", "0.5"}, {"panels", std::string("a\0b", 3)}};
    return content;
}

QString errorOf(const Result<SessionContent> &result)
{
    return result ? QString() : QString::fromStdString(result.error().text());
}

} // namespace

class SessionFileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_root = m_folder->path().toStdString();
        fs::create_directories(m_root / "work");
        m_model = m_root / "work" / "big.onnx";
        test::writeWeightyModel(m_model);
        m_session = m_root / "work" / "a.gloom";
    }

    void everythingComesBack()
    {
        const SessionContent content = contentOf(planOfFile(m_model));
        const auto saved = saveSession(m_session, content);
        QVERIFY2(saved, saved ? "" : saved.error().text().c_str());
        QVERIFY(isSessionFile(m_session));
        const auto read = load();
        QVERIFY2(read, qPrintable(errorOf(read)));
        QCOMPARE(read->states.size(), std::size_t{2});
        for (std::size_t i = 0; i < 2; ++i)
            QCOMPARE(keptBytes(*read->states[i].plan), keptBytes(*content.states[i].plan));
        QCOMPARE(read->states[1].text, std::string("cut"));
        QVERIFY(read->states[1].byHand);
        QCOMPARE(read->current, std::size_t{1});
        QCOMPARE(read->view, content.view);
        QCOMPARE(read->runs.size(), std::size_t{1});
        QCOMPARE(read->runs[0].settings, content.runs[0].settings);
        QCOMPARE(read->runs[0].objective, content.runs[0].objective);
        QCOMPARE(read->runs[0].beganMs, content.runs[0].beganMs);
        // One plan is one plan again.
        QCOMPARE(read->runs[0].result, read->states[1].plan);
        QCOMPARE(read->states[0].plan->model, read->states[1].plan->model);
    }

    void weightsAreNotInTheFile()
    {
        QVERIFY(saveSession(m_session, contentOf(planOfFile(m_model))));
        QVERIFY(fs::file_size(m_session) < 200'000);
    }

    void theModelMayMoveWithTheSession()
    {
        QVERIFY(saveSession(m_session, contentOf(planOfFile(m_model))));
        fs::rename(m_root / "work", m_root / "elsewhere");
        m_session = m_root / "elsewhere" / "a.gloom";
        const auto read = load();
        QVERIFY2(read, qPrintable(errorOf(read)));
    }

    void aModelThatIsGoneIsSaid()
    {
        QVERIFY(saveSession(m_session, contentOf(planOfFile(m_model))));
        fs::remove(m_model);
        const QString error = errorOf(load());
        QVERIFY2(error.contains("big.onnx") && error.contains("no longer exists"),
                 qPrintable(error));
    }

    void aModelThatHasChangedIsSaid()
    {
        QVERIFY(saveSession(m_session, contentOf(planOfFile(m_model))));
        auto bytes = std::fstream(m_model, std::ios::in | std::ios::out | std::ios::binary);
        bytes.seekp(1000);
        bytes << "changed";
        bytes.close();
        const QString error = errorOf(load());
        QVERIFY2(error.contains("has changed since"), qPrintable(error));
    }

    void anEmbeddedModelNeedsNoFile()
    {
        const SessionContent content = contentOf(planOfFile(m_model));
        QVERIFY(saveSession(m_session, content, {.embedsModel = true}));
        fs::remove(m_model);
        const auto read = load();
        QVERIFY2(read, qPrintable(errorOf(read)));
        QCOMPARE(read->states[0].plan->graph.hash(), content.states[0].plan->graph.hash());
    }

    void anEmbeddedModelThatIsDamagedIsRefused()
    {
        QVERIFY(saveSession(m_session, contentOf(planOfFile(m_model)), {.embedsModel = true}));
        fs::remove(m_model);
        auto database = sqlite::Connection::open(m_session.string());
        QVERIFY(database);
        QVERIFY((*database)->execute("UPDATE file_part SET bytes = zeroblob(length(bytes))"));
        database->reset();
        const QString error = errorOf(load());
        QVERIFY2(error.contains("differs from the saved"), qPrintable(error));
    }

    void nothingOfASessionsSchemaIsCarriedOut()
    {
        QVERIFY(saveSession(m_session, contentOf(planOfFile(m_model))));
        auto database = sqlite::Connection::open(m_session.string());
        QVERIFY(database);
        // A view in the place of a table may call functions that somebody registered.
        QVERIFY((*database)->execute(
            "ALTER TABLE view RENAME TO kept;"
            "CREATE VIEW view AS SELECT name, load_extension(value) AS value FROM kept"));
        database->reset();
        QVERIFY(!load());
    }

    void damagedSessionsAreRefused_data()
    {
        QTest::addColumn<QString>("sql");
        QTest::addColumn<QString>("named");
        QTest::newRow("a state without a plan") << "UPDATE state SET plan = -1"
                                                << "state 0 has no plan";
        QTest::newRow("a state with a plan that is not there") << "UPDATE state SET plan = 999"
                                                               << "an object is missing";
        QTest::newRow("no states") << "DELETE FROM state"
                                   << "no plan";
        QTest::newRow("another current state")
            << "UPDATE fact SET value = '18446744073709551615' WHERE name = 'current'"
            << "no plan";
        QTest::newRow("runs of nothing") << "UPDATE run SET bytes = x'00'"
                                         << "a run cannot be read";
        QTest::newRow("objects of nothing") << "UPDATE object SET bytes = x''"
                                            << "";
        QTest::newRow("an endless view")
            << "ALTER TABLE state RENAME TO kept;"
               "CREATE VIEW state(position, plan, text, by_hand) AS WITH RECURSIVE n(i) AS "
               "(SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT i, 0, '', 0 FROM n"
            << "unexpected table";
        QTest::newRow("a trigger") << "CREATE TRIGGER t AFTER INSERT ON state BEGIN DELETE FROM "
                                      "object; END"
                                   << "trigger \"t\"";
        QTest::newRow("a table too many") << "CREATE TABLE more(x)"
                                          << "table \"more\"";
        QTest::newRow("a column too many") << "ALTER TABLE state ADD COLUMN more"
                                           << "\"state\"";
        QTest::newRow("a table too few") << "DROP TABLE file_part"
                                         << "has no table";
    }

    void damagedSessionsAreRefused()
    {
        QFETCH(QString, sql);
        QFETCH(QString, named);
        QVERIFY(saveSession(m_session, contentOf(planOfFile(m_model))));
        auto database = sqlite::Connection::open(m_session.string());
        QVERIFY(database);
        const auto changed = (*database)->execute(sql.toStdString());
        QVERIFY2(changed, changed ? "" : changed.error().text().c_str());
        database->reset();
        const auto read = load();
        QVERIFY(!read);
        QVERIFY2(read.error().kind != Error::Kind::Fault, read.error().text().c_str());
        QVERIFY2(errorOf(read).contains(named), qPrintable(errorOf(read)));
    }

    void readingIsStopped()
    {
        QVERIFY(saveSession(m_session, contentOf(planOfFile(m_model))));
        std::stop_source source;
        source.request_stop();
        // Small sessions may be read before anybody looks; large ones end.
        auto database = sqlite::Connection::open(m_session.string());
        QVERIFY(database);
        QVERIFY((*database)->execute(
            "WITH RECURSIVE n(i) AS (SELECT 100000 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)"
            "INSERT INTO state SELECT i, (SELECT min(plan) FROM state), '', 0 FROM n"));
        database->reset();
        const auto read = loadSession(m_session, m_root / "extracted", source.get_token());
        QVERIFY(!read);
        QVERIFY2(errorOf(read).contains("cancelled"), qPrintable(errorOf(read)));
    }

    void aPipeIsNoSession()
    {
        const fs::path pipe = m_root / "pipe";
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        QVERIFY(!isSessionFile(pipe)); // and does not wait for somebody to write
    }

    void otherFilesAreRefused()
    {
        std::ofstream(m_session) << "this is no session";
        QVERIFY(!isSessionFile(m_session));
        QCOMPARE(load().error().kind, Error::Kind::Usage);
    }

    void aMissingFileIsSaid() { QCOMPARE(load().error().kind, Error::Kind::Missing); }

    void damageIsRefused()
    {
        QVERIFY(saveSession(m_session, contentOf(planOfFile(m_model))));
        const auto size = fs::file_size(m_session);
        fs::resize_file(m_session, size / 2);
        QVERIFY(!load());
    }

    void aFolderThatCannotBeWrittenKeepsTheOldFile()
    {
        const SessionContent content = contentOf(planOfFile(m_model));
        QVERIFY(saveSession(m_session, content));
        const auto saved = saveSession(m_root / "nowhere" / "a.gloom", content);
        QVERIFY(!saved);
        QCOMPARE(saved.error().kind, Error::Kind::Missing);
        QVERIFY(load());
    }

    void aJournalSurvivesWithoutItsProgram()
    {
        const SessionContent content = contentOf(planOfFile(m_model));
        auto journal = SessionJournal::begin(m_root / "journals");
        QVERIFY(journal);
        QVERIFY((*journal)->write(content));
        QVERIFY(SessionJournal::leftBehind(m_root / "journals").empty()); // it is in use
        journal->reset();                                                 // as by a crash
        const auto left = SessionJournal::leftBehind(m_root / "journals");
        QCOMPARE(left.size(), std::size_t{1});
        const auto read = SessionJournal::recover(left.front());
        QVERIFY2(read, qPrintable(errorOf(read)));
        QCOMPARE(keptBytes(*read->states[1].plan), keptBytes(*content.states[1].plan));
        SessionJournal::forget(left.front());
        QVERIFY(SessionJournal::leftBehind(m_root / "journals").empty());
    }

    void aJournalTakesOnlyWhatIsNew()
    {
        SessionContent content = contentOf(planOfFile(m_model));
        auto journal = SessionJournal::begin(m_root / "journals");
        QVERIFY(journal);
        QVERIFY((*journal)->write(content));
        content.current = 0;
        content.states.resize(1);
        QVERIFY((*journal)->write(content));
        journal->reset();
        const auto read =
            SessionJournal::recover(SessionJournal::leftBehind(m_root / "journals").front());
        QVERIFY2(read, qPrintable(errorOf(read)));
        QCOMPARE(read->states.size(), std::size_t{1});
    }

    void aDiscardedJournalIsGone()
    {
        auto journal = SessionJournal::begin(m_root / "journals");
        QVERIFY(journal);
        (*journal)->discard();
        QVERIFY(SessionJournal::leftBehind(m_root / "journals").empty());
    }

    void severalJournalsDoNotMix()
    {
        auto first = SessionJournal::begin(m_root / "journals");
        auto second = SessionJournal::begin(m_root / "journals");
        QVERIFY(first && second);
        QVERIFY((*first)->write(contentOf(planOfFile(m_model))));
        first->reset();
        QCOMPARE(SessionJournal::leftBehind(m_root / "journals").size(), std::size_t{1});
    }

private:
    Result<SessionContent> load() const { return loadSession(m_session, m_root / "extracted"); }

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_root, m_model, m_session;
};

GRAPHLOOM_TESTS(SessionFileTest)

} // namespace graphloom::test::session_file_test

#include "session_file_test.moc"

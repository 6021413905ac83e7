// SPDX-License-Identifier: Apache-2.0
// What was verified, in sessions.
#include "engine/session/session_file.h"
#include "engine/session/verification_fields.h"
#include "engine/system/sqlite.h"
#include "tests/support/kept_plans.h"
#include "tests/support/made_measurement.h"
#include "tests/support/made_verification.h"
#include "tests/support/sample_plan.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace graphloom::test::session_verification_test {

namespace {

using Change = std::function<void(VerifiedPlan &)>;

std::string keptErrors(const VerifiedPlan &verified)
{
    KeptPlans kept;
    return kept.store.pack(verified.errors);
}

std::vector<std::string> inputsOf(const SessionContent &content)
{
    std::vector<std::string> inputs;
    for (const auto &verified : content.verifications)
        inputs.push_back(verified->inputs);
    return inputs;
}

} // namespace

} // namespace graphloom::test::session_verification_test

Q_DECLARE_METATYPE(graphloom::test::session_verification_test::Change)

namespace graphloom::test::session_verification_test {

class SessionVerificationTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_plan = std::make_shared<const Plan>(test::planOfSample("bert_tiny.onnx"));
    }

    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_root = m_folder->path().toStdString();
        m_content = {};
        m_content.states.push_back({m_plan, "", false});
        m_content.measurements = {
            std::make_shared<const PlanMeasurement>(test::madeMeasurement(m_plan))};
        m_content.verifications = {verified("cat.png"), verified("dog.png")};
        QVERIFY(saveSession(session(), m_content));
    }

    void verificationsComeBack()
    {
        const auto read = load();
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QVERIFY(read->problems.empty());
        QCOMPARE(inputsOf(*read), (std::vector<std::string>{"cat.png", "dog.png"}));
        const VerifiedPlan &is = *read->verifications[0];
        QVERIFY(keptErrors(is) == keptErrors(*m_content.verifications[0]));
        QCOMPARE(is.plan, read->states[0].plan); // one plan is one plan again
    }

    void aPlanThatIsNoStateIsKept()
    {
        Plan other = *m_plan;
        other.history.emplace_back().pass = "ago";
        m_content.verifications = {std::make_shared<const VerifiedPlan>(
            test::madeVerification(std::make_shared<const Plan>(other)))};
        QVERIFY(saveSession(session(), m_content));
        const auto read = load();
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QCOMPARE(read->verifications.size(), std::size_t{1});
        QVERIFY(read->verifications[0]->plan != read->states[0].plan);
        QVERIFY(isSameGraph(*read->verifications[0]->plan, *read->states[0].plan));
    }

    void aJournalHasThoseOfTheLastWriting()
    {
        auto journal = SessionJournal::begin(m_root / "journals");
        QVERIFY(journal);
        QVERIFY((*journal)->write(m_content));
        m_content.verifications = {m_content.verifications[1], verified("bird.png")};
        QVERIFY((*journal)->write(m_content));
        journal->reset(); // as by a crash
        const auto read =
            SessionJournal::recover(SessionJournal::leftBehind(m_root / "journals").front());
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QCOMPARE(inputsOf(*read), (std::vector<std::string>{"dog.png", "bird.png"}));
    }

    void aJournalDoesNotWriteThemAgain()
    {
        auto journal = SessionJournal::begin(m_root / "journals");
        QVERIFY(journal);
        QVERIFY((*journal)->write(m_content));
        m_content.verifications.erase(m_content.verifications.begin());
        QVERIFY((*journal)->write(m_content));
        journal->reset();
        const auto file = SessionJournal::leftBehind(m_root / "journals").front();
        const auto database = sqlite::Connection::open(file.string());
        QVERIFY(database);
        QCOMPARE(*(*database)->integer("SELECT number FROM verification"), 2); // as before
    }

    void theSecondVersionIsRead()
    {
        change("DROP TABLE verification; PRAGMA user_version = 2");
        const auto read = load();
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QVERIFY(read->problems.empty());
        QCOMPARE(read->states.size(), std::size_t{1});
        QCOMPARE(read->measurements.size(), std::size_t{1});
        QVERIFY(read->verifications.empty());
    }

    void theThirdVersionHasItsTable()
    {
        change("DROP TABLE verification");
        QVERIFY(!load());
    }

    void aDamagedVerificationIsLeftOut()
    {
        change("UPDATE verification SET bytes = x'00' WHERE number = 1");
        const auto read = load();
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QCOMPARE(inputsOf(*read), (std::vector<std::string>{"dog.png"}));
        QCOMPARE(read->measurements.size(), std::size_t{1});
        QCOMPARE(read->problems.size(), std::size_t{1});
        QVERIFY(QString::fromStdString(read->problems[0]).contains("verification 1 were left out"));
    }

    void hostileVerificationsAreLeftOut_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("named");
        const auto row = [](const char *name, Change change, const char *named) {
            QTest::newRow(name) << std::move(change) << QString(named);
        };
        row(
            "no plan", [](auto &of) { of.plan = nullptr; }, "is missing");
        row(
            "a result that does not exist",
            [](auto &of) { of.errors.tensors[3].state = TensorError::State(9); }, "damaged");
        row(
            "a node of another graph", [](auto &of) { of.errors.tensors[3].node = {1'000'000}; },
            "not those of the plan");
        row(
            "a tensor of another original",
            [](auto &of) { of.errors.tensors[3].original = {1'000'000}; }, "counterpart");
    }

    void hostileVerificationsAreLeftOut()
    {
        QFETCH(Change, change);
        QFETCH(QString, named);
        VerifiedPlan hostile = *m_content.verifications[0];
        change(hostile);
        m_content.verifications[0] = std::make_shared<const VerifiedPlan>(std::move(hostile));
        QVERIFY(saveSession(session(), m_content));
        const auto read = load();
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QCOMPARE(inputsOf(*read), (std::vector<std::string>{"dog.png"}));
        QCOMPARE(read->problems.size(), std::size_t{1});
        const QString problem = QString::fromStdString(read->problems[0]);
        QVERIFY2(problem.contains(named), qPrintable(problem));
    }

private:
    std::filesystem::path session() const { return m_root / "a.gloom"; }
    Result<SessionContent> load() const { return loadSession(session(), m_root / "extracted"); }

    std::shared_ptr<const VerifiedPlan> verified(const std::string &inputs) const
    {
        return std::make_shared<const VerifiedPlan>(test::madeVerification(m_plan, inputs));
    }

    void change(const std::string &sql) const
    {
        const auto database = sqlite::Connection::open(session().string());
        QVERIFY(database);
        const auto changed = (*database)->execute(sql);
        QVERIFY2(changed, changed ? "" : changed.error().text().c_str());
    }

    std::shared_ptr<const Plan> m_plan;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path m_root;
    SessionContent m_content;
};

GRAPHLOOM_TESTS(SessionVerificationTest)

} // namespace graphloom::test::session_verification_test

#include "session_verification_test.moc"

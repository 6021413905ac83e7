// SPDX-License-Identifier: Apache-2.0
// What was measured, in sessions.
#include "engine/session/measurement_fields.h"
#include "engine/session/session_file.h"
#include "engine/system/sqlite.h"
#include "tests/support/kept_plans.h"
#include "tests/support/made_measurement.h"
#include "tests/support/sample_plan.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>

namespace graphloom::test::session_measurement_test {

namespace {

/// Returns everything that is kept of a value: equal for equal values.
template <class Value> std::string keptFields(const Value &value)
{
    KeptPlans kept;
    return kept.store.pack(value);
}

} // namespace

class SessionMeasurementTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_session = m_folder->filePath("a.gloom").toStdString();
        const auto plan = std::make_shared<const Plan>(test::planOfSample("bert_tiny.onnx"));
        m_content = {};
        m_content.states.push_back({plan, "", false});
        m_content.measurements = {
            std::make_shared<const PlanMeasurement>(test::madeMeasurement(plan)),
            std::make_shared<const PlanMeasurement>(test::madeMeasurement(plan))};
        m_content.trials = std::make_shared<const TuningTrials>(test::madeTuning(plan));
        QVERIFY(saveSession(m_session, m_content));
    }

    void measurementsComeBack()
    {
        const auto read = load();
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QVERIFY(read->problems.empty());
        QCOMPARE(read->measurements.size(), std::size_t{2});
        const PlanMeasurement &was = *m_content.measurements[0], &is = *read->measurements[0];
        QVERIFY(keptFields(is.outcome) == keptFields(was.outcome));
        QVERIFY(keptFields(is.sources) == keptFields(was.sources));
        QVERIFY(keptFields(*is.device) == keptFields(*was.device));
        QVERIFY(is.at == was.at);
        QCOMPARE(is.plan, read->states[0].plan); // one plan is one plan again
    }

    void trialsComeBack()
    {
        const auto read = load();
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QVERIFY(read->trials);
        QVERIFY(keptFields(read->trials->trials) == keptFields(m_content.trials->trials));
        QVERIFY(read->trials->at == m_content.trials->at);
        QCOMPARE(read->trials->plan, read->states[0].plan);
    }

    void theFirstVersionIsRead()
    {
        change("DROP TABLE measurement; DROP TABLE trials; DROP TABLE verification;"
               "PRAGMA user_version = 1");
        const auto read = load();
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QCOMPARE(read->states.size(), std::size_t{1});
        QVERIFY(read->measurements.empty());
        QVERIFY(!read->trials);
    }

    void aDamagedMeasurementIsLeftOut()
    {
        change("UPDATE measurement SET bytes = x'00' WHERE number = 1");
        const auto read = load();
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QCOMPARE(read->measurements.size(), std::size_t{1});
        QCOMPARE(read->problems.size(), std::size_t{1});
        QVERIFY(QString::fromStdString(read->problems[0]).contains("measurement 1 were left out"));
    }

    void damagedTrialsAreLeftOut()
    {
        change("UPDATE trials SET bytes = x'00'");
        const auto read = load();
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QVERIFY(!read->trials);
        QCOMPARE(read->measurements.size(), std::size_t{2});
        QCOMPARE(read->problems.size(), std::size_t{1});
        QVERIFY(QString::fromStdString(read->problems[0]).contains("trials of tuning"));
    }

private:
    Result<SessionContent> load() const
    {
        return loadSession(m_session, m_session.parent_path() / "extracted");
    }

    void change(const std::string &sql) const
    {
        const auto database = sqlite::Connection::open(m_session.string());
        QVERIFY(database);
        const auto changed = (*database)->execute(sql);
        QVERIFY2(changed, changed ? "" : changed.error().text().c_str());
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path m_session;
    SessionContent m_content;
};

GRAPHLOOM_TESTS(SessionMeasurementTest)

} // namespace graphloom::test::session_measurement_test

#include "session_measurement_test.moc"

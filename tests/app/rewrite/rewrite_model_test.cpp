// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/rewrite/rewrite_model.h"

#include "tests/support/app/made_plans.h"
#include "tests/support/app/window_driver.h"

#include <QAbstractItemModelTester>

namespace graphloom::test::rewrite_model_test {

/// The steps of a rewrite log, the totals of its rules.
class RewriteModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const SnapshotPointer snapshot = test::rewritten();
        QVERIFY(snapshot);
        m_log = snapshot->plan->rewrite;
    }

    void keepTheContractOfModels()
    {
        RewriteModel steps;
        RuleTotalsModel totals;
        const auto mode = QAbstractItemModelTester::FailureReportingMode::QtTest;
        QAbstractItemModelTester ofSteps(&steps, mode), ofTotals(&totals, mode);
        steps.setLog(m_log);
        totals.setLog(m_log.get());
        QCOMPARE(steps.rowCount(), 2);
        steps.setLog(nullptr);
        totals.setLog(nullptr);
        QCOMPARE(steps.rowCount(), 0);
        QCOMPARE(totals.rowCount(), 0);
    }

    void aStepSaysRuleAndPlaceAndWhatItSaved()
    {
        RewriteModel model;
        model.setLog(m_log);
        const auto shown = [&](int column) { return model.index(0, column).data().toString(); };
        QCOMPARE(shown(RewriteModel::Number), QStringLiteral("1"));
        QCOMPARE(shown(RewriteModel::Rule), QStringLiteral("drop-relu"));
        QCOMPARE(shown(RewriteModel::Category), QStringLiteral("cleanup"));
        QCOMPARE(shown(RewriteModel::Where), QStringLiteral("Relu"));
        QCOMPARE(shown(RewriteModel::Saved), QStringLiteral("6"));
    }

    void stepsAreSortedByWhatTheySaved()
    {
        RewriteModel model;
        model.setLog(m_log);
        QVERIFY(model.isLess(1, 0, RewriteModel::Saved));
        QVERIFY(model.isLess(0, 1, RewriteModel::Number));
    }

    void stepsAreFilteredByTheirRule()
    {
        RewriteModel model;
        TableFilter filter(model);
        model.setLog(m_log);
        filter.setText(QStringLiteral("add-to"));
        QCOMPARE(filter.rowCount(), 1);
    }

    void totalsCountEachRule()
    {
        auto log = std::make_shared<RewriteLog>(*m_log);
        log->steps.push_back(log->steps.front());
        RuleTotalsModel model;
        model.setLog(log.get());
        QCOMPARE(model.rowCount(), 2);
        const int row = model.ruleAt(0) == QLatin1String("drop-relu") ? 0 : 1;
        QCOMPARE(model.index(row, RuleTotalsModel::Count).data().toString(), QStringLiteral("2"));
        QCOMPARE(model.index(row, RuleTotalsModel::Saved).data().toString(), QStringLiteral("12"));
        QCOMPARE(timesFired(*log).at("drop-relu"), std::size_t(2));
    }

private:
    std::shared_ptr<const RewriteLog> m_log;
};

GRAPHLOOM_WINDOW_TESTS(RewriteModelTest)

} // namespace graphloom::test::rewrite_model_test

#include "rewrite_model_test.moc"

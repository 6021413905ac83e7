// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tuning/trial_model.h"

#include "tests/support/app/made_plans.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/test_program.h"

#include <QAbstractItemModelTester>
#include <QTest>

namespace graphloom::test::trial_model_test {

/// See madeTrials().
class TrialModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_model.begin(test::fused(test::rewritten())->plan); // Relu(x) - x in one block
        m_model.add(test::madeTrials());
    }

    void growsByRows()
    {
        TrialModel model;
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.begin(nullptr);
        model.add(test::madeTrials());
        model.add({});
        model.add(test::madeTrials());
        QCOMPARE(model.rowCount(), 8);
        model.begin(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void rowsSayWhatWasTried()
    {
        QCOMPARE(text(3, TrialModel::Number), QStringLiteral("4"));
        QCOMPARE(text(3, TrialModel::Block), QStringLiteral("0"));
        QCOMPARE(text(3, TrialModel::Operators), QStringLiteral("Relu + Sub"));
        QCOMPARE(text(3, TrialModel::Time), QStringLiteral("1"));
        QCOMPARE(text(3, TrialModel::Relative), QStringLiteral("0.500"));
        QCOMPARE(text(3, TrialModel::Schedule), QStringLiteral("unroll i 2"));
        QCOMPARE(text(0, TrialModel::Schedule), QStringLiteral("default: parallel i"));
    }

    void whatFailedSaysWhy()
    {
        QCOMPARE(text(2, TrialModel::Problem), QStringLiteral("crashed"));
        QCOMPARE(text(2, TrialModel::Time), QString());
        QCOMPARE(m_model.index(2, TrialModel::Time).data(Qt::ToolTipRole).toString(),
                 QStringLiteral("crashed"));
    }

    void timesSayWhereTheyAreFrom()
    {
        const QString tip = m_model.index(1, TrialModel::Time).data(Qt::ToolTipRole).toString();
        QCOMPARE(tip, QStringLiteral("1.500 ms (emulated); default 2, best so far 1.500"));
    }

    void whatFailedComesLast()
    {
        for (const int column : {TrialModel::Time, TrialModel::Relative}) {
            QVERIFY(m_model.isLess(1, 2, column));
            QVERIFY(!m_model.isLess(2, 1, column));
            QVERIFY(m_model.isLess(3, 1, column));
        }
    }

    void laterNestsAreNamedAfterAPoint()
    {
        QCOMPARE(TrialModel::nameOf({12, 0}), QStringLiteral("12"));
        QCOMPARE(TrialModel::nameOf({12, 3}), QStringLiteral("12.3"));
    }

    void wholeBlocksSayThatTheyAre()
    {
        QCOMPARE(TrialModel::nameOf({12, std::nullopt}), QStringLiteral("12 whole"));
    }

private:
    QString text(int row, int column) const { return m_model.index(row, column).data().toString(); }
    TrialModel m_model;
};

GRAPHLOOM_TESTS(TrialModelTest)

} // namespace graphloom::test::trial_model_test

#include "trial_model_test.moc"

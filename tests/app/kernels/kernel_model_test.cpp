// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/kernel_model.h"

#include "tests/support/app/made_plans.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/test_program.h"

#include <QAbstractItemModelTester>
#include <QTest>

namespace graphloom::test::kernel_model_test {

class KernelModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsTheContractOfModels()
    {
        const PlanRunPointer run = test::madeRun(test::fused(test::rewritten(), 1));
        KernelModel model;
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRun(run, true);
        QCOMPARE(model.rowCount(), int(run->steps().size()));
        model.setRun(nullptr, false);
        QCOMPARE(model.rowCount(), 0);
    }

    void theTitlesOfTimesSayWhichTimeTheyShow()
    {
        const KernelModel model;
        for (const int column : {KernelModel::Default, KernelModel::Best})
            QVERIFY(model.headerData(column, Qt::Horizontal, Qt::ToolTipRole)
                        .toString()
                        .contains(QStringLiteral("Minimum time of one call")));
    }
};

GRAPHLOOM_TESTS(KernelModelTest)

} // namespace graphloom::test::kernel_model_test

#include "kernel_model_test.moc"

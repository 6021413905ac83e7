// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/difference_model.h"

#include "tests/support/app/made_plans.h"
#include "tests/support/app/window_driver.h"

#include <QAbstractItemModelTester>

namespace graphloom::test::difference_model_test {

/// Tables of what differs between a plan and the model as it was opened.
class DifferenceModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const SnapshotPointer now = test::rewritten();
        QVERIFY(now);
        auto before = std::make_shared<Plan>(*now->plan);
        before->graph = now->plan->original;
        before->rewrite = nullptr;
        const auto made =
            differenceOf({before, QStringLiteral("one")}, {now->plan, QStringLiteral("two")}, {},
                         [](double, std::string_view) {});
        QVERIFY(made && *made);
        m_difference = *made;
    }

    void keepTheContractOfModels()
    {
        DifferenceModel differences;
        MetricModel metrics;
        OriginModel origins;
        const auto mode = QAbstractItemModelTester::FailureReportingMode::QtTest;
        QAbstractItemModelTester first(&differences, mode), second(&metrics, mode),
            third(&origins, mode);
        differences.setDifference(m_difference);
        metrics.setDifference(m_difference);
        origins.setDifference(m_difference);
        QVERIFY(differences.rowCount() > 0 && metrics.rowCount() > 0 && origins.rowCount() > 0);
        differences.setDifference(nullptr);
        metrics.setDifference(nullptr);
        origins.setDifference(nullptr);
        QCOMPARE(differences.rowCount() + metrics.rowCount() + origins.rowCount(), 0);
    }

    void aDifferenceHasASignAndItsNode()
    {
        DifferenceModel model;
        model.setDifference(m_difference);
        bool removed = false;
        for (int row = 0; row < model.rowCount(); ++row) {
            const QString kind = model.index(row, DifferenceModel::Kind).data().toString();
            if (!kind.startsWith(QStringLiteral("\u2212")))
                continue;
            removed = true;
            QCOMPARE(kind, QStringLiteral("\u2212 removed"));
            const Item item = model.itemAt(row);
            QCOMPARE(model.rowOf(item), row);
            QCOMPARE(m_difference->differenceOf(item).kind, Difference::Removed);
        }
        QVERIFY(removed);
    }

    void figuresSayHowTheyWereObtained()
    {
        MetricModel model;
        model.setDifference(m_difference);
        for (int row = 0; row < model.rowCount(); ++row)
            for (const int column : {MetricModel::Before, MetricModel::Now}) {
                const QString text = model.index(row, column).data().toString();
                QVERIFY2(text == QStringLiteral("\u2013") ||
                             text.contains(QLatin1String("modelled")),
                         qPrintable(text));
            }
    }

    void signsAreInTheDrawing()
    {
        bool found = false;
        for (const VisibleGraph::Node &node : m_difference->all->graph.nodes)
            found = found || node.title.startsWith(QStringLiteral("\u2212 "));
        QVERIFY(found);
    }

private:
    PlanDifferencePointer m_difference;
};

GRAPHLOOM_WINDOW_TESTS(DifferenceModelTest)

} // namespace graphloom::test::difference_model_test

#include "difference_model_test.moc"

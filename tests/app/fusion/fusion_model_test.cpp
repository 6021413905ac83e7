// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fusion/fusion_model.h"

#include "tests/support/app/made_plans.h"
#include "tests/support/app/window_driver.h"

#include <QAbstractItemModelTester>

namespace graphloom::test::fusion_model_test {

class FusionModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_plain = test::snapshotOfSample("mobilenet_v2_224.onnx");
        m_fused = test::fused(m_plain);
        QVERIFY(m_fused && m_fused->blocks);
    }

    void keepsTheContractOfModels()
    {
        FusionModel model;
        TableFilter filter(model);
        const auto mode = QAbstractItemModelTester::FailureReportingMode::QtTest;
        QAbstractItemModelTester ofModel(&model, mode), ofFilter(&filter, mode);
        model.setSnapshot(m_plain);
        QCOMPARE(model.rowCount(), 0);
        filter.setText(QStringLiteral("conv"));
        filter.sort(FusionModel::Removed, Qt::DescendingOrder);
        model.setSnapshot(m_fused);
        QCOMPARE(model.rowCount(), int(m_fused->plan->fusion->blocks.size()));
        model.setSnapshot(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void rowsSayWhatTheBlocksAre()
    {
        FusionModel model;
        model.setSnapshot(test::locked(m_fused, {0}));
        const auto shown = [&](int column) { return model.index(0, column).data().toString(); };
        QCOMPARE(shown(FusionModel::Mapping), QStringLiteral("Many-to-Many"));
        QCOMPARE(shown(FusionModel::Pattern), QStringLiteral("Head"));
        QCOMPARE(shown(FusionModel::Operators), QStringLiteral("BatchNormalization, Clip, Conv"));
        QCOMPARE(shown(FusionModel::Nodes), QStringLiteral("3"));
        QCOMPARE(shown(FusionModel::Inputs), QStringLiteral("1"));
        QCOMPARE(shown(FusionModel::Outputs), QStringLiteral("1"));
        QCOMPARE(shown(FusionModel::Removed), QStringLiteral("4.00 KiB"));
        QCOMPARE(shown(FusionModel::Locked), QStringLiteral("locked"));
        QCOMPARE(model.index(1, FusionModel::Locked).data().toString(), QString());
    }

    void nodesBelongToRows()
    {
        FusionModel model;
        QCOMPARE(model.rowOf(Item::block(0)), -1);
        model.setSnapshot(m_fused);
        QCOMPARE(model.rowOf(Item::of(m_fused->graph().order()[4])), 1);
        QCOMPARE(model.rowOf(Item::block(5)), 5);
        QCOMPARE(model.rowOf(Item::subgraph(5)), -1);
        QCOMPARE(model.rowOf(Item::block(std::uint32_t(model.rowCount()))), -1);
    }

    void everyColumnHasAHeaderAndSorts()
    {
        FusionModel model;
        model.setSnapshot(m_fused);
        TableFilter sorted(model);
        for (int column = 0; column < FusionModel::ColumnCount; ++column) {
            QVERIFY(!model.headerData(column, Qt::Horizontal).toString().isEmpty());
            sorted.sort(column, Qt::AscendingOrder);
            const auto source = [&](int row) {
                return sorted.mapToSource(sorted.index(row, 0)).row();
            };
            for (int row = 1; row < sorted.rowCount(); ++row)
                QVERIFY(!model.isLess(source(row), source(row - 1), column));
        }
    }

    void filtersByPatternMappingAndOperator()
    {
        FusionModel model;
        TableFilter filter(model);
        model.setSnapshot(m_fused);
        filter.setText(QStringLiteral("head"));
        QCOMPARE(filter.rowCount(), 1);
        filter.setText(QStringLiteral("flatten"));
        QCOMPARE(filter.rowCount(), 1);
        filter.setText(QStringLiteral("many-to-many"));
        QVERIFY(filter.rowCount() > 10);
    }

private:
    SnapshotPointer m_plain, m_fused;
};

GRAPHLOOM_WINDOW_TESTS(FusionModelTest)

} // namespace graphloom::test::fusion_model_test

#include "fusion_model_test.moc"

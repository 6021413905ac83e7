// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/memory/memory_tensor_model.h"

#include "tests/support/app/made_timelines.h"
#include "tests/support/test_program.h"

#include <QAbstractItemModelTester>
#include <QTest>

namespace graphloom::test::memory_tensor_model_test {

/// Of smallTimeline().
class MemoryTensorModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_timeline = finished(test::smallTimeline());
        m_tensors.setTimeline(m_timeline);
        m_steps.setTimeline(m_timeline);
    }

    void behaveAsModels()
    {
        QAbstractItemModelTester tensors(&m_tensors,
                                         QAbstractItemModelTester::FailureReportingMode::QtTest);
        QAbstractItemModelTester steps(&m_steps,
                                       QAbstractItemModelTester::FailureReportingMode::QtTest);
        m_tensors.setTimeline(nullptr);
        m_steps.setTimeline(nullptr);
        QCOMPARE(m_tensors.rowCount(), 0);
        QCOMPARE(m_steps.rowCount(), 0);
    }

    void aRowIsALife()
    {
        const auto text = [&](int column) { return m_tensors.index(1, column).data().toString(); };
        QCOMPARE(text(MemoryTensorModel::Name), QStringLiteral("kept"));
        QCOMPARE(text(MemoryTensorModel::Bytes), QStringLiteral("20 B"));
        QCOMPARE(text(MemoryTensorModel::First), QStringLiteral("1"));
        QCOMPARE(text(MemoryTensorModel::Last), QStringLiteral("3"));
        QCOMPARE(text(MemoryTensorModel::Alive), QStringLiteral("3"));
        QCOMPARE(text(MemoryTensorModel::Offset), QStringLiteral("0"));
        QCOMPARE(text(MemoryTensorModel::Kind), QStringLiteral("activation"));
        QCOMPARE(text(MemoryTensorModel::MadeBy), QStringLiteral("Op n1"));
        QCOMPARE(text(MemoryTensorModel::Fate), QString());
    }

    void rowsStandForTensors()
    {
        QCOMPARE(m_tensors.itemAt(2), Item::tensor(TensorId{2}));
        QCOMPARE(m_tensors.rowOf(Item::tensor(TensorId{2})), 2);
        QCOMPARE(m_tensors.rowOf(Item::of(NodeId{1})), 1);
        QCOMPARE(m_tensors.rowOf(Item::of(NodeId{3})), -1);
    }

    void numbersAreSortedAsNumbers()
    {
        QVERIFY(m_tensors.isLess(0, 1, MemoryTensorModel::Bytes));
        QVERIFY(!m_tensors.isLess(1, 2, MemoryTensorModel::Bytes));
        QVERIFY(m_tensors.isLess(2, 1, MemoryTensorModel::Alive));
        QVERIFY(m_tensors.isLess(1, 0, MemoryTensorModel::Offset));
    }

    void stepsTellTheirMemory()
    {
        const auto text = [&](int column) { return m_steps.index(2, column).data().toString(); };
        QCOMPARE(text(MemoryStepModel::Node), QStringLiteral("Op n2"));
        QCOMPARE(text(MemoryStepModel::Bytes), QStringLiteral("40 B"));
        QCOMPARE(text(MemoryStepModel::Share), QStringLiteral("100.0 %"));
        QCOMPARE(text(MemoryStepModel::Start), QStringLiteral("2"));
        QCOMPARE(m_steps.itemAt(2), Item::of(NodeId{2}));
        QCOMPARE(m_steps.rowOf(Item::of(NodeId{2})), 2);
        QVERIFY(m_steps.isLess(2, 3, MemoryStepModel::Time));
    }

private:
    TimelinePointer m_timeline;
    MemoryTensorModel m_tensors;
    MemoryStepModel m_steps;
};

GRAPHLOOM_TESTS(MemoryTensorModelTest)

} // namespace graphloom::test::memory_tensor_model_test

#include "memory_tensor_model_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/nodes/node_model.h"

#include "tests/support/app/window_driver.h"

#include <QAbstractItemModelTester>

namespace graphloom::test::node_model_test {

namespace {

/// The rows that a filter shows, as the nodes' operators.
QStringList operatorsOf(const TableFilter &filter)
{
    QStringList operators;
    for (int row = 0; row < filter.rowCount(); ++row)
        operators << filter.index(row, NodeModel::Operator).data().toString();
    return operators;
}

} // namespace

class NodeModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_plain = test::snapshotOfSample("mobilenet_v2_224.onnx");
        m_partitioned = test::partitionedSample("mobilenet_v2_224.onnx");
        QVERIFY(m_plain && m_partitioned);
    }

    void keepsTheContractOfModels()
    {
        NodeModel model;
        TableFilter filter(model);
        QAbstractItemModelTester ofModel(&model,
                                         QAbstractItemModelTester::FailureReportingMode::QtTest);
        QAbstractItemModelTester ofFilter(&filter,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setSnapshot(m_plain);
        filter.setText(QStringLiteral("conv"));
        filter.sort(NodeModel::Macs, Qt::DescendingOrder);
        model.setSnapshot(m_partitioned);
        QCOMPARE(model.rowCount(), int(m_plain->graph().nodeCount()));
        model.setSnapshot(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void rowsFollowTheSchedule()
    {
        NodeModel model;
        model.setSnapshot(m_plain);
        const NodeId first = m_plain->graph().order().front();
        QCOMPARE(model.itemAt(0), Item::of(first));
        QCOMPARE(model.index(0, NodeModel::Operator).data().toString(), QStringLiteral("Conv"));
        QCOMPARE(model.index(0, NodeModel::OutputShape).data().toString(),
                 QStringLiteral("1x32x112x112"));
        QCOMPARE(model.index(0, NodeModel::Mapping).data().toString(),
                 QStringLiteral("Many-to-Many"));
        QCOMPARE(model.index(0, NodeModel::Macs).data().toString(),
                 QStringLiteral("10.8 M")); // 32·112²·27
    }

    void rowOfIsTheInverseOfItemAt()
    {
        NodeModel model;
        model.setSnapshot(m_plain);
        for (int row = 0; row < model.rowCount(); ++row)
            QCOMPARE(model.rowOf(model.itemAt(row)), row);
    }

    void otherItemsHaveNoRow()
    {
        NodeModel model;
        QCOMPARE(model.rowOf(Item::of(NodeId{0})), -1);
        model.setSnapshot(m_plain);
        QCOMPARE(model.rowOf(Item::input(m_plain->graph().inputs().front())), -1);
        QCOMPARE(model.rowOf(Item::of(NodeId{m_plain->graph().nodeBound()})), -1);
    }

    void subgraphsOfThePartition()
    {
        NodeModel model;
        model.setSnapshot(m_plain);
        QCOMPARE(model.index(0, NodeModel::Subgraph).data().toString(), QString());
        model.setSnapshot(m_partitioned);
        QCOMPARE(
            model.index(0, NodeModel::Subgraph).data().toString(),
            QString::number(m_partitioned->subgraphOf(m_partitioned->graph().order().front())));
    }

    void everyColumnHasAHeader()
    {
        const NodeModel model;
        for (int column = 0; column < NodeModel::ColumnCount; ++column)
            QVERIFY(!model.headerData(column, Qt::Horizontal).toString().isEmpty());
    }

    void filterFindsNamesOperatorsAndTensors()
    {
        NodeModel model;
        TableFilter filter(model);
        model.setSnapshot(m_plain);
        filter.setText(QStringLiteral("  GLOBALaverage "));
        // The node itself, and the one that reads its output.
        QCOMPARE(operatorsOf(filter),
                 QStringList({QStringLiteral("GlobalAveragePool"), QStringLiteral("Flatten")}));
        filter.setText(QStringLiteral("there is no such node"));
        QCOMPARE(filter.rowCount(), 0);
        filter.setText({});
        QCOMPARE(filter.rowCount(), model.rowCount());
    }

    void sortsByValueNotByText()
    {
        NodeModel model;
        TableFilter filter(model);
        model.setSnapshot(m_plain);
        filter.sort(NodeModel::Macs, Qt::DescendingOrder);
        std::int64_t before = INT64_MAX;
        for (int row = 0; row < filter.rowCount(); ++row) {
            const auto macs =
                model.at(filter.mapToSource(filter.index(row, 0)).row()).macs.constant();
            QVERIFY(macs && *macs <= before);
            before = *macs;
        }
    }

    void aNestedGraphIsAListToo()
    {
        const SnapshotPointer own = test::nestedSnapshot();
        QVERIFY(own);
        const SnapshotPointer body = test::inside(own, "outer", QStringLiteral("body"));
        NodeModel model;
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setSnapshot(own);
        model.setSnapshot(body);
        QCOMPARE(model.rowCount(), 2);
        const int row = model.rowOf(Item::of(test::nodeNamed(*body, "choice")));
        const QModelIndex op = model.index(row, NodeModel::Operator);
        QCOMPARE(op.data().toString(), QStringLiteral("If"));
        QCOMPARE(op.data(Qt::AccessibleTextRole).toString(),
                 QStringLiteral("If, else_branch: 1 node, then_branch: 1 node"));
        QCOMPARE(model.index(row, NodeModel::Subgraph).data().toString(), QString());
    }

private:
    SnapshotPointer m_plain, m_partitioned;
};

GRAPHLOOM_WINDOW_TESTS(NodeModelTest)

} // namespace graphloom::test::node_model_test

#include "node_model_test.moc"

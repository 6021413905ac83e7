// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fusion/partition_model.h"

#include "tests/support/app/window_driver.h"

#include <QAbstractItemModelTester>

#include <cmath>
#include <numeric>

namespace graphloom::test::partition_model_test {

class PartitionModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_plain = test::snapshotOfSample("mobilenet_v2_224.onnx");
        m_partitioned = test::partitionedSample("mobilenet_v2_224.onnx");
        QVERIFY(m_plain && m_partitioned && m_partitioned->partition);
    }

    void keepsTheContractOfModels()
    {
        PartitionModel model;
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setSnapshot(m_plain);
        QCOMPARE(model.rowCount(), 0);
        model.setSnapshot(m_partitioned);
        QCOMPARE(model.rowCount(), int(m_partitioned->plan->partition->subgraphs.size()));
        model.setSnapshot(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void rowsSayWhatIsInTheSubgraphs()
    {
        PartitionModel model;
        model.setSnapshot(m_partitioned);
        int nodes = 0;
        for (int row = 0; row < model.rowCount(); ++row) {
            QCOMPARE(model.index(row, PartitionModel::Index).data().toInt(), row);
            nodes += model.index(row, PartitionModel::Nodes).data().toInt();
        }
        QCOMPARE(nodes, int(m_partitioned->graph().nodeCount()));
    }

    void sortsByValues()
    {
        PartitionModel model;
        model.setSnapshot(m_partitioned);
        TableFilter sorted(model);
        sorted.sort(PartitionModel::Weight, Qt::DescendingOrder);
        double before = std::numeric_limits<double>::infinity();
        for (int row = 0; row < sorted.rowCount(); ++row) {
            const int source = sorted.mapToSource(sorted.index(row, 0)).row();
            const double weight = m_partitioned->partition->rows[std::size_t(source)].weight;
            QVERIFY(weight <= before);
            before = weight;
        }
    }

    void nodesBelongToRows()
    {
        PartitionModel model;
        model.setSnapshot(m_partitioned);
        const NodeId node = m_partitioned->graph().order().back();
        QCOMPARE(model.rowOf(Item::of(node)), int(m_partitioned->subgraphOf(node)));
        QCOMPARE(model.rowOf(Item::subgraph(1)), 1);
    }

    void otherItemsHaveNoRow()
    {
        PartitionModel model;
        QCOMPARE(model.rowOf(Item::subgraph(0)), -1);
        model.setSnapshot(m_partitioned);
        QCOMPARE(model.rowOf(Item::input(m_partitioned->graph().inputs().front())), -1);
        QCOMPARE(model.rowOf(Item::subgraph(std::uint32_t(model.rowCount()))), -1);
    }

    void histogramCountsEverySubgraphOnce()
    {
        const auto &bins = m_partitioned->partition->histogram;
        QCOMPARE(std::accumulate(bins.begin(), bins.end(), std::size_t(0)),
                 m_partitioned->partition->rows.size());
        for (const auto &row : m_partitioned->partition->rows) {
            const std::size_t bin = weightBin(row.weight);
            QVERIFY(bins[bin] > 0);
            QVERIFY(row.weight < std::exp2(double(bin) + 1));
            QVERIFY(bin == 0 || row.weight >= std::exp2(double(bin)));
        }
    }

    void insideANestedGraphTheRowIsOfTheNodeThatHoldsIt()
    {
        const SnapshotPointer own = test::partitioned(test::nestedSnapshot());
        QVERIFY(own);
        const NodeId loop = test::nodeNamed(*own, "outer");
        const SnapshotPointer body = test::inside(own, "outer", QStringLiteral("body"));
        PartitionModel model;
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setSnapshot(own);
        QVERIFY(!model.isInside());
        model.setSnapshot(body);
        QVERIFY(model.isInside());
        QCOMPARE(model.snapshot(), own);
        const int row = int(own->subgraphOf(loop));
        QCOMPARE(model.rowOf({}), row);
        QCOMPARE(model.rowOf(Item::of(test::nodeNamed(*body, "choice"))), row);
        QCOMPARE(model.rowOf(Item::subgraph(0)), 0);
    }

private:
    SnapshotPointer m_plain, m_partitioned;
};

GRAPHLOOM_WINDOW_TESTS(PartitionModelTest)

} // namespace graphloom::test::partition_model_test

#include "partition_model_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fusion/partition_panel.h"

#include "app/widgets/histogram_view.h"
#include "tests/support/app/window_driver.h"

#include <QBarCategoryAxis>
#include <QBarSeries>
#include <QBarSet>
#include <QChart>
#include <QLabel>
#include <QSignalSpy>
#include <QTableView>

namespace graphloom::test::partition_panel_test {

class PartitionPanelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_plain = test::snapshotOfSample("mobilenet_v2_224.onnx");
        m_partitioned = test::partitionedSample("mobilenet_v2_224.onnx");
        QVERIFY(m_plain && m_partitioned && m_partitioned->baseline);
    }

    void init()
    {
        m_selection.clear();
        m_panel = std::make_unique<PartitionPanel>(m_selection);
        const auto theme = loadTheme(QStringLiteral("dark"));
        QVERIFY(theme);
        m_panel->setTheme(*theme);
        m_panel->resize(900, 260);
        m_panel->setSnapshot(m_partitioned);
        m_panel->show();
    }

    void hintsUntilThereIsAPartition()
    {
        QVERIFY(!m_panel->isEmpty());
        m_panel->setSnapshot(m_plain);
        QVERIFY(m_panel->isEmpty());
        QCOMPARE(m_panel->statisticsText(), QString());
    }

    void rowsSelectSubgraphs()
    {
        m_panel->table().selectRow(2);
        QCOMPARE(m_selection.item(), Item::subgraph(2));
        QTest::keyClick(&m_panel->table(), Qt::Key_Down);
        QCOMPARE(m_selection.item(), Item::subgraph(3));
    }

    void theSelectionMovesTheRow()
    {
        m_selection.select(Item::subgraph(4));
        QCOMPARE(m_panel->table().currentIndex().row(), 4);
        const NodeId node = m_partitioned->graph().order().back();
        m_selection.select(Item::of(node));
        QCOMPARE(m_panel->table().currentIndex().row(), int(m_partitioned->subgraphOf(node)));
        QCOMPARE(m_selection.item(), Item::of(node)); // and nothing else is selected instead
    }

    void aClickOnTheRowOfTheSelectedNodeSelectsItsSubgraph()
    {
        const NodeId node = m_partitioned->graph().order().back();
        m_selection.select(Item::of(node));
        QTableView &table = m_panel->table();
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                          table.visualRect(table.currentIndex()).center());
        QCOMPARE(m_selection.item(), Item::subgraph(m_partitioned->subgraphOf(node)));
    }

    void nothingSelectedIsNoRow()
    {
        m_selection.select(Item::subgraph(4));
        m_selection.clear();
        QVERIFY(!m_panel->table().selectionModel()->hasSelection());
    }

    void rowsAreFoundWhenSorted()
    {
        m_panel->table().sortByColumn(PartitionModel::Weight, Qt::DescendingOrder);
        const QAbstractItemModel &sorted = *m_panel->table().model();
        for (int row = 1; row < sorted.rowCount(); ++row)
            QVERIFY(weightAt(row - 1) >= weightAt(row));
        m_panel->table().selectRow(0);
        QCOMPARE(m_selection.item(),
                 Item::subgraph(sorted.index(0, PartitionModel::Index).data().toUInt()));
    }

    void enterActivates()
    {
        QSignalSpy activated(m_panel.get(), &PartitionPanel::activated);
        m_panel->table().selectRow(1);
        QTest::keyClick(&m_panel->table(), Qt::Key_Return);
        QCOMPARE(activated.size(), 1);
        QCOMPARE(activated[0][0].value<Item>(), Item::subgraph(1));
    }

    void theHistogramHasBothPartitions()
    {
        const auto &sets = m_panel->histogram().sets();
        QCOMPARE(sets.size(), std::size_t(2));
        QCOMPARE(countsOf(*sets[0]), m_partitioned->partition->histogram);
        QCOMPARE(countsOf(*sets[1]), m_partitioned->baseline->histogram);
    }

    void everyBinHasALabelThatFits()
    {
        auto *axis = qobject_cast<QBarCategoryAxis *>(
            m_panel->histogram().chart()->axes(Qt::Horizontal).front());
        QVERIFY(axis);
        QCOMPARE(axis->count(), m_panel->histogram().sets().front()->count());
        const QFontMetrics metrics(axis->labelsFont());
        const int room = m_panel->histogram().minimumWidth() / axis->count();
        for (const QString &label : axis->categories())
            QVERIFY2(metrics.horizontalAdvance(label) < room, qPrintable(label));
    }

    void theBinOfTheSelectionIsMarked()
    {
        m_selection.select(Item::subgraph(0));
        const auto bin = int(weightBin(m_partitioned->partition->rows[0].weight));
        QCOMPARE(m_panel->histogram().sets().front()->selectedBars(), QList<int>{bin});
        m_selection.clear();
        QVERIFY(m_panel->histogram().sets().front()->selectedBars().isEmpty());
    }

    void clicksOnABarGoThroughItsSubgraphs()
    {
        const auto &rows = m_partitioned->partition->rows;
        const auto bin = weightBin(rows.back().weight);
        std::set<std::uint32_t> wanted, visited;
        for (std::uint32_t i = 0; i < rows.size(); ++i)
            if (weightBin(rows[i].weight) == bin)
                wanted.insert(i);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            Q_EMIT m_panel->histogram().binClicked(int(bin));
            visited.insert(m_selection.item().index);
        }
        QCOMPARE(visited, wanted);
    }

    void statisticsOfBothAreSaid()
    {
        const QString text = m_panel->statisticsText();
        QVERIFY2(text.contains(
                     QStringLiteral("%1 subgraphs").arg(m_partitioned->partition->rows.size())),
                 qPrintable(text));
        QVERIFY2(
            text.contains(QStringLiteral("%1 subgraphs").arg(m_partitioned->baseline->rows.size())),
            qPrintable(text));
        QVERIFY2(text.count(QStringLiteral("Jain")) == 2, qPrintable(text));
        QVERIFY2(text.count(QStringLiteral("Td")) == 1, qPrintable(text)); // the baseline has none
    }

    void theSelectionSurvivesASnapshot()
    {
        m_selection.select(Item::subgraph(3));
        m_panel->setSnapshot(std::make_shared<const Snapshot>(*m_partitioned));
        QCOMPARE(m_selection.item(), Item::subgraph(3));
        QCOMPARE(m_panel->table().currentIndex().row(), 3);
    }

private:
    double weightAt(int row) const
    {
        const auto subgraph =
            m_panel->table().model()->index(row, PartitionModel::Index).data().toUInt();
        return m_partitioned->partition->rows[subgraph].weight;
    }
    /// Without the bins above the highest that is not empty.
    static std::vector<std::size_t> countsOf(const QBarSet &set)
    {
        std::vector<std::size_t> counts;
        for (int i = 0; i < set.count(); ++i)
            counts.push_back(std::size_t(set.at(i)));
        while (!counts.empty() && counts.back() == 0)
            counts.pop_back();
        return counts;
    }

    SnapshotPointer m_plain, m_partitioned;
    Selection m_selection;
    std::unique_ptr<PartitionPanel> m_panel;
};

GRAPHLOOM_WINDOW_TESTS(PartitionPanelTest)

} // namespace graphloom::test::partition_panel_test

#include "partition_panel_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Widths of columns: those of their content, unless the user has chosen others.
#include "app/widgets/table.h"

#include "app/widgets/chip_delegate.h"
#include "tests/support/app/window_driver.h"

#include <QHeaderView>
#include <QStandardItemModel>
#include <QTableView>

namespace graphloom::test::table_test {

class TableTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_model = std::make_unique<QStandardItemModel>(1, 3);
        m_view = std::make_unique<QTableView>();
        m_view->setModel(m_model.get());
        setUpTable(*m_view);
        new ColumnFit(*m_view);
        m_view->resize(600, 200);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    void cleanup() { m_view.reset(); }

    void aDraggedColumnKeepsItsWidth()
    {
        const int before = m_view->columnWidth(0);
        drag(0, 50);
        QCOMPARE(m_view->columnWidth(0), before + 50);
        widen(0);
        QCOMPARE(m_view->columnWidth(0), before + 50);
    }

    void aColumnBesideItIsStillFitted()
    {
        drag(0, 50);
        const int before = m_view->columnWidth(1);
        widen(1);
        QVERIFY(m_view->columnWidth(1) > before);
    }

    void aWidthThatTheProgramSetsIsNotKept()
    {
        QTest::mousePress(m_view->viewport(), Qt::LeftButton, {}, {5, 5}); // not on the header
        m_view->setColumnWidth(0, 40);
        QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, {}, {5, 5});
        widen(0);
        QVERIFY(m_view->columnWidth(0) > 40);
    }

    void aColumnGrowsWithItsValues()
    {
        m_model->setItem(0, 1, new QStandardItem(QStringLiteral("running")));
        m_view->findChild<ColumnFit *>()->measure();
        const int before = m_view->columnWidth(1);
        m_model->item(0, 1)->setText(QStringLiteral("done: 53 blocks, 21 subgraphs"));
        QTRY_VERIFY(m_view->columnWidth(1) > before);
        const int grown = m_view->columnWidth(1);
        m_model->item(0, 1)->setText(QStringLiteral("done"));
        QTest::qWait(300); // more than what is waited for changes
        QCOMPARE(m_view->columnWidth(1), grown);
    }

    void chipsHaveRoomBesideTheirTexts()
    {
        m_view->setItemDelegateForColumn(0, new ChipDelegate(m_view.get()));
        widen(0);
        widen(1);
        QCOMPARE(m_view->columnWidth(0), m_view->columnWidth(1) + ChipDelegate::room);
    }

private:
    /// Drags the right edge of a column.
    void drag(int column, int by)
    {
        QHeaderView &header = *m_view->horizontalHeader();
        const QPoint edge(header.sectionViewportPosition(column) + header.sectionSize(column) - 1,
                          header.height() / 2);
        QTest::mouseMove(header.viewport(), edge);
        QTest::mousePress(header.viewport(), Qt::LeftButton, {}, edge);
        QTest::mouseMove(header.viewport(), edge + QPoint(by, 0));
        QTest::mouseRelease(header.viewport(), Qt::LeftButton, {}, edge + QPoint(by, 0));
    }
    /// Gives a cell a longer text, and lets the table measure its content.
    void widen(int column)
    {
        m_model->setItem(0, column, new QStandardItem(QString(20, 'x')));
        m_view->findChild<ColumnFit *>()->measure();
    }

    std::unique_ptr<QStandardItemModel> m_model;
    std::unique_ptr<QTableView> m_view;
};

GRAPHLOOM_WINDOW_TESTS(TableTest)

} // namespace graphloom::test::table_test

#include "table_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/nodes/node_list_panel.h"
#include "app/properties/properties_panel.h"
#include "app/status/message_panel.h"
#include "tests/support/app/window_driver.h"

#include <QAction>
#include <QClipboard>
#include <QLineEdit>
#include <QListView>
#include <QSignalSpy>
#include <QTableView>
#include <QTextEdit>
#include <QTreeView>

namespace graphloom::test::list_panels_test {

/// The panels of nodes, properties and messages.
class ListPanelsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_selection.clear();
        m_nodes = std::make_unique<NodeListPanel>(m_selection);
        m_nodes->setSnapshot(m_snapshot);
        m_nodes->show();
        m_properties = std::make_unique<PropertiesPanel>(m_selection);
        m_properties->setSnapshot(m_snapshot);
        m_properties->show();
    }

    void aRowSelectsItsNode()
    {
        m_nodes->table().selectRow(5);
        QCOMPARE(m_selection.item(), Item::of(m_snapshot->graph().order()[5]));
    }

    void theSelectionMovesTheRow()
    {
        m_selection.select(Item::of(m_snapshot->graph().order()[7]));
        QCOMPARE(m_nodes->table().currentIndex().row(), 7);
        m_selection.select(Item::input(m_snapshot->graph().inputs().front()));
        QVERIFY(!m_nodes->table().selectionModel()->hasSelection());
    }

    void filteringKeepsTheSelection()
    {
        const Item item = Item::of(m_snapshot->graph().order()[7]);
        m_selection.select(item);
        QTest::keyClicks(&m_nodes->filterEdit(), QStringLiteral("globalaverage"));
        QVERIFY(m_nodes->filter().rowCount() < 3);
        QCOMPARE(m_selection.item(), item);
        m_nodes->filterEdit().clear();
        QCOMPARE(m_nodes->filter().rowCount(), m_nodes->model().rowCount());
        QCOMPARE(m_selection.item(), item);
    }

    void anotherModelIsListedFromItsTop()
    {
        m_nodes->table().scrollToBottom();
        m_nodes->setSnapshot(m_snapshot); // the same: the list stays where it is
        QVERIFY(m_nodes->table().rowAt(0) > 0);
        m_nodes->setSnapshot(test::snapshotOfSample("shufflenet_v2_x1_0_224.onnx"));
        QCOMPARE(m_nodes->table().rowAt(0), 0);
    }

    void enterInTheFilterGoesToTheFirstRow()
    {
        QTest::keyClicks(&m_nodes->filterEdit(), QStringLiteral("globalaverage\r"));
        QCOMPARE(m_selection.item(),
                 m_nodes->model().itemAt(
                     m_nodes->filter().mapToSource(m_nodes->filter().index(0, 0)).row()));
    }

    void enterOnARowActivates()
    {
        QSignalSpy activated(m_nodes.get(), &NodeListPanel::activated);
        m_nodes->table().selectRow(5);
        QTest::keyClick(&m_nodes->table(), Qt::Key_Return);
        QCOMPARE(activated.size(), 1);
        QCOMPARE(activated[0][0].value<Item>(), Item::of(m_snapshot->graph().order()[5]));
    }

    void propertiesFollowTheSelection()
    {
        QVERIFY(m_properties->isEmpty());
        m_selection.select(Item::of(m_snapshot->graph().order().front()));
        QVERIFY(!m_properties->isEmpty());
        const QModelIndex section = m_properties->model().index(0, 0);
        QCOMPARE(m_properties->model().index(0, PropertyModel::Value, section).data().toString(),
                 QStringLiteral("Conv"));
        m_selection.clear();
        QVERIFY(m_properties->isEmpty());
    }

    void propertiesAreOpen()
    {
        m_selection.select(Item::of(m_snapshot->graph().order().front()));
        for (int row = 0; row < m_properties->model().rowCount(); ++row)
            QVERIFY(m_properties->tree().isExpanded(m_properties->model().index(row, 0)));
    }

    void aValueCanBeCopied()
    {
        m_selection.select(Item::of(m_snapshot->graph().order().front()));
        const QModelIndex section = m_properties->model().index(0, 0);
        m_properties->tree().setCurrentIndex(m_properties->model().index(0, 0, section));
        m_properties->tree().actions().front()->trigger();
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("Conv"));
    }

    void copiedFormulasHavePlainSpaces()
    {
        m_properties->model().setSections(
            {{QStringLiteral("s"),
              {{QStringLiteral("axes"), QStringLiteral("Σ\u00a0i\u00a0<\u00a03"), true}}}});
        m_properties->tree().setCurrentIndex(
            m_properties->model().index(0, 0, m_properties->model().index(0, 0)));
        m_properties->tree().actions().front()->trigger();
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("Σ i < 3"));
    }

    void longValuesWrap()
    {
        m_properties->resize(260, 600);
        PropertyModel &model = m_properties->model();
        m_selection.select(Item::of(m_snapshot->graph().order().front()));
        m_properties->resize(260, 600);
        model.setSections({{QStringLiteral("s"),
                            {{QStringLiteral("n"), QString(400, 'x')},
                             {QStringLiteral("n"), QStringLiteral("x")}}}});
        m_properties->tree().expandAll();
        const QModelIndex section = model.index(0, 0);
        QTreeView &tree = m_properties->tree();
        QVERIFY(tree.visualRect(model.index(0, 1, section)).height() >
                4 * tree.visualRect(model.index(1, 1, section)).height());
    }

    void theNewestMessageIsShownWithItsDetails()
    {
        MessageModel messages;
        MessagePanel panel(messages);
        QVERIFY(panel.isEmpty());
        messages.add(MessageModel::Severity::Info, QStringLiteral("first"));
        messages.add(MessageModel::Severity::Error, QStringLiteral("second"),
                     QStringLiteral("because"));
        QVERIFY(!panel.isEmpty());
        QCOMPARE(panel.findChild<QTextEdit *>()->toPlainText(),
                 QStringLiteral("second\n\nbecause"));
        panel.list().setCurrentIndex(messages.index(1));
        QCOMPARE(panel.findChild<QTextEdit *>()->toPlainText(), QStringLiteral("first"));
    }

    void clearedMessagesLeaveTheHint()
    {
        MessageModel messages;
        MessagePanel panel(messages);
        messages.add(MessageModel::Severity::Info, QStringLiteral("first"));
        for (QAction *action : panel.list().actions())
            if (action->text().contains(QStringLiteral("Clear")))
                action->trigger();
        QVERIFY(panel.isEmpty());
        QCOMPARE(panel.findChild<QTextEdit *>()->toPlainText(), QString());
    }

private:
    const SnapshotPointer m_snapshot = test::mobileNet();
    Selection m_selection;
    std::unique_ptr<NodeListPanel> m_nodes;
    std::unique_ptr<PropertiesPanel> m_properties;
};

GRAPHLOOM_WINDOW_TESTS(ListPanelsTest)

} // namespace graphloom::test::list_panels_test

#include "list_panels_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/nodes/hierarchy_panel.h"

#include "app/drawing/visible_graph.h"
#include "tests/support/app/made_plans.h"
#include "tests/support/app/module_graphs.h"

#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTreeView>

namespace graphloom::test::hierarchy_panel_test {

class HierarchyPanelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_snapshot = test::fusedSample("mobilenet_v2_224.onnx");
        QVERIFY(m_snapshot);
    }

    void init()
    {
        m_selection.clear();
        m_panel = std::make_unique<HierarchyPanel>(m_selection);
        m_panel->setGrouping(Grouping::Modules);
        m_panel->setSnapshot(m_snapshot);
        m_panel->resize(400, 600);
        m_panel->show();
    }

    void sectionsHoldEveryNode()
    {
        HierarchyModel &model = m_panel->model();
        const QAbstractItemModelTester tester(&model);
        QCOMPARE(model.rowCount(), 2);
        for (int section = 0; section < 2; ++section) {
            std::size_t nodes = 0;
            const auto count = [&](auto &self, const QModelIndex &parent) -> void {
                for (int row = 0; row < model.rowCount(parent); ++row) {
                    const QModelIndex index = model.index(row, 0, parent);
                    QCOMPARE(model.parent(index), parent);
                    nodes += model.itemAt(index).kind == Item::Kind::Node;
                    self(self, index);
                }
            };
            count(count, model.index(section, 0));
            QCOMPARE(nodes, m_snapshot->graph().nodeCount());
        }
    }

    void everyItemHasItsPlace()
    {
        HierarchyModel &model = m_panel->model();
        for (const NodeId id : m_snapshot->graph().order())
            QCOMPARE(model.itemAt(model.indexOf(Item::of(id), Grouping::Modules)), Item::of(id));
        for (std::uint32_t g = 0; g < m_snapshot->modules->groups.size(); ++g)
            QCOMPARE(model.itemAt(model.indexOf(Item::module(g), Grouping::None)), Item::module(g));
    }

    void theSelectionOpensTheWay()
    {
        const Item item = Item::of(m_snapshot->graph().order()[30]);
        m_selection.select(item);
        QCOMPARE(m_panel->model().itemAt(m_panel->tree().currentIndex()), item);
        QVERIFY(m_panel->tree().visualRect(m_panel->tree().currentIndex()).isValid());
    }

    void aRowSelectsItsGroup()
    {
        m_panel->tree().setCurrentIndex(
            m_panel->model().indexOf(Item::module(0), Grouping::Modules));
        QCOMPARE(m_selection.item(), Item::module(0));
    }

    void theBoxAsksToCloseAGroup()
    {
        QSignalSpy wanted(m_panel.get(), &HierarchyPanel::collapseWanted);
        const QModelIndex index = m_panel->model().indexOf(Item::module(1), Grouping::Modules);
        QCOMPARE(index.data(Qt::CheckStateRole).toInt(), int(Qt::Checked));
        m_panel->tree().setCurrentIndex(index);
        QTest::keyClick(&m_panel->tree(), Qt::Key_Space);
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted[0][0].value<Item>(), Item::module(1));
        QCOMPARE(wanted[0][1].toBool(), true);
        m_panel->setCollapsed({Item::module(1)});
        QCOMPARE(index.data(Qt::CheckStateRole).toInt(), int(Qt::Unchecked));
    }

    void enterActivates()
    {
        QSignalSpy activated(m_panel.get(), &HierarchyPanel::activated);
        m_panel->tree().setCurrentIndex(
            m_panel->model().indexOf(Item::module(0), Grouping::Modules));
        QTest::keyClick(&m_panel->tree(), Qt::Key_Return);
        QCOMPARE(activated.size(), 1);
    }

    void aFilterLeavesMatchesAndWhatIsAroundThem()
    {
        HierarchyModel &model = m_panel->model();
        const std::size_t all = model.entryCount();
        m_panel->filterEdit().setText(QStringLiteral("op:GlobalAveragePool"));
        QTRY_VERIFY(model.entryCount() < 8);
        m_panel->filterEdit().setText(QStringLiteral("features.4"));
        QTRY_VERIFY(model
                        .indexOf(Item::module(m_snapshot->modules->find("features/features.4")),
                                 Grouping::Modules)
                        .isValid() ||
                    m_snapshot->modules->find("features/features.4") == GroupForest::none);
        m_panel->filterEdit().clear();
        QTRY_COMPARE(model.entryCount(), all);
    }

    void withoutGroupsThereIsAHint()
    {
        m_panel->setSnapshot(test::snapshotOfGraph(test::named({"a", "b"})));
        QVERIFY(m_panel->isEmpty());
    }

private:
    SnapshotPointer m_snapshot;
    Selection m_selection;
    std::unique_ptr<HierarchyPanel> m_panel;
};

GRAPHLOOM_WINDOW_TESTS(HierarchyPanelTest)

} // namespace graphloom::test::hierarchy_panel_test

#include "hierarchy_panel_test.moc"

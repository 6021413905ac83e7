// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graph/breadcrumbs.h"

#include "app/snapshot/nested_snapshot.h"
#include "tests/support/app/window_driver.h"

#include <QAction>
#include <QMenu>
#include <QSignalSpy>
#include <QToolButton>

namespace graphloom::test::breadcrumbs_test {

using test::inside;

class BreadcrumbsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_own = test::nestedSnapshot();
        QVERIFY(m_own);
        m_body = inside(m_own, "outer", QStringLiteral("body"));
        m_branch = inside(m_body, "choice", QStringLiteral("then_branch"));
        m_inner = inside(m_branch, "inner", QStringLiteral("body"));
        QVERIFY(m_inner);
    }

    void init()
    {
        m_bar = std::make_unique<Breadcrumbs>(&m_up);
        m_bar->setSnapshot(m_inner, QStringLiteral("model.onnx"));
        m_bar->show();
    }

    void hiddenWithoutNestedGraphs()
    {
        QVERIFY(!m_bar->isHidden());
        m_bar->setSnapshot(test::snapshotOfSample("mobilenet_v2_224.onnx"), {});
        QVERIFY(m_bar->isHidden());
        m_bar->setSnapshot(m_own, {});
        QVERIFY(!m_bar->isHidden());
        m_bar->setSnapshot(nullptr, {});
        QVERIFY(m_bar->isHidden());
    }

    void aCrumbForEachGraphAround()
    {
        QCOMPARE(
            m_bar->titles(),
            QStringList({QStringLiteral("model.onnx"), QStringLiteral("outer › body"),
                         QStringLiteral("choice › then_branch"), QStringLiteral("inner › body")}));
        m_bar->setSnapshot(m_own, QStringLiteral("model.onnx"));
        QCOMPARE(m_bar->titles(), QStringList({QStringLiteral("model.onnx")}));
    }

    void crumbsAreNamedAndReachedByTheKeyboard()
    {
        QCOMPARE(crumbs().size(), 3); // the last one is shown already
        for (const QToolButton *crumb : crumbs()) {
            QVERIFY(!crumb->accessibleName().isEmpty());
            QVERIFY(crumb->focusPolicy() & Qt::TabFocus);
        }
    }

    void aCrumbLeadsToItsGraphAndTheNodeThatWasGoneInto()
    {
        QSignalSpy chosen(m_bar.get(), &Breadcrumbs::chosen);
        crumbs()[1]->click();
        QCOMPARE(chosen.size(), 1);
        const Place place = chosen[0][0].value<Place>();
        QCOMPARE(place.path, m_body->path);
        QCOMPARE(place.item, Item::of(test::nodeNamed(*m_body, "choice")));
    }

    void theMenuListsNestedGraphs()
    {
        m_bar->setSnapshot(m_own, {});
        QCOMPARE(m_bar->nestedButton().text(), QStringLiteral("3 nested graphs"));
        m_bar->nestedButton().click();
        QMenu &menu = m_bar->nestedMenu();
        QVERIFY(menu.isVisible());
        QStringList entries;
        for (const QAction *action : menu.actions())
            entries << action->text();
        QCOMPARE(entries, QStringList({QStringLiteral("outer › body: 2 nodes"),
                                       QStringLiteral("pick › else_branch: 0 nodes"),
                                       QStringLiteral("pick › then_branch: 2 nodes")}));
        QSignalSpy chosen(m_bar.get(), &Breadcrumbs::chosen);
        menu.actions().front()->trigger();
        QCOMPARE(chosen[0][0].value<Place>().path, m_body->path);
    }

    void aLongMenuEndsWithTheSearch()
    {
        GraphEditor editor;
        for (int i = 0; i < 41; ++i) {
            Node node;
            node.op = "Loop";
            node.name = "loop" + std::to_string(i);
            node.attributes = Attributes({{"body", std::make_shared<const Graph>()}});
            editor.addNode(std::move(node));
        }
        Plan plan;
        plan.graph = *std::move(editor).finish();
        plan.model = m_own->plan->model;
        m_bar->setSnapshot(snapshotOf(std::make_shared<const Plan>(std::move(plan)), nullptr, {}),
                           {});
        m_bar->nestedButton().click();
        QSignalSpy wanted(m_bar.get(), &Breadcrumbs::findWanted);
        m_bar->nestedMenu().actions().back()->trigger();
        QCOMPARE(wanted.size(), 1);
    }

    void longWaysAreCutInTheMiddle()
    {
        constexpr int depth = 9;
        auto graph = std::make_shared<const Graph>();
        for (int level = depth; level-- > 0;) {
            GraphEditor editor;
            Node node;
            node.op = "Loop";
            node.name = "level" + std::to_string(level);
            node.attributes = Attributes({{"body", graph}});
            editor.addNode(std::move(node));
            graph = std::make_shared<const Graph>(*std::move(editor).finish());
        }
        Plan plan;
        plan.graph = *graph;
        plan.model = m_own->plan->model;
        SnapshotPointer shown =
            snapshotOf(std::make_shared<const Plan>(std::move(plan)), nullptr, {});
        for (int level = 0; level < depth; ++level)
            shown = insideOf(shown, shown->facts->nested.front().step);
        m_bar->setSnapshot(shown, QStringLiteral("model.onnx"));
        QCOMPARE(m_bar->titles().mid(0, 3),
                 QStringList({QStringLiteral("model.onnx"), QStringLiteral("…"),
                              QStringLiteral("level4 › body")}));
        QCOMPARE(m_bar->titles().back(), QStringLiteral("level8 › body"));
        QSignalSpy chosen(m_bar.get(), &Breadcrumbs::chosen);
        crumbs()[1]->click(); // to the innermost of those left out
        QCOMPARE(chosen[0][0].value<Place>().path.size(), std::size_t(4));
    }

    void longNamesWidenNoWindow()
    {
        m_bar->setSnapshot(m_inner, QString(200, 'x'));
        QVERIFY2(m_bar->minimumSizeHint().width() < 300,
                 qPrintable(QString::number(m_bar->minimumSizeHint().width())));
    }

    void aGraphWithoutNestedOnesHasNoMenu() { QVERIFY(m_bar->nestedButton().isHidden()); }

private:
    QList<QToolButton *> crumbs()
    {
        QList<QToolButton *> shown;
        for (auto *crumb : m_bar->findChildren<QToolButton *>(QStringLiteral("crumb")))
            if (!crumb->isHidden())
                shown << crumb;
        return shown;
    }

    QAction m_up;
    SnapshotPointer m_own, m_body, m_branch, m_inner;
    std::unique_ptr<Breadcrumbs> m_bar;
};

GRAPHLOOM_WINDOW_TESTS(BreadcrumbsTest)

} // namespace graphloom::test::breadcrumbs_test

#include "breadcrumbs_test.moc"

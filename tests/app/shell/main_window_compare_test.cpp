// SPDX-License-Identifier: GPL-3.0-or-later
// The window while plans are compared, driven as a person would.
#include "app/compare/compare_panel.h"
#include "app/graph/canvas_page.h"
#include "app/memory/memory_panel.h"
#include "app/properties/properties_panel.h"
#include "app/runs/pass_panel.h"
#include "app/runs/run_panel.h"
#include "app/shell/panel_docks.h"
#include "tests/support/app/window_driver.h"

#include <QClipboard>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>

namespace graphloom::test::main_window_compare_test {

using test::WindowDriver;

class MainWindowCompareTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_driver = std::make_unique<WindowDriver>(test::builtPlugins());
        QVERIFY(m_driver->open(test::sample("mobilenet_v2_224.onnx")));
    }
    void cleanup() { m_driver.reset(); }

    void nothingIsComparedAtFirst()
    {
        QVERIFY(panel().isEmpty());
        const Actions &a = window().actions();
        QVERIFY(a.compareOriginal->isEnabled() && a.compareFile->isEnabled());
        QVERIFY(!a.comparePrevious->isEnabled() && !a.compareRun->isEnabled());
        QVERIFY(!a.nextDifference->isEnabled() && !a.endComparison->isEnabled());
    }

    void aPassIsComparedWithTheModelAsOpened()
    {
        QVERIFY(fuse());
        QTest::keyClick(&window(), Qt::Key_D, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        QVERIFY(!panel().isEmpty());
        QVERIFY(window().panels().dock(QStringLiteral("compare")).isVisible());
        QVERIFY2(panel().summary().contains(QStringLiteral("original model")),
                 qPrintable(panel().summary()));
        QVERIFY(panel().differences().rowCount() > 0);
        QVERIFY(panel().metrics().rowCount() > 5);
        QCOMPARE(panel().origins().rowCount(),
                 int(window().session().snapshot()->plan->model->graph.nodeCount()));
        QVERIFY(panel().canvas().drawing());
    }

    void buttonsAreBelowTheSummaryOfANarrowPanel()
    {
        QVERIFY(compareWithOriginal());
        const auto *summary = panel().findChild<QLabel *>(QStringLiteral("differenceLine"));
        const QToolButton &button = panel().onlyDifferent();
        const auto placeOf = [this](const QWidget &part) {
            return QRect(part.mapTo(&panel(), QPoint(0, 0)), part.size());
        };
        window().resize(2600, 1080);
        QTRY_VERIFY(placeOf(button).left() > placeOf(*summary).left());
        window().resize(1024, 600);
        QTRY_VERIFY(placeOf(button).top() > placeOf(*summary).bottom());
        QVERIFY(summary->width() > panel().width() * 3 / 4); // not a word a line
    }

    void keysGoFromDifferenceToDifference()
    {
        QVERIFY(compareWithOriginal());
        QTest::keyClick(&window(), Qt::Key_F4);
        const Item first = panel().selection().item();
        QVERIFY(first);
        QVERIFY(panel().differences().rowOf(first) >= 0);
        QTest::keyClick(&window(), Qt::Key_F4);
        const Item second = panel().selection().item();
        QVERIFY(second && second != first);
        QTest::keyClick(&window(), Qt::Key_F4, Qt::ShiftModifier);
        QCOMPARE(panel().selection().item(), first);
        QTest::keyClick(&window(), Qt::Key_F4, Qt::ShiftModifier); // around the end
        QVERIFY(panel().selection().item() != first);
    }

    void theSelectionGoesThroughBoth()
    {
        QVERIFY(compareWithOriginal());
        const NodeId node = window().session().snapshot()->graph().order()[3];
        window().selection().select(Item::of(node));
        QCOMPARE(panel().selection().item(), Item::of(node));
        // And back, by a click on a row of something that the present plan has.
        QTableView &table = panel().differenceTable().table();
        for (int row = 0; row < table.model()->rowCount(); ++row) {
            const Item item = panel().differences().itemAt(
                panel().differenceTable().rowAt(table.model()->index(row, 0)));
            if (item.kind != Item::Kind::Node ||
                !panel().difference()->differenceOf(item).now.valid() || item == Item::of(node))
                continue;
            table.scrollTo(table.model()->index(row, 1));
            QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                              table.visualRect(table.model()->index(row, 1)).center());
            QCOMPARE(window().selection().item(), panel().selectedNow());
            QCOMPARE(panel().selection().item(), item);
            return;
        }
        QFAIL("the present plan has nothing that differs");
    }

    void differencesAreFilteredAndCopied()
    {
        QVERIFY(compareWithOriginal());
        const int all = panel().differenceTable().filter().rowCount();
        QTest::keyClicks(&panel().differenceTable().edit(), QStringLiteral("removed"));
        const int removed = panel().differenceTable().filter().rowCount();
        QVERIFY(removed < all || all == removed);
        panel().differenceTable().edit().clear();
        QTest::mouseClick(panel().differenceTable().findChild<QToolButton *>(), Qt::LeftButton);
        QTRY_VERIFY(QApplication::clipboard()->text().contains(QStringLiteral("Changes")));
    }

    void propertiesLeadToOriginalNodes()
    {
        QVERIFY(fuse());
        const Snapshot &snapshot = *window().session().snapshot();
        NodeId merged;
        for (const NodeId id : snapshot.graph().order())
            if (snapshot.origins->originals[id.index].size() > 1)
                merged = id;
        if (!merged.valid())
            merged = snapshot.graph().order()[2];
        window().selection().select(Item::of(merged));
        PropertyModel &model = window().view<PropertiesPanel>().model();
        QModelIndex link;
        for (int section = 0; section < model.rowCount(); ++section)
            if (model.index(section, 0).data().toString() == QLatin1String("Original nodes"))
                link = model.index(0, PropertyModel::Value, model.index(section, 0));
        QVERIFY(link.isValid());
        QTreeView &tree = window().view<PropertiesPanel>().tree();
        tree.scrollTo(link);
        QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, tree.visualRect(link).center());
        QVERIFY(m_driver->settle());
        QVERIFY(!panel().isEmpty());
        const Item selected = panel().selection().item();
        QVERIFY(selected);
        QVERIFY(panel().difference()->differenceOf(selected).before.valid());
        QVERIFY(panel().originTable().currentRow() >= 0);
    }

    void originalsAndSuccessorsAreFound()
    {
        QVERIFY(compareWithOriginal());
        for (const NodeDifference &difference : panel().difference()->graphs().nodes) {
            if (difference.kind != Difference::Removed || difference.related.empty())
                continue;
            const Item gone = panel().difference()->itemOf(difference);
            panel().selectItems({gone});
            QVERIFY(window().actions().showSuccessors->isEnabled());
            window().actions().showSuccessors->trigger();
            QVERIFY(panel().selection().contains(Item::of(difference.related.front())));
            panel().canvas().setFocus();
            return;
        }
        QSKIP("nothing was merged");
    }

    void theStepBeforeCanBeCompared()
    {
        QVERIFY(fuse());
        QTest::keyClick(&window(), Qt::Key_D, Qt::ControlModifier | Qt::AltModifier);
        QVERIFY(m_driver->settle());
        QVERIFY(panel().summary().contains(QStringLiteral("before the last change")));
        QCOMPARE(panel().difference()->before->history.size(), std::size_t(0));
    }

    void aRunCanBeCompared()
    {
        QVERIFY(fuse());
        window().session().undoStack().undo();
        QVERIFY(m_driver->settle());
        window().view<RunPanel>().choose(1);
        QVERIFY(window().actions().compareRun->isEnabled());
        window().actions().compareRun->trigger();
        QVERIFY(m_driver->settle());
        QVERIFY2(panel().summary().contains(QStringLiteral("run 1")),
                 qPrintable(panel().summary()));
        QVERIFY(panel().difference()->before->fusion != nullptr);
    }

    void anotherFileCanBeCompared()
    {
        window().bench().comparison.compareWithFile(test::sample("bert_tiny.onnx"));
        QVERIFY(m_driver->settle());
        QVERIFY(panel().summary().contains(QStringLiteral("bert_tiny.onnx")));
        QVERIFY(!panel().difference()->comparison.sameModel);
    }

    void aSessionCanBeCompared()
    {
        QVERIFY(fuse());
        const auto file = m_driver->scratch("fused.gloom");
        window().bench().documents.saveTo(file);
        QVERIFY(m_driver->settle());
        QTRY_VERIFY(std::filesystem::exists(file));
        QTRY_VERIFY(!window().session().isSaving());
        window().bench().comparison.compareWithFile(file);
        QVERIFY(m_driver->settle());
        QVERIFY2(panel().difference(), qPrintable(m_driver->message()));
        QVERIFY(panel().difference()->graphs().isSame());
    }

    void aFileThatCannotBeReadIsTold()
    {
        window().bench().comparison.compareWithFile(m_driver->scratch("none.onnx"));
        QVERIFY(m_driver->settle());
        QVERIFY2(m_driver->message().startsWith(QStringLiteral("Cannot compare")),
                 qPrintable(m_driver->message()));
        QVERIFY(panel().isEmpty());
    }

    void anotherPlanMakesItStale()
    {
        QVERIFY(compareWithOriginal());
        QVERIFY(!panel().summary().contains(QStringLiteral("compare again")));
        window().session().undoStack().undo();
        QVERIFY(m_driver->settle());
        QVERIFY(panel().summary().contains(QStringLiteral("compare again")));
        window().session().undoStack().redo();
        QVERIFY(m_driver->settle());
        QVERIFY(!panel().summary().contains(QStringLiteral("compare again")));
    }

    void endingShowsThePlanAlone()
    {
        QVERIFY(compareWithOriginal());
        QVERIFY(window().actions().endComparison->isEnabled());
        window().actions().endComparison->trigger();
        QVERIFY(panel().isEmpty());
        QVERIFY(!panel().canvas().drawing());
        QVERIFY(!window().actions().endComparison->isEnabled());
    }

    void anotherModelEndsTheComparison()
    {
        QVERIFY(compareWithOriginal());
        QVERIFY(m_driver->open(test::sample("bert_tiny.onnx")));
        QVERIFY(panel().isEmpty());
    }

    void onlyDifferencesAreDrawnWhenAsked()
    {
        QVERIFY(compareWithOriginal());
        const std::size_t all = panel().canvas().drawing()->graph.nodes.size();
        QTest::mouseClick(&panel().onlyDifferent(), Qt::LeftButton);
        QVERIFY(panel().onlyDifferent().isChecked());
        QVERIFY(panel().canvas().drawing()->graph.nodes.size() <= all);
        QCOMPARE(panel().canvas().drawing(), panel().difference()->differing);
    }

private:
    MainWindow &window() { return m_driver->window(); }
    ComparePanel &panel() { return window().view<ComparePanel>(); }
    bool fuse()
    {
        if (!window().view<PassPanel>().choose("dnnfusion"))
            return false;
        window().bench().passes.run();
        return m_driver->settle();
    }
    bool compareWithOriginal()
    {
        if (!fuse())
            return false;
        window().actions().compareOriginal->trigger();
        return m_driver->settle() && !panel().isEmpty();
    }

    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowCompareTest)

} // namespace graphloom::test::main_window_compare_test

#include "main_window_compare_test.moc"

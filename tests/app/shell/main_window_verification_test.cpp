// SPDX-License-Identifier: GPL-3.0-or-later
// Plans run beside the original model: what a person sees of it.
#include "app/graph/canvas_page.h"
#include "app/nodes/node_list_panel.h"
#include "app/properties/properties_panel.h"
#include "app/query/query_edit.h"
#include "app/runs/pass_panel.h"
#include "app/shell/panel_docks.h"
#include "app/verification/verification_panel.h"
#include "tests/support/app/made_plans.h"
#include "tests/support/app/window_driver.h"
#include "tests/support/tiny_models.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>

namespace graphloom::test::main_window_verification_test {

using test::WindowDriver;
using Column = TensorErrorModel::Column;

class MainWindowVerificationTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_wrong = test::rewritten(); } // Relu(x) - x, where there was a +
    void init() { m_driver = std::make_unique<WindowDriver>(test::builtPlugins()); }
    void cleanup() { m_driver.reset(); }

    void withoutAModelThereIsNothingToVerify()
    {
        QVERIFY(!window().actions().verify->isEnabled());
        QVERIFY(!window().actions().colourByError->isEnabled());
        QVERIFY(panel().isEmpty());
    }

    void aFreshPlanPassesWithoutErrors()
    {
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        QVERIFY(verify());
        QVERIFY(panel().statisticsText().contains(QStringLiteral("✓ Passed")));
        QVERIFY(m_driver->message().startsWith(QStringLiteral("Verification passed: ")));
        const auto &errors = panel().model().verification()->errors;
        QVERIFY(errors.tensors.size() > 50);
        for (const TensorError &error : errors.tensors)
            QVERIFY2(error.state != TensorError::State::Compared ||
                         error.comparison.maxAbsError == 0,
                     error.comparison.worst.c_str());
    }

    /// DNNFusion folds normalizations into weights, which have one value for all elements: its
    /// rules are tried on random ones.
    void thePlanOfAPassPassesOnFilledWeights()
    {
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        QVERIFY(window().view<PassPanel>().choose("dnnfusion"));
        QTest::keyClick(&window(), Qt::Key_F5);
        QVERIFY(m_driver->settle());
        QVERIFY(!window().session().snapshot()->plan->history.empty());
        QVERIFY(verify());
        const VerificationPointer &verification = panel().model().verification();
        QVERIFY2(verification->errors.verification.passed, qPrintable(m_driver->message()));
        QVERIFY(verification->errors.verification.filledWeights > 10);
        QVERIFY2(verification->errors.verification.warnings.empty(),
                 qPrintable(panel().statisticsText()));
        QVERIFY(!verification->errors.begins.valid());
        QVERIFY(verification->compared > verification->alone);
    }

    void aWrongRewriteIsFoundAndShown()
    {
        QVERIFY(m_driver->show(m_wrong));
        QVERIFY(verify());
        QVERIFY2(m_driver->message().startsWith(QStringLiteral("Verification failed: ")),
                 qPrintable(m_driver->message()));
        QVERIFY(panel().statisticsText().contains(QStringLiteral("✗ Failed")));
        // The worst tensor comes first, and its row selects its node.
        const QModelIndex first = panel().table().model()->index(0, Column::Tensor);
        const QPoint place = panel().table().visualRect(first).center();
        QTest::mouseClick(panel().table().viewport(), Qt::LeftButton, {}, place);
        QCOMPARE(window().selection().item(), Item::of(difference()));
        QCOMPARE(cell(0, Column::Outcome), QStringLiteral("failed"));
        QCOMPARE(cell(1, Column::Outcome), QStringLiteral("passed"));
        QCOMPARE(cell(1, Column::Snr), QStringLiteral("∞"));
    }

    void theBeginningIsALink()
    {
        QVERIFY(m_driver->show(m_wrong));
        QVERIFY(verify());
        auto *text = panel().findChild<QLabel *>(QStringLiteral("statistics"));
        QVERIFY(text->isVisible() && text->text().contains(QStringLiteral("begins at <a href")));
        text->setFocus();
        QTest::keyClick(text, Qt::Key_Tab); // the link
        QTest::keyClick(text, Qt::Key_Return);
        QVERIFY(m_driver->settle());
        QCOMPARE(window().selection().item(), Item::of(difference()));
    }

    void theSelectionIsFollowed()
    {
        QVERIFY(m_driver->show(m_wrong));
        QVERIFY(verify());
        window().selection().select(Item::of(difference()));
        const QModelIndex current = panel().table().currentIndex();
        QCOMPARE(current.siblingAtColumn(Column::Outcome).data().toString(),
                 QStringLiteral("failed"));
    }

    void nodesAreColouredByTheirError()
    {
        QVERIFY(m_driver->show(m_wrong));
        QVERIFY(!window().actions().colourByError->isEnabled());
        QVERIFY(verify());
        window().actions().colourByError->trigger();
        QVERIFY(m_driver->settle());
        QCOMPARE(window().bench().colours.chosen(), QStringLiteral("error"));
        QCOMPARE(fill(difference()), window().theme().heatOf(1));
        QCOMPARE(fill(graph().order().front()), window().theme().heatOf(0));
    }

    void errorsCanBeSearchedFor()
    {
        QVERIFY(m_driver->show(m_wrong));
        NodeListPanel &nodes = window().view<NodeListPanel>();
        nodes.filterEdit().setText(QStringLiteral("error>1e-3"));
        QVERIFY(m_driver->settle());
        const auto labels = nodes.list().findChildren<QLabel *>();
        QVERIFY(std::ranges::any_of(labels, [](const QLabel *label) {
            return label->isVisible() && label->text().contains(QStringLiteral("Verify plan"));
        }));
        QVERIFY(verify());
        QTRY_COMPARE(nodes.table().model()->rowCount(), 1);
        QCOMPARE(nodes.model().itemAt(nodes.list().rowAt(nodes.table().model()->index(0, 0))),
                 Item::of(difference()));
    }

    void theErrorIsAPropertyOfTheNode()
    {
        QVERIFY(m_driver->show(m_wrong));
        QVERIFY(verify());
        window().selection().select(Item::of(difference()));
        QVERIFY(m_driver->settle());
        const SnapshotPointer &shown = window().session().snapshot();
        const PropertySection data = dataSectionOf(
            *shown, Item::of(difference()), window().bench().colours.ownTable().get(), nullptr);
        QCOMPARE(data.properties.size(), std::size_t(1));
        QVERIFY(data.properties.front().name.contains(QStringLiteral("error")));
    }

    void theFormIsObeyedAndKept()
    {
        QVERIFY(m_driver->show(m_wrong));
        QLineEdit &tolerance = *panel().tolerance().lineEdit();
        tolerance.selectAll();
        QTest::keyClicks(&tolerance, QStringLiteral("5"));
        panel().seed().setValue(7);
        QVERIFY(verify());
        const VerificationPointer &verification = panel().model().verification();
        QCOMPARE(verification->errors.verification.tolerance, 5.0);
        QVERIFY(verification->errors.verification.passed); // of anything
        QVERIFY(verification->inputsText().contains(QStringLiteral("seed 7")));
        m_driver->restart();
        QCOMPARE(panel().choices().tolerance, 5.0);
        QCOMPARE(panel().choices().seed, std::uint64_t(7));
    }

    void anotherPlanMakesItStaleUntilItIsUndone()
    {
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        QVERIFY(verify());
        QVERIFY(window().view<PassPanel>().choose("dnnfusion"));
        QTest::keyClick(&window(), Qt::Key_F5);
        QVERIFY(m_driver->settle());
        QVERIFY(panel().statisticsText().contains(QStringLiteral("another plan")));
        QVERIFY(!panel().model().itemAt(0)); // its nodes are not those that are shown
        QTest::keyClick(&window(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        QVERIFY(!panel().statisticsText().contains(QStringLiteral("another plan")));
        QVERIFY(panel().model().itemAt(0));
    }

    void itIsWorkToSave()
    {
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        QVERIFY(!window().session().isModified());
        QVERIFY(verify());
        QVERIFY(window().session().isModified());
    }

    void aSessionShowsTheSame()
    {
        QVERIFY(m_driver->show(m_wrong));
        QVERIFY(verify());
        const QString statistics = panel().statisticsText();
        const QStringList before = cells();
        QVERIFY(saveAndReopen());
        QCOMPARE(panel().statisticsText(), statistics);
        QCOMPARE(cells(), before);
        QVERIFY(panel().model().itemAt(0));
        QVERIFY(!window().session().isModified());
    }

    void nodesOfASessionAreColouredByTheirError()
    {
        QVERIFY(m_driver->show(m_wrong));
        QVERIFY(verify());
        QVERIFY(saveAndReopen());
        QVERIFY(window().actions().colourByError->isEnabled());
        window().actions().colourByError->trigger();
        QVERIFY(m_driver->settle());
        QCOMPARE(fill(difference()), window().theme().heatOf(1));
    }

    void undoInASessionLeadsToTheVerifiedPlan()
    {
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        QVERIFY(verify());
        QVERIFY(window().view<PassPanel>().choose("dnnfusion"));
        QTest::keyClick(&window(), Qt::Key_F5);
        QVERIFY(m_driver->settle());
        QVERIFY(saveAndReopen());
        QVERIFY(panel().statisticsText().contains(QStringLiteral("another plan")));
        window().actions().undo->trigger();
        QVERIFY(m_driver->settle());
        QVERIFY(!panel().isEmpty());
        QVERIFY(!panel().statisticsText().contains(QStringLiteral("another plan")));
    }

    void theErrorsOfAnotherModelAreNoDataOfThisOne()
    {
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        QVERIFY(verify());
        QVERIFY(window().bench().colours.ownTable());
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        QVERIFY(!window().bench().colours.ownTable());
    }

    void anotherModelForgetsIt()
    {
        QVERIFY(m_driver->show(m_wrong));
        QVERIFY(verify());
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        QVERIFY(panel().isEmpty());
        QVERIFY(!window().actions().colourByError->isEnabled());
    }

    void itCanBeCancelled()
    {
        QVERIFY(m_driver->open(sample("mobilevit_s_256.onnx")));
        window().actions().verify->trigger();
        QVERIFY(window().bench().verification.isRunning());
        QVERIFY(!window().actions().verify->isEnabled());
        QCOMPARE(window().bench().jobs.rowCount(), 1);
        QTest::keyClick(&window(), Qt::Key_F5, Qt::ShiftModifier);
        QVERIFY(m_driver->settle());
        QCOMPARE(m_driver->message(), QStringLiteral("Verification cancelled"));
        QVERIFY(panel().isEmpty());
        QVERIFY(window().actions().verify->isEnabled());
    }

    void shapesThatAreNotKnownAreSaid()
    {
        const std::filesystem::path file = m_driver->scratch("tiny.onnx");
        test::writeTinyModel(file); // its first extent is a symbol
        QVERIFY(m_driver->open(file));
        QVERIFY(verify());
        QVERIFY2(m_driver->message().startsWith(QStringLiteral("Cannot verify the plan: ")) &&
                     m_driver->message().contains(QStringLiteral("no fixed shape")),
                 qPrintable(m_driver->message()));
    }

    void theTableIsAProperModel()
    {
        QAbstractItemModelTester tester(&panel().model());
        QVERIFY(m_driver->show(m_wrong));
        QVERIFY(verify());
        QCOMPARE(panel().model().rowCount(), 2);
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        QCOMPARE(panel().model().rowCount(), 0);
    }

private:
    MainWindow &window() { return m_driver->window(); }
    VerificationPanel &panel() { return window().view<VerificationPanel>(); }
    const Graph &graph() { return window().session().snapshot()->graph(); }
    /// The node that a wrong rule has made.
    NodeId difference() { return graph().order().back(); }
    bool verify()
    {
        QTest::keyClick(&window(), Qt::Key_F6, Qt::ControlModifier | Qt::ShiftModifier);
        return m_driver->settle();
    }
    /// Saves the work as a session, which another window opens.
    bool saveAndReopen()
    {
        const auto file = m_driver->scratch("work.gloom");
        QSignalSpy saved(&window().session(), &Session::saved);
        window().bench().documents.saveTo(file);
        if (!saved.wait(test::patience) || !saved[0][0].toBool())
            return false;
        m_driver->restart();
        return m_driver->open(file);
    }
    QStringList cells()
    {
        QStringList texts;
        for (int row = 0; row < panel().table().model()->rowCount(); ++row)
            for (int column = 0; column <= Column::Worst; ++column)
                texts << cell(row, column);
        return texts;
    }
    QString cell(int row, int column)
    {
        return panel().table().model()->index(row, column).data().toString();
    }
    QColor fill(NodeId id)
    {
        const Drawing &drawing = *window().page().canvas().drawing();
        return fillOf(drawing, drawing.graph.nodeOf(Item::of(id)), window().theme(),
                      window().page().canvas().tiles().colouring());
    }

    SnapshotPointer m_wrong;
    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowVerificationTest)

} // namespace graphloom::test::main_window_verification_test

#include "main_window_verification_test.moc"

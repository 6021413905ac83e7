// SPDX-License-Identifier: GPL-3.0-or-later
// Input shapes, changed as a person does.
#include "app/shapes/input_shapes_form.h"
#include "tests/support/app/window_driver.h"

#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QSignalSpy>

namespace graphloom::test::main_window_shapes_test {

using test::sample;
using test::WindowDriver;

class MainWindowShapesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_driver = std::make_unique<WindowDriver>();
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        QTest::keyClick(&window(), Qt::Key_I, Qt::ControlModifier);
        m_form = window().findChild<InputShapesForm *>();
        QVERIFY(m_form && m_form->isVisible());
        QVERIFY(settled());
    }
    void cleanup() { m_driver.reset(); }

    void theShapesOfTheFileAreShown()
    {
        QCOMPARE(shape()->text(), QStringLiteral("1, 3, 224, 224"));
        QVERIFY(result().contains(QStringLiteral("301 M MACs")));
        QVERIFY(result().contains(QStringLiteral("float 1x1000")));
        QVERIFY(apply()->isEnabled());
    }

    void aChangeIsInferredAtOnce()
    {
        type("1, 3, 160, 160");
        QVERIFY(!apply()->isEnabled()); // not known yet
        QVERIFY(settled());
        QVERIFY2(result().contains(QStringLiteral("154 M MACs")), qPrintable(result()));
        QVERIFY(apply()->isEnabled());
        QCOMPARE(window().session().undoStack().count(), 0); // the plan is as it was
    }

    void whatIsWrongIsSaid()
    {
        type("1, 4, 224, 224");
        QVERIFY(settled());
        QVERIFY2(problem().contains(QStringLiteral("Conv")), qPrintable(problem()));
        QVERIFY(!apply()->isEnabled());
        type("1, 3, 224");
        QVERIFY(settled());
        QVERIFY(problem().contains(QStringLiteral("expected 4 extents, not 3")));
        type("1, 3, 224, 224");
        QVERIFY(settled());
        QVERIFY(problem().isEmpty() && apply()->isEnabled());
    }

    void appliedItIsAStepThatCanBeUndone()
    {
        type("1, 3, 160, 160");
        QVERIFY(settled());
        QTest::mouseClick(apply(), Qt::LeftButton);
        QVERIFY(m_driver->settle());
        QCOMPARE(inputText(), std::string("1x3x160x160"));
        QCOMPARE(window().session().undoStack().undoText(), QStringLiteral("Change input shapes"));
        window().session().undoStack().undo();
        QVERIFY(m_driver->settle());
        QCOMPARE(inputText(), std::string("1x3x224x224"));
    }

    void theFormIsOpenOnce()
    {
        window().actions().inputShapes->trigger();
        QCOMPARE(window().findChildren<InputShapesForm *>().size(), 1);
    }

    void anotherModelClosesTheForm()
    {
        const QPointer<InputShapesForm> form = m_form;
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        QTRY_VERIFY(!form);
    }

    void whatIsInferredIsListedAsATask()
    {
        QSignalSpy listed(&window().bench().jobs, &JobList::rowsInserted);
        type("1, 3, 160, 160");
        QVERIFY(settled());
        QVERIFY(!listed.isEmpty());
    }

private:
    MainWindow &window() { return m_driver->window(); }
    bool settled()
    {
        return QTest::qWaitFor([this] { return !m_form->isBusy(); }, test::patience);
    }
    QLineEdit *shape() const
    {
        return m_form->findChild<QLineEdit *>(QStringLiteral("shape:input"));
    }
    QPushButton *apply() const
    {
        return m_form->findChild<QPushButton *>(QStringLiteral("applyShapes"));
    }
    QString result() const
    {
        return m_form->findChild<QLabel *>(QStringLiteral("shapeResult"))->text();
    }
    QString problem() const
    {
        return m_form->findChild<QLabel *>(QStringLiteral("shapeProblem"))->text();
    }
    void type(const char *text)
    {
        shape()->selectAll();
        QTest::keyClicks(shape(), QLatin1String(text));
    }
    std::string inputText()
    {
        const Graph &graph = window().session().snapshot()->plan->graph;
        return text(*graph.tensor(graph.inputs()[0]).shape);
    }

    std::unique_ptr<WindowDriver> m_driver;
    InputShapesForm *m_form = nullptr;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowShapesTest)

} // namespace graphloom::test::main_window_shapes_test

#include "main_window_shapes_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// A training graph, as a person makes one.
#include "app/runs/training_form.h"
#include "engine/autodiff/training.h"
#include "tests/support/app/window_driver.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>

namespace graphloom::test::main_window_training_test {

using test::sample;
using test::WindowDriver;

class MainWindowTrainingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_driver = std::make_unique<WindowDriver>();
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
    }
    void cleanup()
    {
        for (MainWindow *other : others())
            delete other;
        m_driver.reset();
    }

    void opensInAWindowOfItsOwn()
    {
        TrainingForm *form = ask();
        form->findChild<QComboBox *>(QStringLiteral("trainingOptimizer"))
            ->setCurrentText(QStringLiteral("adam"));
        QTest::mouseClick(make(form), Qt::LeftButton);
        QVERIFY(QTest::qWaitFor([&] { return others().size() == 1; }, 20'000));
        Session &session = others().front()->session();
        QVERIFY(QTest::qWaitFor([&] { return session.snapshot() != nullptr; }, 20'000));
        const auto &training = session.snapshot()->plan->training;
        QVERIFY(training && training->options.optimizer == TrainingOptions::Optimizer::Adam);
        QVERIFY(training->backwardNodes > 0 && training->updateNodes > 0);
        QVERIFY(!window().session().snapshot()->plan->training); // this one stays
        QVERIFY(m_driver->message().startsWith(QStringLiteral("The training graph opened in")));
    }

    void aRateThatIsNoneMakesNoGraph()
    {
        TrainingForm *form = ask();
        auto *rate = form->findChild<QLineEdit *>(QStringLiteral("learningRate"));
        rate->clear();
        QTest::keyClicks(rate, QStringLiteral("-1"));
        QVERIFY(!make(form)->isEnabled());
        rate->clear();
        QTest::keyClicks(rate, QStringLiteral("0.01"));
        QVERIFY(make(form)->isEnabled());
        QCOMPARE(form->options().learningRate, 0.01);
    }

    void theFormBeginsLikeTheCommandLine()
    {
        TrainingForm *form = ask();
        const TrainingOptions initial;
        QCOMPARE(form->options().learningRate, initial.learningRate);
        QVERIFY(form->options().loss == initial.loss &&
                form->options().batchNorm == initial.batchNorm && !form->batchSize());
    }

    void enterMakesTheGraph()
    {
        TrainingForm *form = ask();
        QTest::keyClick(form->findChild<QLineEdit *>(QStringLiteral("learningRate")),
                        Qt::Key_Return);
        QVERIFY(QTest::qWaitFor([&] { return others().size() == 1; }, 20'000));
    }

    void escapeMakesNothing()
    {
        TrainingForm *form = ask();
        QTest::keyClick(form, Qt::Key_Escape);
        QVERIFY(m_driver->settle());
        QVERIFY(others().empty());
    }

private:
    MainWindow &window() { return m_driver->window(); }
    TrainingForm *ask()
    {
        window().actions().training->trigger();
        return window().findChild<TrainingForm *>();
    }
    static QPushButton *make(TrainingForm *form)
    {
        return form->findChild<QPushButton *>(QStringLiteral("makeTraining"));
    }
    std::vector<MainWindow *> others()
    {
        std::vector<MainWindow *> found;
        for (QWidget *widget : QApplication::topLevelWidgets())
            if (auto *other = qobject_cast<MainWindow *>(widget); other && other != &window())
                found.push_back(other);
        return found;
    }

    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowTrainingTest)

} // namespace graphloom::test::main_window_training_test

#include "main_window_training_test.moc"

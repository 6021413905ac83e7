// SPDX-License-Identifier: GPL-3.0-or-later
// Models run on files: the form, and the values of activations afterwards.
#include "app/shell/panel_docks.h"
#include "app/tensors/tensor_panel.h"
#include "app/verification/input_form.h"
#include "app/verification/input_row.h"
#include "app/verification/input_run.h"
#include "app/verification/verification_panel.h"
#include "engine/tensors/npy.h"
#include "tests/support/app/window_driver.h"
#include "tests/support/numbers.h"
#include "tests/support/tiny_models.h"

#include <QComboBox>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QSpinBox>

namespace graphloom::test::main_window_inputs_test {

using test::WindowDriver;

class MainWindowInputsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_driver = std::make_unique<WindowDriver>(); }
    void cleanup() { m_driver.reset(); }

    void withoutAModelThereIsNothingToRun()
    {
        QVERIFY(!window().actions().runOnInputs->isEnabled());
    }

    void anArrayGivesValuesToAllTensors()
    {
        openTiny(); // Relu(x + 1), x of n x 4
        const auto file = m_driver->scratch("x.npy");
        QVERIFY(writeNpy(floats({1, 4}, {-3, -1, 0, 2}), file));
        showForm();
        type(0, file);
        press("runOnInputs");
        QVERIFY2(m_driver->message().startsWith(QStringLiteral("Values of ")) &&
                     m_driver->message().contains(QStringLiteral("x.npy")),
                 qPrintable(m_driver->message()));
        QCOMPARE(values(graph().outputs().front()), (std::vector<double>{0, 0, 1, 3}));
        QCOMPARE(values(graph().inputs().front()), (std::vector<double>{-3, -1, 0, 2}));
        // The Tensor panel shows them, and says what they are of.
        window().bench().tensors.inspect(graph().outputs().front());
        const InspectedTensor &shown = window().bench().tensors.tensor();
        QVERIFY(shown.data && shown.origin.contains(QStringLiteral("a run on x.npy")));
        QVERIFY(window().actions().exportTensor->isEnabled());
    }

    void aFileIsDroppedOnItsRow()
    {
        openTiny();
        const auto file = m_driver->scratch("x.pb");
        writeTensor(file, {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
        showForm();
        QVERIFY(drop(*form()->rows().front(), file));
        QCOMPARE(form()->rows().front()->file(), file);
        press("runOnInputs");
        QCOMPARE(values(graph().outputs().front()), (std::vector<double>{2, 3, 4, 5, 6, 7, 8, 9}));
    }

    void otherFilesAreNotTaken()
    {
        openTiny();
        showForm();
        QVERIFY(!drop(*form()->rows().front(), m_driver->scratch("x.txt")));
        QVERIFY(form()->rows().front()->file().empty());
    }

    void anotherShapeIsSaidInTheForm()
    {
        openTiny();
        const auto file = m_driver->scratch("five.npy");
        QVERIFY(writeNpy(floats({1, 5}, {1, 2, 3, 4, 5}), file));
        showForm();
        type(0, file);
        press("runOnInputs");
        auto *problem = part<QLabel>("inputProblem");
        QVERIFY(problem->isVisible());
        QVERIFY2(problem->text().contains(QStringLiteral("five.npy")) &&
                     problem->text().contains(QStringLiteral("1x5")),
                 qPrintable(problem->text()));
        form()->rows().front()->edit().clear(); // the next try begins without it
        QVERIFY(!problem->isVisible());
    }

    void imagesHaveOptions()
    {
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        showForm();
        QVERIFY(!part<QComboBox>("imageRange")->isVisible());
        QImage image(320, 240, QImage::Format_RGB32);
        image.fill(qRgb(255, 0, 0));
        const auto file = m_driver->scratch("red.png");
        QVERIFY(image.save(QString::fromStdString(file.string())));
        QVERIFY(drop(*form()->rows().front(), file));
        auto *range = part<QComboBox>("imageRange");
        QVERIFY(range->isVisible());
        range->setFocus();
        QTest::keyClick(range, Qt::Key_Down); // -1 to 1
        Q_EMIT range->activated(range->currentIndex());
        press("runOnInputs");
        const TensorId input = graph().inputs().front();
        const std::vector<double> pixels = values(input);
        QCOMPARE(pixels.size(), std::size_t(3 * 224 * 224));
        QCOMPARE(pixels.front(), 1.0); // red
        QCOMPARE(pixels.back(), -1.0); // blue
        QVERIFY(!values(graph().outputs().front()).empty());
    }

    void wrongNumbersForImagesAreRefused()
    {
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        showForm();
        form()->rows().front()->setFile(QStringLiteral("/x.png"));
        auto *deviation = part<QLineEdit>("imageDeviation");
        deviation->selectAll();
        QTest::keyClicks(deviation, QStringLiteral("0"));
        QCOMPARE(part<QComboBox>("imageRange")->currentText(), QStringLiteral("other"));
        press("runOnInputs");
        QVERIFY(part<QLabel>("inputProblem")->text().contains(QStringLiteral("deviation")));
        QVERIFY(!window().bench().verification.isRunning());
    }

    void randomValuesFollowTheSeed()
    {
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        const TensorId output = graph().outputs().front();
        const auto run = [&](int seed) {
            showForm();
            part<QSpinBox>("inputSeed")->setValue(seed);
            press("runOnInputs");
            return values(output);
        };
        const auto first = run(1), again = run(1), other = run(2);
        QVERIFY(!first.empty() && first == again && first != other);
    }

    void thePlanIsVerifiedWithTheSameInputs()
    {
        openTiny(); // random values would need a fixed extent
        const auto file = m_driver->scratch("x.npy");
        QVERIFY(writeNpy(floats({1, 4}, {-3, -1, 0, 2}), file));
        showForm();
        type(0, file);
        press("verifyOnInputs");
        const VerificationPointer &verification =
            window().view<VerificationPanel>().model().verification();
        QVERIFY2(verification, qPrintable(m_driver->message()));
        QVERIFY(verification->errors.verification.passed);
        QCOMPARE(verification->inputsText(), QStringLiteral("x.npy"));
    }

    void theFormRemembersAndClosesWithTheModel()
    {
        openTiny();
        const auto file = m_driver->scratch("x.npy");
        QVERIFY(writeNpy(floats({1, 4}, {-3, -1, 0, 2}), file));
        showForm();
        type(0, file);
        press("runOnInputs");
        form()->close();
        QTRY_VERIFY(!form());
        showForm();
        QCOMPARE(form()->rows().front()->file(), file);
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        QTRY_VERIFY(!form());
        // The values of the other model are gone.
        QVERIFY(values(graph().outputs().front()).empty());
    }

    void theFormClosesWhenTheInputsGetOtherShapes()
    {
        openTiny();
        showForm();
        ImportOptions shapes;
        shapes.inputShapes[graph().tensor(graph().inputs().front()).name] = {2, 4};
        window().bench().documents.setInputShapes(shapes);
        QVERIFY(m_driver->settle());
        QTRY_VERIFY(!form());
    }

    void itCanBeCancelled()
    {
        QVERIFY(m_driver->open(sample("mobilevit_s_256.onnx")));
        showForm();
        part<QPushButton>("runOnInputs")->click();
        QVERIFY(!part<QPushButton>("runOnInputs")->isEnabled());
        window().actions().cancel->trigger();
        QVERIFY(m_driver->settle());
        QCOMPARE(m_driver->message(), QStringLiteral("Run on inputs cancelled"));
        QVERIFY(part<QPushButton>("runOnInputs")->isEnabled());
    }

    /// Values beyond the limit are in a file, and the same.
    void valuesBeyondTheLimitAreInAFile()
    {
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        const SnapshotPointer snapshot = window().session().snapshot();
        const auto quiet = [](double, std::string_view) {};
        const auto all = runOnInputs(snapshot->plan, {}, 1, {}, quiet);
        const auto few = runOnInputs(snapshot->plan, {}, 1, {}, quiet, 1 << 20);
        QVERIFY(all && few);
        QCOMPARE((*all)->fileBytes, std::uint64_t(0));
        QVERIFY((*few)->fileBytes > (std::uint64_t(10) << 20));
        QVERIFY((*few)->memoryBytes < (std::uint64_t(8) << 20)); // small ones stay
        QCOMPARE((*few)->tensors(), (*all)->tensors());
        for (const NodeId id : snapshot->graph().order())
            for (const TensorId output : snapshot->graph().node(id).outputs)
                if (output.valid())
                    QVERIFY(*(*all)->valuesOf(*snapshot, output) ==
                            *(*few)->valuesOf(*snapshot, output));
    }

private:
    MainWindow &window() { return m_driver->window(); }
    const Graph &graph() { return window().session().snapshot()->graph(); }
    InputForm *form() { return window().findChild<InputForm *>(); }
    template <class Widget> Widget *part(const char *name)
    {
        return form()->findChild<Widget *>(QLatin1String(name));
    }
    void openTiny()
    {
        const std::filesystem::path file = m_driver->scratch("tiny.onnx");
        writeTinyModel(file);
        QVERIFY(m_driver->open(file));
    }
    void showForm()
    {
        window().activateWindow(); // a form that was closed had the keyboard
        QVERIFY(QTest::qWaitForWindowActive(&window()));
        QTest::keyClick(&window(), Qt::Key_I, Qt::ControlModifier | Qt::AltModifier);
        QVERIFY(form() && form()->isVisible());
    }
    void type(std::size_t row, const std::filesystem::path &file)
    {
        QLineEdit &edit = form()->rows()[row]->edit();
        edit.selectAll();
        QTest::keyClicks(&edit, QString::fromStdString(file.string()));
    }
    void press(const char *button)
    {
        QTest::mouseClick(part<QPushButton>(button), Qt::LeftButton);
        QVERIFY(m_driver->settle());
    }
    static bool drop(QWidget &row, const std::filesystem::path &file)
    {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(QString::fromStdString(file.string()))});
        const QPoint place = row.rect().center();
        QDragEnterEvent enter(place, Qt::CopyAction, &data, Qt::LeftButton, {});
        enter.ignore();
        QApplication::sendEvent(&row, &enter);
        if (!enter.isAccepted())
            return false;
        QDropEvent event(place, Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(&row, &event);
        return event.isAccepted();
    }
    /// Inspects a tensor of the graph, and returns its values.
    std::vector<double> values(TensorId id)
    {
        window().bench().tensors.choose(id);
        std::vector<double> elements;
        if (const auto &data = window().bench().tensors.tensor().data)
            for (std::int64_t i = 0; i < data->elements(); ++i)
                elements.push_back(data->real(i));
        return elements;
    }

    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowInputsTest)

} // namespace graphloom::test::main_window_inputs_test

#include "main_window_inputs_test.moc"

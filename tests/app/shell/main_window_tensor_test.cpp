// SPDX-License-Identifier: GPL-3.0-or-later
// Values of tensors, as a person looks at them.
#include "app/docks/in_sight.h"
#include "app/graph/canvas_page.h"
#include "app/memory/memory_panel.h"
#include "app/properties/properties_panel.h"
#include "app/shell/panel_docks.h"
#include "app/shell/view_exports.h"
#include "app/tensors/tensor_panel.h"
#include "engine/tensors/npy.h"
#include "tests/support/app/window_driver.h"
#include "tests/support/inspected_model.h"

#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>

#include <cmath>
#include <fstream>
#include <unistd.h>

namespace graphloom::test::main_window_tensor_test {

using test::WindowDriver;

namespace {

/// Values that a test has put aside for some tensors.
class GivenValues final : public TensorSource {
public:
    GivenValues(std::string name, TensorData data)
        : m_name(std::move(name)), m_data(std::make_shared<const TensorData>(std::move(data)))
    {
    }
    QString title() const override { return QStringLiteral("a test run"); }
    std::shared_ptr<const TensorData> valuesOf(const Snapshot &snapshot, TensorId id) const override
    {
        return snapshot.graph().tensor(id).name == m_name ? m_data : nullptr;
    }

private:
    std::string m_name;
    std::shared_ptr<const TensorData> m_data;
};

std::uint64_t residentBytes()
{
    std::ifstream file("/proc/self/statm");
    std::uint64_t total = 0, resident = 0;
    file >> total >> resident;
    return resident * std::uint64_t(::sysconf(_SC_PAGESIZE));
}

} // namespace

class MainWindowTensorTest : public QObject {
    Q_OBJECT

private:
    MainWindow &window() { return m_driver->window(); }
    TensorPanel &panel() { return window().view<TensorPanel>(); }
    GraphCanvas &canvas() { return window().page().canvas(); }
    const Graph &graph() { return window().session().snapshot()->graph(); }
    template <class Widget> Widget &part(const char *name)
    {
        return *panel().findChild<Widget *>(QLatin1String(name));
    }
    /// Tells whether the panel is not behind another one.
    bool isInFront()
    {
        QTest::qWait(0);
        return isInSight(panel());
    }
    QString fact(const char *name)
    {
        return panel().summary().model().valueOf(QLatin1String(name));
    }
    NodeId node(std::string_view name) { return nodeNamed(*window().session().snapshot(), name); }
    TensorId tensor(std::string_view name)
    {
        for (std::uint32_t index = 0; index < graph().tensorBound(); ++index)
            if (const TensorId id{index}; graph().contains(id) && graph().tensor(id).name == name)
                return id;
        return {};
    }
    /// Clicks a node on the canvas, and brings the panel up.
    void clickNode(std::string_view name)
    {
        canvas().zoomToItem(Item::of(node(name)));
        const auto rect = canvas().drawing()->rectOf(Item::of(node(name)));
        QVERIFY(rect);
        clickScene(rect->center());
        window().panels().dock(QStringLiteral("tensor")).raise();
        QVERIFY(m_driver->settle());
    }
    QPoint onView(const QPointF &scene)
    {
        const QRectF seen = canvas().visibleScene();
        return ((scene - seen.topLeft()) * canvas().scale()).toPoint();
    }
    void clickScene(const QPointF &scene)
    {
        QTest::mouseClick(canvas().viewport(), Qt::LeftButton, {}, onView(scene));
    }
    /// Clicks the text of a tab.
    void clickTab(TensorPanel::Tab tab)
    {
        auto *bar = part<QTabWidget>("tensorTabs").tabBar();
        QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(int(tab)).center());
        QVERIFY(m_driver->settle());
    }
    /// Chooses an entry of a box with the keyboard.
    void chooseEntry(QComboBox &box, int index)
    {
        box.setFocus();
        while (box.currentIndex() != index)
            QTest::keyClick(&box, box.currentIndex() < index ? Qt::Key_Down : Qt::Key_Up);
        QVERIFY(m_driver->settle());
    }
    QString cell(int row, int column)
    {
        const QModelIndex index = panel().slices().model().index(row, column);
        if (!QTest::qWaitFor([&] { return index.data().toString() != QStringLiteral("…"); }))
            return {};
        return index.data().toString();
    }
    /// Chooses the command of the export button and the name of the file.
    void exportTo(const char *command, const QString &path)
    {
        part<QAction>(command).trigger();
        auto *dialog = window().findChild<QFileDialog *>();
        QVERIFY(dialog && dialog->acceptMode() == QFileDialog::AcceptSave);
        dialog->findChild<QLineEdit *>()->setText(path);
        QTest::keyClick(dialog, Qt::Key_Return);
        QVERIFY(QTest::qWaitFor([&] { return QFile::exists(path); }, patience));
        QVERIFY(m_driver->settle());
    }
    QString file(const std::string &name)
    {
        return QString::fromStdString(m_driver->scratch(name).string());
    }

private Q_SLOTS:
    void init()
    {
        m_driver = std::make_unique<WindowDriver>();
        const auto path = m_driver->scratch("inspected.onnx");
        writeInspectedModel(path);
        QVERIFY(m_driver->open(path));
    }
    void cleanup() { m_driver.reset(); }

    void aNodeShowsItsConstantsFirst()
    {
        clickNode("clip");
        QComboBox &chooser = panel().chooser();
        QCOMPARE(chooser.count(), 4);
        QVERIFY(chooser.itemText(0).contains(QStringLiteral("low")));
        QVERIFY(chooser.itemText(1).contains(QStringLiteral("high")));
        QVERIFY(chooser.itemText(2).startsWith(QStringLiteral("input 0")));
        QVERIFY(chooser.itemText(3).startsWith(QStringLiteral("output 0")));
        QCOMPARE(fact("value"), QStringLiteral("-0.75"));
        QCOMPARE(fact("shape"), QStringLiteral("scalar"));
        QCOMPARE(fact("bytes"), QStringLiteral("4 B"));
        chooseEntry(chooser, 1);
        QCOMPARE(fact("value"), QStringLiteral("6"));
        QVERIFY(fact("data").startsWith(QStringLiteral("in the files of the model")));
    }

    void aWeightHasFiguresAndPlace()
    {
        clickNode("conv");
        QCOMPARE(fact("name"), QStringLiteral("conv.weight"));
        QCOMPARE(fact("shape"), QStringLiteral("64x3x7x7"));
        QVERIFY(fact("data").startsWith(QStringLiteral("in the model file inspected.onnx")));
        const TensorData &data = *graph().tensor(tensor("conv.weight")).constant;
        double least = 0, sum = 0;
        for (std::int64_t i = 0; i < data.elements(); ++i) {
            least = std::min(least, data.real(i));
            sum += data.real(i);
        }
        QVERIFY(fact("minimum").startsWith(QString::number(least, 'g', 5)));
        QCOMPARE(fact("mean"), formatReal(sum / double(data.elements())));
        QCOMPARE(fact("NaN"), QStringLiteral("0"));
        double drawn = 0;
        for (const double bar : panel().summary().histogram().bars())
            drawn += bar;
        QCOMPARE(drawn, double(data.elements()));
    }

    void aSliceIsChosen()
    {
        clickNode("conv");
        clickTab(TensorPanel::Tab::Values);
        const TensorData &data = *graph().tensor(tensor("conv.weight")).constant;
        QCOMPARE(panel().slices().model().rowCount(), 7);
        QCOMPARE(cell(2, 3).toFloat(), float(data.real(2 * 7 + 3)));
        auto &index = part<QSpinBox>("axisIndex0");
        index.setFocus();
        QTest::keyClick(&index, Qt::Key_Up);
        QTest::keyClick(&index, Qt::Key_Up);
        QVERIFY(m_driver->settle());
        QCOMPARE(cell(2, 3).toFloat(), float(data.real(2 * 147 + 2 * 7 + 3)));
        QCOMPARE(panel().slices().map().scene().grid->mean(2, 3), cell(2, 3).toFloat());
        chooseEntry(part<QComboBox>("rowAxis"), 0);
        QCOMPARE(panel().slices().model().rowCount(), 64);
        QVERIFY(!index.isVisible());
        QCOMPARE(cell(63, 6).toFloat(), float(data.real(63 * 147 + 6)));
    }

    void anElementIsFoundByItsIndices()
    {
        clickNode("conv");
        clickTab(TensorPanel::Tab::Values);
        auto &go = part<QLineEdit>("goToElement");
        QTest::keyClicks(&go, QStringLiteral("63, 2, 5, 1"));
        QTest::keyClick(&go, Qt::Key_Return);
        QVERIFY(m_driver->settle());
        QCOMPARE(part<QSpinBox>("axisIndex0").value(), 63);
        QCOMPARE(panel().slices().table().currentIndex().row(), 5);
        QCOMPARE(panel().slices().table().currentIndex().column(), 1);
        QVERIFY(panel().slices().map().scene().current ==
                std::pair(std::int64_t(5), std::int64_t(1)));
    }

    void tableAndMapShareTheCurrentElement()
    {
        clickNode("embed");
        clickTab(TensorPanel::Tab::Values);
        HeatMap &map = panel().slices().map();
        QVERIFY(map.scene().grid);
        const QPoint place = map.placeOf(200, 300).center().toPoint();
        const auto hit = map.cellAt(place);
        QVERIFY(hit);
        QTest::mouseClick(&map, Qt::LeftButton, {}, place);
        QModelIndex current = panel().slices().table().currentIndex();
        QCOMPARE(current.row(), int(hit->first));
        QCOMPARE(current.column(), int(hit->second));
        QTest::keyClick(&map, Qt::Key_Right);
        current = panel().slices().table().currentIndex();
        QCOMPARE(current.column(), int(hit->second) + 1);
        QVERIFY(map.accessibleDescription().startsWith(
            QStringLiteral("[%1, %2] ").arg(current.row()).arg(current.column())));
    }

    void theMapIsZoomedByTheWheel()
    {
        clickNode("embed");
        clickTab(TensorPanel::Tab::Values);
        HeatMap &map = panel().slices().map();
        const QPointF place = map.placeOf(100, 800).center();
        const auto before = map.cellAt(place);
        QVERIFY(before);
        for (int i = 0; i < 12; ++i) {
            QWheelEvent event(place, map.mapToGlobal(place), {}, {0, 120}, {}, {}, {}, false);
            QApplication::sendEvent(&map, &event);
        }
        QVERIFY(m_driver->settle());
        QVERIFY(map.scene().range.rows < 50);
        QVERIFY(map.scene().grid->range == map.scene().range);
        const auto after = map.cellAt(place);
        QVERIFY(after && std::abs(after->first - before->first) < 12 &&
                std::abs(after->second - before->second) < 12);
        QTest::keyClick(&map, Qt::Key_F);
        QVERIFY(m_driver->settle());
        QCOMPARE(map.scene().range.rows, 400);
    }

    void valuesAreCopied()
    {
        clickNode("clip");
        clickTab(TensorPanel::Tab::Values);
        QTest::mouseClick(&part<QToolButton>("copyTensor"), Qt::LeftButton);
        QTRY_COMPARE(QApplication::clipboard()->text(), QStringLiteral("-0.75\n"));
        clickNode("conv");
        QTableView &table = panel().slices().table();
        const auto place = [&](int row, int column) {
            return table.visualRect(table.model()->index(row, column)).center();
        };
        table.setFocus();
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, place(0, 1));
        QTest::mouseClick(table.viewport(), Qt::LeftButton, Qt::ShiftModifier, place(1, 2));
        QTest::keyClick(&table, Qt::Key_C, Qt::ControlModifier);
        const QString expected =
            cell(0, 1) + '\t' + cell(0, 2) + '\n' + cell(1, 1) + '\t' + cell(1, 2) + '\n';
        QTRY_COMPARE(QApplication::clipboard()->text(), expected);
        QTRY_COMPARE(m_driver->message(), QStringLiteral("Copied 4 values"));
        QTest::mouseClick(&part<QToolButton>("copyTensorPicture"), Qt::LeftButton);
        QVERIFY(!QApplication::clipboard()->image().isNull());
    }

    void aTensorIsExported()
    {
        clickNode("conv");
        exportTo("writeWholeTensor", file("whole.npy"));
        const auto whole = readNpy(m_driver->scratch("whole.npy"));
        QVERIFY(whole);
        QVERIFY(*whole == *graph().tensor(tensor("conv.weight")).constant);
        clickTab(TensorPanel::Tab::Values);
        auto &index = part<QSpinBox>("axisIndex1");
        index.setFocus();
        QTest::keyClick(&index, Qt::Key_Up);
        exportTo("writeSlice", file("slice.npy"));
        const auto slice = readNpy(m_driver->scratch("slice.npy"));
        QVERIFY(slice && slice->extents() == (TensorData::Extents{7, 7}));
        QCOMPARE(float(slice->real(3)), cell(0, 3).toFloat());
    }

    void aTypeThatNumpyLacksIsSaid()
    {
        clickNode("sum");
        QVERIFY(part<QAction>("writeWholeTensor").text().contains(QStringLiteral("as float")));
        exportTo("writeWholeTensor", file("narrow.npy"));
        QVERIFY(m_driver->message(1).contains(QStringLiteral("bfloat16")));
        const auto read = readNpy(m_driver->scratch("narrow.npy"));
        QVERIFY(read);
        QCOMPARE(int(read->type()), int(DataType::Float));
        QCOMPARE(read->real(2), -1.0);
        QVERIFY(std::isnan(read->real(4)));
        QCOMPARE(fact("NaN"), QStringLiteral("1 (16.7 %)"));
        QCOMPARE(fact("infinite"), QStringLiteral("1 (16.7 %)"));
    }

    void factsAndValuesAreTablesForExport()
    {
        const ViewExport *facts = window().exports().find(QStringLiteral("tensor"));
        const ViewExport *values = window().exports().find(QStringLiteral("tensor-values"));
        QVERIFY(facts && values);
        QCOMPARE(values->table().rowCount(), 0);
        QVERIFY(!values->picture() && !facts->picture());
        clickNode("conv");
        QVERIFY(facts->picture());
        QVERIFY(facts->table().rowCount() > 10);
        clickTab(TensorPanel::Tab::Values);
        QVERIFY(values->picture());
        const TableContent content = values->table().content();
        QCOMPARE(content.keys.size(), 8);
        QCOMPARE(content.rows.size(), std::size_t(7));
        QCOMPARE(content.rows[2][0].toInt(), 2);
        QCOMPARE(content.rows[2][4].toFloat(), cell(2, 3).toFloat());
    }

    void bytesAreShown()
    {
        clickNode("sum");
        clickTab(TensorPanel::Tab::Bytes);
        QCOMPARE(panel().bytes().model()->index(0, 0).data().toString(),
                 QStringLiteral("80 3f 00 40 80 bf 00 00  c0 7f 80 7f"));
    }

    void aRowOfPropertiesLeadsToItsTensor()
    {
        clickNode("clip");
        window().panels().dock(QStringLiteral("memory")).raise();
        QTreeView &tree = window().view<PropertiesPanel>().tree();
        const auto &model = *tree.model();
        QModelIndex row;
        for (int section = 0; section < model.rowCount(); ++section)
            for (int line = 0; line < model.rowCount(model.index(section, 0)); ++line)
                if (const auto value = model.index(line, 1, model.index(section, 0));
                    value.data().toString().startsWith(QStringLiteral("high\n")))
                    row = value;
        QVERIFY(row.isValid());
        tree.scrollTo(row);
        QTest::mouseClick(tree.viewport(), Qt::LeftButton, {},
                          tree.visualRect(row).topLeft() + QPoint(12, 8));
        QVERIFY(isInFront());
        QCOMPARE(fact("value"), QStringLiteral("6"));
        QCOMPARE(window().selection().item(), Item::of(node("clip")));
    }

    void anEdgeIsATensor()
    {
        const Drawing &drawing = *canvas().drawing();
        const auto from = drawing.graph.nodeOf(Item::of(node("conv")));
        canvas().zoomToItem(Item::of(node("conv")));
        const auto edges = drawing.below.of(from);
        QCOMPARE(edges.size(), std::size_t(1));
        const QPointF place = drawing.edges[edges.front()].pointAtPercent(0.5);
        QVERIFY(!drawing.itemAt(place) || drawing.itemAt(place).isGroup());
        clickScene(place);
        QCOMPARE(window().selection().item(), Item::tensor(tensor("c")));
        window().panels().dock(QStringLiteral("tensor")).raise();
        QCOMPARE(fact("name"), QStringLiteral("c"));
        QCOMPARE(fact("data"), QStringLiteral("known only after a run"));
        QVERIFY(!part<QTabWidget>("tensorTabs").isTabEnabled(int(TensorPanel::Tab::Values)));
        QVERIFY(!part<QToolButton>("copyTensor").isEnabled());
        QTest::mouseDClick(canvas().viewport(), Qt::LeftButton, {}, onView(place));
        QVERIFY(isInFront());
    }

    void theCommandBringsThePanelUp()
    {
        canvas().zoomToItem(Item::of(node("conv")));
        clickScene(canvas().drawing()->rectOf(Item::of(node("conv")))->center());
        window().panels().dock(QStringLiteral("memory")).raise();
        QVERIFY(!isInFront());
        QTest::keyClick(&canvas(), Qt::Key_I);
        QVERIFY(isInFront());
        QVERIFY(m_driver->settle());
        QVERIFY(panel().summary().statistics());
        window().selection().clear();
        QVERIFY(!window().actions().inspectTensor->isEnabled());
        QCOMPARE(fact("name"), QStringLiteral("conv.weight")); // stays
    }

    void aRowOfTheMemoryPanelIsInspected()
    {
        window().panels().dock(QStringLiteral("memory")).raise();
        MemoryPanel &memory = window().view<MemoryPanel>();
        memory.showTab(MemoryPanel::Tab::Tensors);
        QVERIFY(m_driver->settle());
        QTest::mouseClick(memory.tensors().viewport(), Qt::LeftButton, {}, {30, 10});
        const QString name = memory.tensors().currentIndex().siblingAtColumn(0).data().toString();
        QVERIFY(!name.isEmpty());
        QCOMPARE(fact("name"), name);
    }

    void nothingIsReadWhileThePanelIsHidden()
    {
        window().panels().dock(QStringLiteral("memory")).raise();
        clickScene({-1e6, -1e6});
        canvas().zoomToItem(Item::of(node("conv")));
        clickScene(canvas().drawing()->rectOf(Item::of(node("conv")))->center());
        QVERIFY(m_driver->settle());
        QCOMPARE(fact("name"), QStringLiteral("conv.weight"));
        QVERIFY(!panel().summary().statistics());
        window().panels().dock(QStringLiteral("tensor")).raise();
        QVERIFY(m_driver->settle());
        QVERIFY(panel().summary().statistics());
    }

    void valuesOfARunAreShown()
    {
        clickNode("clip");
        chooseEntry(panel().chooser(), 3);
        QCOMPARE(fact("data"), QStringLiteral("known only after a run"));
        const std::vector<float> values{1, 2, 3};
        window().bench().tensors.setSource(std::make_shared<GivenValues>(
            "y", TensorData::fromValues<float>(DataType::Float, {3}, values)));
        QVERIFY(m_driver->settle());
        QCOMPARE(fact("data"), QStringLiteral("values of a test run"));
        QCOMPARE(fact("values"), QStringLiteral("1, 2, 3"));
        QCOMPARE(fact("mean"), QStringLiteral("2"));
        chooseEntry(panel().chooser(), 2);
        QCOMPARE(fact("data"), QStringLiteral("a test run has no values of this tensor"));
        window().bench().tensors.setSource(nullptr);
        QCOMPARE(fact("data"), QStringLiteral("known only after a run"));
    }

    void strippedWeightsAreSaid()
    {
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        for (const NodeId id : graph().order()) {
            const Node &node = graph().node(id);
            if (node.op == "Conv" && graph().tensor(node.inputs[1]).constant->isSplat())
                window().selection().select(Item::of(id));
        }
        window().panels().dock(QStringLiteral("tensor")).raise();
        QVERIFY(m_driver->settle());
        QVERIFY2(fact("data").startsWith(QStringLiteral("one value for all elements")),
                 qPrintable(fact("data")));
        QVERIFY(fact("distinct values").startsWith(QStringLiteral("1: ")));
    }

    void aClosedModelLeavesNothing()
    {
        clickNode("conv");
        QVERIFY(!panel().isEmpty());
        window().bench().documents.close();
        QVERIFY(m_driver->settle());
        QVERIFY(panel().isEmpty());
        QVERIFY(!window().actions().exportTensor->isEnabled());
    }

    void readingAHugeTensorIsCancelled()
    {
        const auto path = m_driver->scratch("huge/inspected.onnx");
        std::filesystem::create_directories(path.parent_path());
        constexpr std::uint64_t bytes = std::uint64_t{1} << 30;
        writeInspectedModel(path, bytes);
        QVERIFY(m_driver->open(path));
        const std::uint64_t before = residentBytes();
        window().panels().dock(QStringLiteral("tensor")).raise();
        window().selection().select(Item::of(node("add")));
        QCOMPARE(fact("name"), QStringLiteral("huge"));
        QVERIFY(fact("data").startsWith(QStringLiteral("in the external data file huge.bin")));
        auto &cancel = part<QToolButton>("cancelStatistics");
        QTRY_VERIFY(cancel.isVisible());
        QCOMPARE(window().bench().jobs.jobs().size(), std::size_t(1));
        QTest::mouseClick(&cancel, Qt::LeftButton);
        QVERIFY(m_driver->settle());
        QVERIFY(!panel().summary().statistics());
        QVERIFY(window().bench().jobs.jobs().empty());
        QVERIFY(part<QToolButton>("computeStatistics").isVisible());
        clickTab(TensorPanel::Tab::Values); // reads only the rows that are seen, and the map
        QCOMPARE(cell(5, 5), QStringLiteral("0"));
        QVERIFY(residentBytes() < before + bytes / 4);
        clickTab(TensorPanel::Tab::Summary);
        QTest::mouseClick(&part<QToolButton>("computeStatistics"), Qt::LeftButton);
        QVERIFY(QTest::qWaitFor([&] { return panel().summary().statistics() != nullptr; },
                                4 * patience));
        QCOMPARE(panel().summary().statistics()->zeros, std::int64_t(bytes / 4));
        QVERIFY(residentBytes() < before + bytes / 4);
    }

private:
    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowTensorTest)

} // namespace graphloom::test::main_window_tensor_test

#include "main_window_tensor_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of values and bytes, and the facts about a tensor.
#include "app/tensors/content/byte_model.h"
#include "app/tensors/content/summary_model.h"
#include "app/tensors/page_bar.h"
#include "app/tensors/tensor_panel.h"
#include "tests/support/app/window_driver.h"
#include "tests/support/random_tensor.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>

namespace graphloom::test::tensor_models_test {

namespace {

constexpr auto reporting = QAbstractItemModelTester::FailureReportingMode::QtTest;

std::shared_ptr<const TensorData> shared(TensorData data)
{
    return std::make_shared<const TensorData>(std::move(data));
}

/// A tensor of `extents` whose elements are all 3; takes no memory.
std::shared_ptr<const TensorData> threes(TensorData::Extents extents)
{
    return shared(TensorData::splat(DataType::Uint8, std::move(extents), {std::byte(3)}));
}

QString shown(const ValueModel &model, int row, int column)
{
    const QModelIndex cell = model.index(row, column);
    if (!QTest::qWaitFor([&] { return cell.data().toString() != QStringLiteral("…"); }, patience))
        return {};
    return cell.data().toString();
}

} // namespace

class TensorModelsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void valuesBehaveAsAModel()
    {
        ValueModel model;
        QAbstractItemModelTester tester(&model, reporting);
        std::mt19937_64 random(2);
        for (const TensorData::Extents &extents :
             {TensorData::Extents{}, {0}, {5}, {37}, {2, 3}, {4, 5, 70}}) {
            const auto data = shared(randomTensor(DataType::Float, extents, random));
            const TensorSlice slice(extents);
            model.setSlice(data, slice);
            QCOMPARE(model.rowCount(), int(slice.elements() == 0 ? 0 : slice.rows()));
            if (slice.elements() > 0)
                QVERIFY(!shown(model, 0, 0).isEmpty());
        }
        model.setSlice(nullptr, TensorSlice());
        QCOMPARE(model.rowCount(), 0);
    }

    void cellsAreReadAndNamed()
    {
        const auto data = shared(TensorData::fromInt64s([] {
            std::vector<std::int64_t> values(37, 0);
            std::iota(values.begin(), values.end(), 100);
            return values;
        }()));
        ValueModel model;
        model.setSlice(data, TensorSlice(data->extents()));
        QCOMPARE(shown(model, 2, 4), QStringLiteral("136"));
        QCOMPARE(shown(model, 2, 5), QString()); // after the end
        QVERIFY(!model.positionAt(model.index(2, 5)));
        QCOMPARE(model.index(2, 4).data(Qt::ToolTipRole).toString(), QStringLiteral("[36] 136"));
        QCOMPARE(model.headerData(2, Qt::Vertical).toInt(), 32);
        QCOMPARE(model.headerData(4, Qt::Horizontal).toString(), QStringLiteral("+4"));
    }

    void ofVeryManyRowsThereIsAPart()
    {
        SliceView view;
        view.tools().show();
        view.show();
        view.setTensor(threes({3'000'000, 40}));
        QCOMPARE(view.model().rowCount(), int(ValueModel::mostRows));
        auto *bar = view.findChild<PageBar *>();
        QVERIFY(bar->isVisible());
        auto *next = bar->findChild<QToolButton *>(QStringLiteral("nextPart"));
        QTest::mouseClick(next, Qt::LeftButton);
        QCOMPARE(view.model().firstRow(), ValueModel::mostRows);
        QCOMPARE(view.model().headerData(0, Qt::Vertical).toLongLong(), ValueModel::mostRows);
        QTest::mouseClick(next, Qt::LeftButton);
        QVERIFY(!next->isEnabled());
        QCOMPARE(view.model().rowCount(), int(3'000'000 - 2 * ValueModel::mostRows));
        auto *go = view.tools().findChild<QLineEdit *>(QStringLiteral("goToElement"));
        QTest::keyClicks(go, QStringLiteral("1500000, 39"));
        QTest::keyClick(go, Qt::Key_Return);
        QCOMPARE(view.model().firstRow(), ValueModel::mostRows);
        QCOMPARE(view.table().currentIndex().row(), int(1'500'000 - ValueModel::mostRows));
        QTRY_COMPARE(view.table().currentIndex().data().toString(), QStringLiteral("3"));
    }

    void anIndexThatDoesNotExistIsMarked()
    {
        SliceView view;
        view.tools().show();
        view.setTensor(threes({4, 5, 6}));
        auto *go = view.tools().findChild<QLineEdit *>(QStringLiteral("goToElement"));
        const QPalette before = go->palette();
        QTest::keyClicks(go, QStringLiteral("1, 5, 0"));
        QTest::keyClick(go, Qt::Key_Return);
        QVERIFY(go->palette() != before);
        QVERIFY(!view.table().currentIndex().isValid());
        QTest::keyClick(go, Qt::Key_Backspace);
        QCOMPARE(go->palette(), before);
    }

    void anIndexThatIsTooLongIsMarked()
    {
        SliceView view;
        view.tools().show();
        view.setTensor(threes({4}));
        auto *go = view.tools().findChild<QLineEdit *>(QStringLiteral("goToElement"));
        const QPalette before = go->palette();
        QTest::keyClicks(go, QStringLiteral("99999999999999999999"));
        QTest::keyClick(go, Qt::Key_Return);
        QVERIFY(go->palette() != before);
        QVERIFY(!view.table().currentIndex().isValid());
    }

    void theTabOfTheUserComesBack()
    {
        TensorPanel panel;
        InspectedTensor tensor, without;
        tensor.data = threes({2, 2});
        panel.setTensor(tensor);
        panel.showTab(TensorPanel::Tab::Values);
        panel.setTensor(without); // has no values to show
        panel.setTensor(tensor);
        QCOMPARE(panel.findChild<QTabWidget *>(QStringLiteral("tensorTabs"))->currentIndex(),
                 int(TensorPanel::Tab::Values));
    }

    void tooManyValuesAreNotCopied()
    {
        SliceView view;
        view.setTensor(threes({2000, 2000}));
        QSignalSpy refused(&view, &SliceView::refused);
        QSignalSpy copied(&view, &SliceView::copied);
        QApplication::clipboard()->setText(QStringLiteral("before"));
        view.copy();
        QCOMPARE(refused.size(), 1);
        view.setTensor(threes({2, 2}));
        view.copy();
        QVERIFY(copied.wait(patience));
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("3\t3\n3\t3\n"));
    }

    void longStringsAreElided()
    {
        const std::string text(5000, 'x');
        ValueModel model;
        model.setSlice(shared(TensorData::fromStrings({1}, {text})), TensorSlice({1}));
        QCOMPARE(shown(model, 0, 0).size(), 1000);
    }

    void longStringsAreCopiedWhole()
    {
        const std::string text(5000, 'x');
        SliceView view;
        view.setTensor(shared(TensorData::fromStrings({1}, {text})));
        QSignalSpy copied(&view, &SliceView::copied);
        view.copy();
        QVERIFY(copied.wait(patience));
        QCOMPARE(QApplication::clipboard()->text().trimmed().size(), 5000);
    }

    void theTableIsThatOfTheSliceAtItsBeginning()
    {
        TensorPanel panel;
        InspectedTensor tensor;
        tensor.data = threes({2, 2});
        panel.setTensor(tensor);
        const TableSource source = panel.valueSource();
        tensor.data = threes({1, 7});
        panel.setTensor(tensor);
        QCOMPARE(source.content().rows, (std::vector<TableRow>{{0LL, 3LL, 3LL}, {1LL, 3LL, 3LL}}));
    }

    void theSliceStaysForATensorOfTheSameForm()
    {
        SliceView view;
        view.setTensor(threes({4, 5, 6}));
        view.goTo(5 * 6 * 2 + 3);
        QCOMPARE(view.slice().index(0), 2);
        std::mt19937_64 random(2);
        view.setTensor(shared(randomTensor(DataType::Float, {4, 5, 6}, random)));
        QCOMPARE(view.slice().index(0), 2);
        view.setTensor(threes({4, 5, 7}));
        QCOMPARE(view.slice().index(0), 0);
    }

    void bytesBehaveAsAModel()
    {
        ByteModel model;
        QAbstractItemModelTester tester(&model, reporting);
        std::vector<std::byte> bytes;
        for (const char c : std::string_view("abcdefgh 0123456789\x01\xff"))
            bytes.push_back(std::byte(c));
        model.setTensor(shared(TensorData::fromBytes(DataType::Uint8, {21}, bytes)));
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(0, ByteModel::Hexadecimal).data().toString(),
                 QStringLiteral("61 62 63 64 65 66 67 68  20 30 31 32 33 34 35 36"));
        QCOMPARE(model.index(0, ByteModel::Ascii).data().toString(),
                 QStringLiteral("abcdefgh 0123456"));
        QCOMPARE(model.index(1, ByteModel::Ascii).data().toString(), QStringLiteral("789.."));
        QCOMPARE(model.headerData(1, Qt::Vertical).toString(), QStringLiteral("10"));
        model.setTensor(shared(TensorData::fromStrings({1}, {"text"})));
        QCOMPARE(model.rowCount(), 0);
        model.setTensor(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void factsBehaveAsAModel()
    {
        SummaryModel model;
        QAbstractItemModelTester tester(&model, reporting);
        InspectedTensor tensor;
        tensor.name = QStringLiteral("w");
        const std::vector<float> values{1, 1, -2, 0, std::nanf("")};
        tensor.data = shared(TensorData::fromValues<float>(DataType::Float, {5}, values));
        std::vector<TensorFact> facts = factsOf(tensor);
        const auto statistics = statisticsOf(*tensor.data);
        QVERIFY(statistics);
        std::ranges::move(factsOf(*statistics, *tensor.data), std::back_inserter(facts));
        model.setFacts(std::move(facts));
        const auto fact = [&](const char *name) { return model.valueOf(QLatin1String(name)); };
        QCOMPARE(fact("values"), QStringLiteral("1, 1, -2, 0, NaN"));
        QCOMPARE(fact("minimum"), QStringLiteral("-2 at [2]"));
        QCOMPARE(fact("maximum"), QStringLiteral("1 at [0]"));
        QCOMPARE(fact("zeros"), QStringLiteral("1 (20.0 %)"));
        QCOMPARE(fact("mean"), QStringLiteral("0"));
        QCOMPARE(fact("distinct values"), QStringLiteral("4: -2, 0, 1 ×2, NaN"));
        QCOMPARE(fact("nothing"), QString());
    }
};

GRAPHLOOM_WINDOW_TESTS(TensorModelsTest)

} // namespace graphloom::test::tensor_models_test

#include "tensor_models_test.moc"

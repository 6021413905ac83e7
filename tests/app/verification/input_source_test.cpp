// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verification/input_source.h"

#include "engine/tensors/npy.h"
#include "tests/support/numbers.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_models.h"

#include <QImage>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>

namespace graphloom::test::input_source_test {

namespace {

Tensor declared(DataType type, Shape shape)
{
    Tensor tensor;
    tensor.name = "x";
    tensor.type = type;
    tensor.shape = std::move(shape);
    return tensor;
}

} // namespace

class InputSourceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void arraysAreRead()
    {
        const auto file = place("x.npy");
        QVERIFY(writeNpy(floats({2, 2}, {1, 2, 3, 4}), file));
        const auto value = readInput(declared(DataType::Float, {2, 2}), {file});
        QVERIFY(value && value->tensor());
        QCOMPARE(value->tensor()->real(3), 4.0);
    }

    void arraysAreKeptWhenTheirFileIsTruncated_data()
    {
        QTest::addColumn<int>("elements");
        QTest::newRow("few") << 1000;
        QTest::newRow("many") << 300'000;
    }
    void arraysAreKeptWhenTheirFileIsTruncated()
    {
        QFETCH(int, elements);
        const auto file = place("x.npy");
        QVERIFY(writeNpy(floats({elements}, std::vector<float>(std::size_t(elements), 7)), file));
        const auto value = readInput(declared(DataType::Float, {elements}), {file});
        QVERIFY(value && value->tensor());
        std::filesystem::resize_file(file, 0);
        QCOMPARE(value->tensor()->real(elements - 1), 7.0);
    }

    void tensorsOfOnnxAreRead()
    {
        const auto file = place("x.pb");
        writeTensor(file, {3}, {5, 6, 7});
        const auto value = readInput(declared(DataType::Float, {Dim::symbol("n")}), {file});
        QVERIFY(value && value->tensor());
        QCOMPARE(value->tensor()->extents(), TensorData::Extents{3});
        QCOMPARE(value->tensor()->real(2), 7.0);
    }

    void anotherShapeOrTypeIsRefused_data()
    {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("extent");
        QTest::addColumn<QString>("wanted");
        QTest::newRow("type") << int(DataType::Int64) << 4 << "expected int64";
        QTest::newRow("shape") << int(DataType::Float) << 5 << "shape 5";
    }
    void anotherShapeOrTypeIsRefused()
    {
        QFETCH(int, type);
        QFETCH(int, extent);
        QFETCH(QString, wanted);
        const auto file = place("four.npy");
        QVERIFY(writeNpy(floats({4}, {1, 2, 3, 4}), file));
        const auto value = readInput(declared(DataType(type), {extent}), {file});
        QVERIFY(!value);
        const QString text = QString::fromStdString(value.error().text());
        QVERIFY2(text.contains(wanted) && text.contains(QStringLiteral("four.npy")) &&
                     text.contains(QStringLiteral("input \"x\"")),
                 qPrintable(text));
    }

    void unknownAndMissingFilesAreRefused()
    {
        const auto file = place("x.txt");
        std::ofstream(file) << "1 2 3";
        const auto unknown = readInput(declared(DataType::Float, {3}), {file});
        QVERIFY(!unknown && unknown.error().kind == Error::Kind::Usage);
        QVERIFY(!readInput(declared(DataType::Float, {3}), {place("gone.npy")}));
        QVERIFY(!readInput(declared(DataType::Float, {1, 3, 2, 2}), {place("gone.png")}));
    }

    /// Red on the left, green on the right.
    void imagesHaveChannelsFirstOrLast()
    {
        const auto file = image({qRgb(255, 0, 0), qRgb(0, 255, 0)}, 2, 1);
        const auto first = readImage(declared(DataType::Float, {1, 3, 1, 2}), file, {});
        QVERIFY(first);
        QCOMPARE(elements(*first), (std::vector<double>{1, 0, 0, 1, 0, 0}));
        const auto last = readImage(declared(DataType::Float, {1, 1, 2, 3}), file, {});
        QVERIFY(last);
        QCOMPARE(elements(*last), (std::vector<double>{1, 0, 0, 0, 1, 0}));
        const auto grey = readImage(declared(DataType::Float, {1, 2}), file, {});
        QVERIFY(grey);
        QCOMPARE(grey->elements(), 2);
    }

    void theLayoutCanBeForced()
    {
        const auto file = image({qRgb(255, 0, 0), qRgb(255, 0, 0), qRgb(255, 0, 0)}, 3, 1);
        const Tensor both = declared(DataType::Float, {1, 3, 1, 3}); // either way
        ImageOptions options;
        QCOMPARE(elements(*readImage(both, file, options)),
                 (std::vector<double>{1, 1, 1, 0, 0, 0, 0, 0, 0}));
        options.layout = ImageOptions::Layout::ChannelsLast;
        options.fit = ImageOptions::Fit::Stretch; // to 1x3
        QCOMPARE(elements(*readImage(both, file, options)),
                 (std::vector<double>{1, 0, 0, 1, 0, 0, 1, 0, 0}));
        options.layout = ImageOptions::Layout::ChannelsFirst;
        QVERIFY(!readImage(declared(DataType::Float, {1, 2, 2, 3}), file, options));
    }

    void pixelsAreNormalized()
    {
        const auto file = image({qRgb(255, 0, 51)}, 1, 1);
        ImageOptions options;
        options.mean = {0.5, 0.5, 0.2};
        options.deviation = {0.5, 0.25, 1};
        const auto data = readImage(declared(DataType::Float, {1, 3, 1, 1}), file, options);
        QVERIFY(data);
        QCOMPARE(float(data->real(0)), 1.0F);
        QCOMPARE(float(data->real(1)), -2.0F);
        QVERIFY(std::abs(data->real(2)) < 1e-6);
        const auto bytes = readImage(declared(DataType::Uint8, {1, 3, 1, 1}), file, options);
        QVERIFY(bytes);
        QCOMPARE(elements(*bytes), (std::vector<double>{255, 0, 51})); // as they are
        QVERIFY(!readImage(declared(DataType::Int64, {1, 3, 1, 1}), file, options));
    }

    void otherSizesFitInThreeWays()
    {
        // White in the middle of a wide black image.
        const auto file =
            image({qRgb(0, 0, 0), qRgb(255, 255, 255), qRgb(255, 255, 255), qRgb(0, 0, 0)}, 4, 1);
        const Tensor one = declared(DataType::Float, {1, 1, 1, 2});
        ImageOptions options;
        options.fit = ImageOptions::Fit::Crop;
        QCOMPARE(elements(*readImage(one, file, options)), (std::vector<double>{1, 1}));
        options.fit = ImageOptions::Fit::Stretch;
        QCOMPARE(elements(*readImage(one, file, options)).size(), std::size_t(2));
        options.fit = ImageOptions::Fit::Pad;
        const auto padded = readImage(declared(DataType::Float, {1, 1, 3, 4}), file, options);
        QVERIFY(padded);
        QCOMPARE(elements(*padded), (std::vector<double>{0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0}));
    }

    void croppingDoesNotScaleWhatIsCutOff()
    {
        const auto file = image(std::vector<QRgb>(4000, qRgb(255, 255, 255)), 4000, 1);
        const auto data = readImage(declared(DataType::Uint8, {1, 1, 3000, 1}), file, {});
        QVERIFY(data); // scaled as a whole, it would have 12 million columns
        QCOMPARE(data->integer(2999), 255);
    }

    void paddingOfAnImageWithAPaletteIsBlack()
    {
        QImage made(1, 1, QImage::Format_Indexed8);
        made.setColorTable({qRgb(255, 255, 255)});
        made.setPixel(0, 0, 0);
        const auto file = place("palette.png");
        QVERIFY(made.save(QString::fromStdString(file.string())));
        ImageOptions options;
        options.fit = ImageOptions::Fit::Pad;
        const auto data = readImage(declared(DataType::Uint8, {1, 1, 1, 5}), file, options);
        QVERIFY(data);
        QCOMPARE(elements(*data), (std::vector<double>{0, 0, 255, 0, 0}));
    }

    void paddingKeepsAnImageThatIsVeryNarrow()
    {
        const auto file = image(std::vector<QRgb>(100, qRgb(255, 255, 255)), 100, 1);
        ImageOptions options;
        options.fit = ImageOptions::Fit::Pad;
        const auto data = readImage(declared(DataType::Uint8, {1, 1, 3, 10}), file, options);
        QVERIFY(data);
        QCOMPARE(data->integer(10), 255);
    }

    void sidesThatNoImageCanHaveAreRefused_data()
    {
        QTest::addColumn<qint64>("side");
        QTest::newRow("none") << qint64(0);
        QTest::newRow("too long") << qint64(32768);
        QTest::newRow("longer than an int") << (qint64(1) << 32) + 1;
    }
    void sidesThatNoImageCanHaveAreRefused()
    {
        QFETCH(qint64, side);
        const auto data =
            readImage(declared(DataType::Uint8, {1, 1, 1, side}), image({qRgb(1, 2, 3)}, 1, 1), {});
        QVERIFY(!data && data.error().kind == Error::Kind::Usage);
    }

    void openExtentsAreThoseOfTheImage()
    {
        const auto file = image(std::vector<QRgb>(6, qRgb(1, 2, 3)), 3, 2);
        const auto data = readImage(
            declared(DataType::Float, {Dim::symbol("n"), 3, Dim::symbol("h"), Dim::symbol("w")}),
            file, {});
        QVERIFY(data);
        QCOMPARE(data->extents(), (TensorData::Extents{1, 3, 2, 3}));
    }

private:
    std::filesystem::path place(const char *name)
    {
        return m_folder.filePath(QLatin1String(name)).toStdString();
    }
    std::filesystem::path image(const std::vector<QRgb> &pixels, int width, int height)
    {
        QImage made(width, height, QImage::Format_RGB32);
        for (int i = 0; i < int(pixels.size()); ++i)
            made.setPixel(i % width, i / width, pixels[std::size_t(i)]);
        const auto file = place("image.png");
        if (!made.save(QString::fromStdString(file.string())))
            qFatal("cannot save the image");
        return file;
    }
    static std::vector<double> elements(const TensorData &data)
    {
        std::vector<double> values;
        for (std::int64_t i = 0; i < data.elements(); ++i)
            values.push_back(data.real(i));
        return values;
    }

    QTemporaryDir m_folder;
};

GRAPHLOOM_TESTS(InputSourceTest)

} // namespace graphloom::test::input_source_test

#include "input_source_test.moc"

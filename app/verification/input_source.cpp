// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verification/input_source.h"

#include "app/common/format.h"
#include "engine/interpreter/interpreter.h"
#include "engine/interpreter/spill.h"
#include "engine/onnx/files/mapped_file.h"
#include "engine/onnx/files/tensor_file.h"
#include "engine/tensors/npy.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QImageReader>

#include <algorithm>

namespace graphloom {

namespace {

constexpr std::int64_t longestSide = 32767; // what Qt can paint

struct InputSourceText {
    Q_DECLARE_TR_FUNCTIONS(InputSource)
};

QString fileEnding(const std::filesystem::path &file)
{
    return QFileInfo(fromUtf8(file.string())).suffix().toLower();
}

QStringList imageEndings()
{
    QStringList endings;
    for (const QByteArray &format : QImageReader::supportedImageFormats())
        endings << QString::fromLatin1(format).toLower();
    // Drawings and documents have no pixels of their own.
    for (const char *other : {"svg", "svgz", "pdf"})
        endings.removeAll(QLatin1String(other));
    return endings;
}

/// The extents of an input that is an image, and which of them are its sides and channels.
struct ImageShape {
    TensorData::Extents extents;
    std::size_t height = 0, width = 0;
    std::optional<std::size_t> channels; // nothing: one channel without an axis
    int depth = 1;                       // channels
};

bool isDepth(const Dim &dim)
{
    return dim == Dim(1) || dim == Dim(3) || dim == Dim(4);
}

std::optional<ImageShape> imageShapeOf(const Shape &shape, const ImageOptions &options,
                                       const QSize &size)
{
    const std::size_t rank = shape.size();
    if (rank < 2 || rank > 4)
        return std::nullopt;
    ImageShape found;
    found.height = rank - 2;
    found.width = rank - 1;
    using Layout = ImageOptions::Layout;
    if (rank >= 3) {
        const bool first = isDepth(shape[rank - 3]), last = isDepth(shape[rank - 1]);
        if (options.layout == Layout::ChannelsFirst  ? !first
            : options.layout == Layout::ChannelsLast ? !last
                                                     : !first && !last)
            return std::nullopt;
        // Three channels tell more than an extent of 1.
        const bool isColourLast = shape[rank - 1] == Dim(3) && shape[rank - 3] == Dim(1);
        const bool isLast = options.layout == Layout::ChannelsLast || !first ||
                            (options.layout == Layout::Automatic && isColourLast);
        found.channels = isLast ? rank - 1 : rank - 3;
        found.height = isLast ? rank - 3 : rank - 2;
        found.width = found.height + 1;
        found.depth = int(*shape[*found.channels].constant());
    }
    for (std::size_t d = 0; d < rank; ++d) {
        const auto extent = shape[d].constant();
        found.extents.push_back(extent              ? *extent
                                : d == found.height ? size.height()
                                : d == found.width  ? size.width()
                                                    : 1);
    }
    if (rank == 4 && found.extents[0] != 1)
        return std::nullopt;
    return found;
}

/// Returns the part of an image in its middle, or beyond its sides what is black.
QImage middleOf(const QImage &image, const QSize &size)
{
    return image.copy(
        {{(image.width() - size.width()) / 2, (image.height() - size.height()) / 2}, size});
}

/// The image has colours of its own, not those of a palette, whose first one would fill borders.
QImage inSize(const QImage &image, const QSize &size, ImageOptions::Fit fit)
{
    if (image.size() == size)
        return image;
    const auto scaled = [](const QImage &of, const QSize &to) {
        return of.scaled(to.expandedTo({1, 1}), Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    };
    switch (fit) {
    case ImageOptions::Fit::Crop: {
        // Cut first: scaled as a whole, a narrow image would become a huge one.
        const QSize cut = size.scaled(image.size(), Qt::KeepAspectRatio).expandedTo({1, 1});
        return scaled(middleOf(image, cut), size);
    }
    case ImageOptions::Fit::Pad:
        return middleOf(scaled(image, image.size().scaled(size, Qt::KeepAspectRatio)), size);
    case ImageOptions::Fit::Stretch:
        break;
    }
    return scaled(image, size);
}

int pixelOf(QRgb pixel, int channel, int depth)
{
    if (depth == 1)
        return qGray(pixel);
    const int values[] = {qRed(pixel), qGreen(pixel), qBlue(pixel), qAlpha(pixel)};
    return values[channel];
}

/// Reads a file of NumPy. The array becomes the program's own: whoever writes the file again, which
/// truncates it, would change what later runs compute.
Result<DataValue> readArray(const std::filesystem::path &file)
{
    GL_TRY_CONST(mapped, readNpy(file));
    TensorData own = detached(*mapped);
    if (shrunkFileOf(mapped->bytes()))
        return fail(Error::Kind::Model, "was truncated while it was being read: choose it again");
    return DataValue(std::move(own));
}

tl::unexpected<Error> refusedInput(Error error, const Tensor &declared, const InputSource &source)
{
    error.where = "input \"" + declared.name + "\", " + source.file.filename().string();
    return tl::unexpected(std::move(error));
}

} // namespace

QStringList inputFileEndings()
{
    return QStringList{QStringLiteral("npy"), QStringLiteral("pb")} + imageEndings();
}

bool isInputFile(const QString &path)
{
    return inputFileEndings().contains(QFileInfo(path).suffix().toLower());
}

bool isImageFile(const std::filesystem::path &file)
{
    return imageEndings().contains(fileEnding(file));
}

Result<TensorData> readImage(const Tensor &declared, const std::filesystem::path &file,
                             const ImageOptions &options)
{
    QImageReader reader(QString::fromStdString(file.string()));
    reader.setAutoTransform(true);
    const QImage read = reader.read();
    if (read.isNull())
        return fail(Error::Kind::Model,
                    "cannot be read as an image: " + reader.errorString().toStdString(),
                    file.string());
    const bool isReal = isFloatingPoint(declared.type);
    if (!isReal && declared.type != DataType::Uint8)
        return fail(Error::Kind::Usage,
                    "images need a floating-point or uint8 input; this input is " +
                        std::string(nameOf(declared.type)));
    const auto shape = declared.shape ? imageShapeOf(*declared.shape, options, read.size())
                                      : std::optional<ImageShape>();
    if (!shape)
        return fail(Error::Kind::Usage,
                    "shape " + (declared.shape ? text(*declared.shape) : std::string("?")) +
                        " is not that of one image with 1, 3 or 4 channels in this layout");
    const std::int64_t width = shape->extents[shape->width], height = shape->extents[shape->height];
    if (std::min(width, height) < 1 || std::max(width, height) > longestSide)
        return fail(Error::Kind::Usage, "an image for this input would have " +
                                            std::to_string(width) + "x" + std::to_string(height) +
                                            " pixels; its sides must be from 1 to " +
                                            std::to_string(longestSide) + " pixels long");
    const QSize size{int(width), int(height)};
    const QImage image = inSize(read.convertToFormat(QImage::Format_ARGB32), size, options.fit);
    if (image.isNull())
        return fail(Error::Kind::Missing, "not enough memory for the image", file.string());
    const auto element = std::size_t(bytesOf(declared.type, 1));
    std::vector<std::byte> bytes(std::size_t(size.width()) * std::size_t(size.height()) *
                                 std::size_t(shape->depth) * element);
    const bool isLast = shape->channels && *shape->channels > shape->width;
    const std::size_t pixels = std::size_t(size.width()) * std::size_t(size.height());
    for (int y = 0; y < size.height(); ++y) {
        const auto *line = reinterpret_cast<const QRgb *>(image.constScanLine(y));
        for (int x = 0; x < size.width(); ++x)
            for (int c = 0; c < shape->depth; ++c) {
                const std::size_t pixel =
                    std::size_t(y) * std::size_t(size.width()) + std::size_t(x);
                const std::size_t at = isLast ? pixel * std::size_t(shape->depth) + std::size_t(c)
                                              : std::size_t(c) * pixels + pixel;
                const int value = pixelOf(line[x], c, shape->depth);
                if (!isReal) {
                    bytes[at] = std::byte(value);
                    continue;
                }
                const std::size_t of = std::size_t(std::min(c, 2)); // alpha like blue
                encodeReal(declared.type,
                           (value / 255.0 - options.mean[of]) / options.deviation[of],
                           bytes.data() + at * element);
            }
    }
    return TensorData::fromBytes(declared.type, shape->extents, std::move(bytes));
}

Result<DataValue> readInput(const Tensor &declared, const InputSource &source)
{
    const QString ending = fileEnding(source.file);
    Result<DataValue> value =
        ending == u"pb"    ? readValueFile(source.file, declared)
        : ending == u"npy" ? readArray(source.file)
        : imageEndings().contains(ending)
            ? readImage(declared, source.file, source.image).map([](TensorData &&data) {
                  return DataValue(std::move(data));
              })
            : Result<DataValue>(
                  fail(Error::Kind::Usage,
                       "expected a NumPy file (.npy), an ONNX tensor (.pb) or an image"));
    if (!value)
        return refusedInput(std::move(value).error(), declared, source);
    if (auto checked = checkInput(declared, *value); !checked)
        return refusedInput(std::move(checked).error(), declared, source);
    return value;
}

Result<GivenInputs> readInputs(const Graph &graph, const std::vector<InputSource> &sources,
                               std::uint64_t seed)
{
    GivenInputs inputs;
    QStringList files;
    bool anyRandom = false;
    for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
        if (i >= sources.size() || sources[i].file.empty()) {
            GL_TRY_RESULT(value, randomValueOf(graph, i, seed));
            inputs.values.push_back(*std::move(value));
            anyRandom = true;
            continue;
        }
        GL_TRY_RESULT(value, readInput(graph.tensor(graph.inputs()[i]), sources[i]));
        inputs.values.push_back(*std::move(value));
        files << fileNameOf(sources[i].file);
    }
    files.removeDuplicates();
    inputs.title = files.join(QStringLiteral(", "));
    if (files.isEmpty())
        inputs.title = InputSourceText::tr("random inputs, seed %1").arg(seed);
    else if (anyRandom)
        inputs.title =
            InputSourceText::tr("%1 and random inputs, seed %2").arg(inputs.title).arg(seed);
    return inputs;
}

} // namespace graphloom

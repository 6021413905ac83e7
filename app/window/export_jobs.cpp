// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/export_jobs.h"

#include "app/views/legend.h"
#include "app/window/graphviz_layout.h"
#include "engine/base/atomic_file.h"
#include "engine/onnx/export.h"
#include "engine/plan/report.h"

#include <QBuffer>
#include <QImage>
#include <QSvgGenerator>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>

namespace graphloom {

namespace {

constexpr double margin = 16, mostPixels = 16'384, legendHeight = 30, leastLegendWidth = 560;

std::string extensionOf(const std::filesystem::path &path)
{
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    return extension;
}

Result<void> write(const std::filesystem::path &path, const QByteArray &content)
{
    return writeFileAtomically(path, std::string_view(content.data(), std::size_t(content.size())));
}

/// The drawing, and under it what its colours mean where they are of a metric.
void paintPicture(QPainter &painter, const Drawing &drawing, const Theme &theme,
                  const Colouring &colours, const QRectF &part, double scale)
{
    paintDrawing(painter, drawing, theme, part, {colours, scale});
    if (!colours.metric)
        return;
    QFont font;
    font.setPixelSize(metrics::titlePixels);
    painter.setFont(font);
    painter.setRenderHint(QPainter::Antialiasing);
    paintMetric(painter,
                QRectF(part.left() + margin, part.bottom() - legendHeight, part.width() - margin,
                       legendHeight),
                theme, *colours.metric, colours.range, theme.canvas.groupText);
}

QRectF partOf(const Drawing &drawing, const Colouring &colours)
{
    QRectF part = drawing.bounds.adjusted(-margin, -margin, margin, margin);
    if (colours.metric) {
        part.setBottom(part.bottom() + legendHeight);
        part.setWidth(std::max(part.width(), leastLegendWidth));
    }
    return part;
}

QByteArray svgOf(const Drawing &drawing, const Theme &theme, const Colouring &colours,
                 const QRectF &part)
{
    QBuffer buffer;
    QSvgGenerator svg;
    svg.setOutputDevice(&buffer);
    svg.setSize(part.size().toSize());
    svg.setViewBox(QRectF(QPointF(0, 0), part.size()));
    svg.setTitle(QString::fromStdString(drawing.snapshot->graph().name()));
    svg.setDescription(QStringLiteral("Made by Graphloom"));
    svg.setResolution(96); // pixels are CSS pixels
    QPainter painter(&svg);
    painter.fillRect(QRectF(QPointF(0, 0), part.size()), theme.canvas.background);
    painter.translate(-part.topLeft());
    paintPicture(painter, drawing, theme, colours, part, 1);
    painter.end();
    return buffer.data();
}

} // namespace

bool isDotFile(const std::filesystem::path &path)
{
    return extensionOf(path) == ".dot" || extensionOf(path) == ".gv";
}

Result<void> exportFile(const Plan &plan, const Drawing &drawing, const Theme &theme,
                        const Colouring &colours, const std::filesystem::path &path)
{
    const std::string extension = extensionOf(path);
    if (extension == ".onnx")
        return exportOnnx(plan, path);
    if (extension == ".json")
        return exportReport(plan, path);
    if (isDotFile(path))
        return exportDot(drawing, path);
    if (extension == ".svg" || extension == ".png")
        return exportPicture(drawing, theme, colours, path);
    return fail(Error::Kind::Usage,
                "the extension says what to write: .onnx, .json, .dot, .gv, .svg or .png",
                path.string());
}

Result<void> exportPicture(const Drawing &drawing, const Theme &theme, const Colouring &colours,
                           const std::filesystem::path &path)
{
    const QRectF part = partOf(drawing, colours);
    if (extensionOf(path) == ".svg")
        return write(path, svgOf(drawing, theme, colours, part));
    if (extensionOf(path) != ".png")
        return fail(Error::Kind::Usage, "a picture is an .svg or a .png file", path.string());
    const double scale = std::min(1.0, mostPixels / std::max(part.width(), part.height()));
    QImage image((part.size() * scale).toSize().expandedTo(QSize(1, 1)), QImage::Format_RGB32);
    if (image.isNull())
        return fail(Error::Kind::Missing, "there is not enough memory for a picture of this size",
                    path.string());
    image.fill(theme.canvas.background);
    QPainter painter(&image);
    painter.scale(scale, scale);
    painter.translate(-part.topLeft());
    paintPicture(painter, drawing, theme, colours, part, scale);
    painter.end();
    QBuffer buffer;
    if (!image.save(&buffer, "PNG"))
        return fail(Error::Kind::Fault, "the picture cannot be encoded as PNG", path.string());
    return write(path, buffer.data());
}

Result<void> exportReport(const Plan &plan, const std::filesystem::path &path)
{
    const auto report =
        reportOf(plan, {.environment = hostEnvironment(0), .verification = {}, .testData = {}});
    if (!report)
        return tl::unexpected(report.error());
    return writeFileAtomically(path, report->dump(2) + '\n');
}

Result<void> exportDot(const Drawing &drawing, const std::filesystem::path &path)
{
    const auto dot = dotOf(drawing);
    if (!dot)
        return tl::unexpected(dot.error());
    return writeFileAtomically(path, *dot);
}

} // namespace graphloom

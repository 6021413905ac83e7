// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/style/view_picture.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

constexpr double border = 16, mostPixels = 16'384, leastHeadWidth = 560, lineGap = 3;
constexpr int headPixels = 17, subjectPixels = 13, notePixels = 12;

QFont headFont(int pixels, bool bold = false)
{
    QFont font;
    font.setPixelSize(pixels);
    font.setBold(bold);
    return font;
}

struct ViewPictureText {
    Q_DECLARE_TR_FUNCTIONS(ViewPicture)
};

QColor groundOf(const ViewPicture &picture, const Theme &theme)
{
    return picture.canvas ? theme.canvas.background : theme.palette.color(QPalette::Base);
}

/// Holds a line of text above the picture, wrapped if it is too long.
struct HeadLine {
    QString text;
    QFont font;
    bool dim;
};

std::vector<HeadLine> headOf(const ViewPicture &picture)
{
    std::vector<HeadLine> lines{{picture.title, headFont(headPixels, true), false}};
    if (!picture.subject.isEmpty())
        lines.push_back({picture.subject, headFont(subjectPixels), false});
    for (const QString &note : picture.notes)
        lines.push_back({note, headFont(notePixels), true});
    return lines;
}

/// Paints the lines, or only measures them; returns their height.
double paintHead(QPainter *painter, const ViewPicture &picture, const QRectF &place,
                 const Theme &theme)
{
    double y = place.top();
    constexpr int flags = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap;
    for (const HeadLine &line : headOf(picture)) {
        const QFontMetricsF metrics(line.font);
        const double height =
            metrics.boundingRect(QRectF(0, 0, place.width(), 1e5), flags, line.text).height();
        if (painter) {
            painter->setFont(line.font);
            painter->setPen(
                theme.palette.color(line.dim ? QPalette::PlaceholderText : QPalette::WindowText));
            painter->drawText(QRectF(place.left(), y, place.width(), height), flags, line.text);
        }
        y += height + lineGap;
    }
    return y - place.top() + border / 2;
}

struct WholeLayout {
    QRectF all, head, body, legend;
};

WholeLayout layoutOf(const ViewPicture &picture, const PictureOptions &options)
{
    const QSizeF body = picture.scalable ? options.size.value_or(picture.size) : picture.size;
    if (!options.title && !options.legend) // the bare picture
        return {QRectF(QPointF(), body), {}, QRectF(QPointF(), body), {}};
    const bool legend = options.legend && picture.legend;
    const double width =
        options.title || legend ? std::max(body.width(), leastHeadWidth) : body.width();
    WholeLayout at;
    double y = border;
    if (options.title) {
        at.head = QRectF(border, y, width, 0);
        at.head.setHeight(paintHead(nullptr, picture, at.head, options.theme));
        y = at.head.bottom();
    }
    at.body = QRectF(QPointF(border, y), body);
    y = at.body.bottom();
    if (legend) {
        at.legend = QRectF(border, y + border / 2, width, 0);
        at.legend.setHeight(picture.legend(nullptr, at.legend, options.theme));
        y = at.legend.bottom();
    }
    at.all = QRectF(0, 0, std::ceil(width + 2 * border), std::ceil(y + border));
    return at;
}

/// Replaces characters that XML does not allow, which Qt writes unchanged.
void makeXml(QByteArray &svg)
{
    for (qsizetype i = 0; i < svg.size(); ++i) {
        const auto c = static_cast<unsigned char>(svg[i]);
        if (c < 0x20 && c != '\t' && c != '\n' && c != '\r')
            svg[i] = '?';
    }
    // Valid UTF-8, but not allowed in XML: U+FFFE and U+FFFF.
    for (const char *none : {"\xef\xbf\xbe", "\xef\xbf\xbf"})
        svg.replace(none, "?");
}

} // namespace

QSizeF wholeSize(const ViewPicture &picture, const PictureOptions &options)
{
    return layoutOf(picture, options).all.size();
}

void paintWhole(QPainter &painter, const ViewPicture &picture, const PictureOptions &options,
                double scale, std::stop_token stop)
{
    const WholeLayout at = layoutOf(picture, options);
    const Theme &theme = options.theme;
    if (!options.transparent)
        painter.fillRect(at.all, groundOf(picture, theme));
    if (options.title)
        paintHead(&painter, picture, at.head, theme);
    painter.save();
    picture.paint(painter, at.body, {theme, scale, stop});
    painter.restore();
    if (options.legend && picture.legend)
        picture.legend(&painter, at.legend, theme);
}

std::optional<QByteArray> svgOf(const ViewPicture &picture, const PictureOptions &options,
                                std::stop_token stop)
{
    const QSizeF size = wholeSize(picture, options);
    QBuffer buffer;
    QSvgGenerator svg;
    svg.setOutputDevice(&buffer);
    svg.setSize(size.toSize());
    svg.setViewBox(QRectF(QPointF(0, 0), size));
    svg.setTitle(picture.subject.isEmpty()
                     ? picture.title
                     : QStringLiteral("%1 \u2013 %2").arg(picture.title, picture.subject));
    svg.setDescription((picture.notes + QStringList(ViewPictureText::tr("Made by Graphloom %1")
                                                        .arg(QStringLiteral(GRAPHLOOM_VERSION))))
                           .join(u'\n'));
    svg.setResolution(96); // pixels are CSS pixels
    QPainter painter(&svg);
    paintWhole(painter, picture, options, 1, stop);
    painter.end();
    if (stop.stop_requested())
        return std::nullopt;
    QByteArray bytes = buffer.data();
    makeXml(bytes);
    return bytes;
}

Result<QImage> imageOf(const ViewPicture &picture, const PictureOptions &options,
                       std::stop_token stop)
{
    const QSizeF size = wholeSize(picture, options);
    const double scale =
        std::min(options.scale, mostPixels / std::max(size.width(), size.height()));
    QImage image((size * scale).toSize().expandedTo(QSize(1, 1)),
                 options.transparent ? QImage::Format_ARGB32_Premultiplied : QImage::Format_RGB32);
    if (image.isNull())
        return fail(Error::Kind::Missing, "not enough memory for a picture of this size");
    image.fill(options.transparent ? QColor(Qt::transparent) : groundOf(picture, options.theme));
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(scale, scale);
    paintWhole(painter, picture, options, scale, stop);
    painter.end();
    return stop.stop_requested() ? QImage() : image;
}

Result<QByteArray> pngOf(const QImage &image)
{
    QBuffer buffer;
    if (!image.save(&buffer, "PNG"))
        return fail(Error::Kind::Fault, "cannot encode the picture as PNG");
    return buffer.data();
}

} // namespace graphloom

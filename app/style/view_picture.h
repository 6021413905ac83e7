// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/style/theme.h"
#include "engine/base/result.h"

#include <QByteArray>
#include <QSizeF>
#include <QStringList>

#include <functional>
#include <optional>
#include <stop_token>

class QImage;
class QPainter;

namespace graphloom {

/// Default size of exported charts.
inline constexpr QSizeF usualSize{1100, 460};

/// Parameters of painting a picture.
struct PictureLook {
    const Theme &theme;
    double scale = 1; // device pixels per unit of the picture; determines the level of detail
    std::stop_token stop = {};
};

/// A picture of what a view shows, for export. It is independent of the view, its size and its
/// theme, and states itself what it shows and of which model.
struct ViewPicture {
    QString title;         // "Memory by step"
    QString subject;       // the model's name
    QStringList notes;     // figures that belong to it, with their provenance
    QSizeF size;           // size of what is painted; usualSize for a chart
    bool scalable = false; // whether it can be painted in any size, as charts can
    bool anyThread = true; // if false, only on the GUI thread: Qt Charts are widgets
    bool canvas = false;   // whether its background is that of the canvas, not that of charts
    /// Paints the picture into a rectangle whose background is already painted. Stops early when
    /// told to.
    std::function<void(QPainter &painter, const QRectF &place, const PictureLook &look)> paint;
    /// Paints the legend under the picture, unless the picture contains one: paints into a
    /// rectangle of the given width and returns the height that it takes. Without a painter, only
    /// returns the height. Null: there is no separate legend.
    std::function<double(QPainter *painter, const QRectF &place, const Theme &theme)> legend = {};
};

/// Options for writing a picture to a file.
struct PictureOptions {
    Theme theme;
    bool title = true;               // title, model and notes above the picture
    bool legend = true;              // where the picture has a separate one
    bool transparent = false;        // without a background
    double scale = 1;                // pixels of a PNG per unit of the picture
    std::optional<QSizeF> size = {}; // size of what is painted, if it is scalable
};

/// Returns the size of the whole picture in its units, with title and legend as the options ask
/// for.
QSizeF wholeSize(const ViewPicture &picture, const PictureOptions &options);
/// Paints the whole picture from the origin on. `scale` is that of the painter.
void paintWhole(QPainter &painter, const ViewPicture &picture, const PictureOptions &options,
                double scale, std::stop_token stop = {});

/// Returns the picture as an SVG file, in which text stays text. Returns nothing when stopped.
std::optional<QByteArray> svgOf(const ViewPicture &picture, const PictureOptions &options,
                                std::stop_token stop = {});
/// Returns the pixels of a PNG file. The image is smaller than asked for if a side would exceed
/// 16,384 pixels. Fails (Missing) when there is not enough memory. Returns a null image when
/// stopped.
Result<QImage> imageOf(const ViewPicture &picture, const PictureOptions &options,
                       std::stop_token stop = {});
Result<QByteArray> pngOf(const QImage &image);

} // namespace graphloom

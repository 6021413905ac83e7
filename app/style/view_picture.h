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

/// Of the charts that leave the program, unless somebody wants another.
inline constexpr QSizeF usualSize{1100, 460};

/// What the painter of a picture is told.
struct PictureLook {
    const Theme &theme;
    double scale = 1; // device pixels in one of the picture's: decides about details
    std::stop_token stop = {};
};

/// A picture of what a view shows, to leave the program: it is not bound to the view, nor to its
/// size or theme, and says by itself what it shows and of which model.
struct ViewPicture {
    QString title;         // "Memory over the steps"
    QString subject;       // the model's name
    QStringList notes;     // the figures that belong to it, with their provenance
    QSizeF size;           // of what is painted; of a chart the usual one
    bool scalable = false; // a chart: it can be painted in any size
    bool anyThread = true; // else it is painted on the GUI thread: Qt Charts are widgets
    bool canvas = false;   // its ground is that of the canvas, not that of charts
    /// Paints it into a rectangle that has its ground already; stops early when it is told to.
    std::function<void(QPainter &painter, const QRectF &place, const PictureLook &look)> paint;
    /// What colours mean, under the picture, where that is not a part of it: paints into a
    /// rectangle as wide as given and returns the height that it takes; without a painter that
    /// alone. Null: there is nothing more to say.
    std::function<double(QPainter *painter, const QRectF &place, const Theme &theme)> legend = {};
};

/// How a picture becomes a file.
struct PictureOptions {
    Theme theme;
    bool title = true;               // title, model and notes above it
    bool legend = true;              // where the picture has one that it goes without
    bool transparent = false;        // without a ground
    double scale = 1;                // pixels of a PNG for one of the picture
    std::optional<QSizeF> size = {}; // of what is painted, where that is scalable
};

/// All of the picture in its units, with title and legend where they are wanted.
QSizeF wholeSize(const ViewPicture &picture, const PictureOptions &options);
/// Paints all of that, from the origin on; `scale` is the painter's own.
void paintWhole(QPainter &painter, const ViewPicture &picture, const PictureOptions &options,
                double scale, std::stop_token stop = {});

/// An SVG file, in which text stays text. None when stopped.
std::optional<QByteArray> svgOf(const ViewPicture &picture, const PictureOptions &options,
                                std::stop_token stop = {});
/// The pixels of a PNG file; smaller than asked for when there would be more than 16,384 on a side.
/// Fails (Missing) when there is not enough memory. A null image when stopped.
Result<QImage> imageOf(const ViewPicture &picture, const PictureOptions &options,
                       std::stop_token stop = {});
Result<QByteArray> pngOf(const QImage &image);

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/drawing_painter.h"

#include <QHash>
#include <QImage>
#include <QObject>
#include <QPoint>
#include <QThreadPool>
#include <QTimer>

#include <atomic>
#include <memory>

namespace graphloom {

/// Keeps pictures of the parts of a drawing that are on screen, painted by worker threads like the
/// tiles of a map. The GUI thread only copies them, so that its paint events take a few
/// milliseconds however large the graph is. Until new tiles arrive, older ones are shown scaled, or
/// a small picture of the whole.
class TileStore final : public QObject {
    Q_OBJECT

public:
    explicit TileStore(QObject *parent = nullptr);
    ~TileStore() override;

    /// Starts over with another drawing, or with none if null.
    void setDrawing(DrawingPointer drawing);
    /// Repaints all tiles. The old ones are shown until the new ones are there.
    void setAppearance(std::shared_ptr<const Theme> theme, Colouring colours);
    const DrawingPointer &drawing() const { return m_drawing; }
    const Colouring &colouring() const { return m_colours; }

    /// Copies the tiles available for `exposed` (widget coordinates) to a painter without
    /// transformation, and requests the missing ones. Scene point p is at p * scale + origin.
    void paint(QPainter &painter, const QRect &exposed, double scale, const QPoint &origin,
               double devicePixelRatio);
    /// Sets the visible part of the widget, for which tiles are kept.
    void setViewport(const QRect &viewport) { m_viewport = viewport; }

    /// Returns the whole drawing in one picture of at most overviewSize pixels, or null until it is
    /// made.
    const QImage &overview() const { return m_overview; }
    static constexpr int overviewSize = 1024;
    /// Returns the whole drawing for the minimap, with nodes as large as can be seen.
    const QImage &thumbnail() const { return m_thumbnail; }
    /// Returns the thumbnail's pixels per scene unit for a drawing, which must have an extent.
    static double thumbnailScale(const Drawing &drawing);

    /// Tells whether everything that the last paint() asked for is there.
    bool isSettled() const;

Q_SIGNALS:
    void tileReady();
    void overviewReady();
    /// Emitted when nothing is missing any more.
    void settled();

private:
    struct Job {
        std::atomic<bool> cancelled = false;
    };
    using Tiles = QHash<QPoint, QImage>;
    struct Layer {
        double scale = 0; // device pixels per scene unit
        Tiles tiles;
    };

    void paintFallback(QPainter &painter, const QRectF &target, double scale, const QPointF &origin,
                       double ratio) const;
    void changeScale(double scale);
    void schedule();
    void startTile(const QPoint &place);
    void startOverview();
    void deliver(std::uint64_t epoch, double scale, const QPoint &place, const QImage &image);
    void forgetFarTiles();
    void forgetJobs();

    DrawingPointer m_drawing;
    std::shared_ptr<const Theme> m_theme;
    Colouring m_colours;
    std::uint64_t m_epoch = 0; // counts drawings and appearances; older results are dropped
    QThreadPool m_pool;
    Layer m_current, m_previous;
    QHash<QPoint, std::shared_ptr<Job>> m_jobs;
    std::shared_ptr<Job> m_overviewJob;
    QImage m_overview, m_thumbnail;
    QRect m_viewport, m_wanted; // widget coordinates; tiles
    QPoint m_origin;
    double m_ratio = 1;
    QTimer m_patience; // zooming requests no tiles until the scale stands still
};

} // namespace graphloom

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
/// a small picture of the whole. The next drawing can be painted while this one stays on screen.
class TileStore final : public QObject {
    Q_OBJECT

public:
    explicit TileStore(QObject *parent = nullptr);
    ~TileStore() override;

    /// Tells where a drawing is in a widget: scene point p is at p * scale + origin.
    struct Position {
        double scale = 1;
        QPoint origin;
        double devicePixelRatio = 1;
    };

    /// Starts over with another drawing, or with none if null. Nothing is prepared any more.
    void setDrawing(DrawingPointer drawing);
    /// Repaints all tiles. The old ones are shown until the new ones are there.
    void setAppearance(std::shared_ptr<const Theme> theme, Colouring colours);
    const DrawingPointer &drawing() const { return m_shown.drawing; }
    const Colouring &colouring() const { return m_shown.colours; }

    /// Paints the tiles of another drawing that fill the viewport at a position, and emits
    /// prepared() when all are there; until showPrepared() the present drawing is painted. A drawing
    /// that is being prepared is forgotten.
    void prepare(DrawingPointer drawing, Colouring colours, const Position &position);
    /// Returns the drawing that is being prepared, or null.
    const DrawingPointer &preparing() const { return m_next.drawing; }
    void showPrepared();

    /// Copies the tiles available for `exposed` (widget coordinates) to a painter without
    /// transformation, and requests the missing ones.
    void paint(QPainter &painter, const QRect &exposed, const Position &position);
    /// Sets the visible part of the widget, for which tiles are kept.
    void setViewport(const QRect &viewport) { m_viewport = viewport; }

    /// Returns the whole drawing in one picture of at most overviewSize pixels, or null until it is
    /// made.
    const QImage &overview() const { return m_shown.overview; }
    static constexpr int overviewSize = 1024;
    /// Returns the whole drawing for the minimap, with nodes as large as can be seen.
    const QImage &thumbnail() const { return m_shown.thumbnail; }
    /// Returns the thumbnail's pixels per scene unit for a drawing, which must have an extent.
    static double thumbnailScale(const Drawing &drawing);

    /// Tells whether everything that the last paint() asked for is there, and nothing is being
    /// prepared.
    bool isSettled() const;

Q_SIGNALS:
    void tileReady();
    void overviewReady();
    /// Emitted when all tiles of the next drawing are there.
    void prepared();
    /// Emitted when nothing is missing any more.
    void settled();

private:
    struct Job {
        std::atomic<bool> cancelled = false;
    };
    using JobPointer = std::shared_ptr<Job>;
    struct Layer {
        double scale = 0; // device pixels per scene unit
        QHash<QPoint, QImage> tiles;
    };
    /// A drawing as it is painted for one appearance.
    struct Picture {
        DrawingPointer drawing;
        Colouring colours;
        std::uint64_t epoch = 0; // results of another epoch are dropped
        Layer layer;
        QRect wanted; // tiles
        double ratio = 1;
        QHash<QPoint, JobPointer> jobs;
        JobPointer overviewJob;
        QImage overview, thumbnail;

        QRectF content(double scale) const;
        bool isComplete() const;
        void cancelJobs();
        void cancelTiles();
    };

    void paintFallback(QPainter &painter, const QRectF &target, double scale, const QPointF &origin,
                       double ratio) const;
    void changeScale(double scale);
    void schedule();
    std::vector<QPoint> missingTiles(const Picture &picture) const;
    void startTile(Picture &picture, const QPoint &place);
    void startOverview(Picture &picture);
    Picture *pictureOf(std::uint64_t epoch);
    void deliver(std::uint64_t epoch, double scale, const QPoint &place, const QImage &image);
    void deliverOverview(std::uint64_t epoch, const QImage &image, const QImage &thumbnail);
    void finish(const Picture &picture);
    void forgetFarTiles();

    std::shared_ptr<const Theme> m_theme;
    std::uint64_t m_epoch = 0; // counts pictures
    QThreadPool m_pool;
    Picture m_shown, m_next; // m_next has no drawing while nothing is prepared
    Layer m_previous;        // of m_shown, at another scale or in another appearance
    QRect m_viewport;        // widget coordinates
    QTimer m_patience;       // zooming requests no tiles until the scale stands still
};

} // namespace graphloom

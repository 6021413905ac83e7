// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/tile_store.h"

#include "app/common/background.h"

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

constexpr int tileSize = 256;  // device pixels
constexpr int mostTiles = 600; // 150 MB at four bytes a pixel
constexpr QSizeF mostThumbnail(230, 170);
constexpr int zoomPatience = 40; // milliseconds

QImage render(const Drawing &drawing, const Theme &theme, const Colouring &colours, double scale,
              const QRectF &part, const QSize &size)
{
    QImage image(size, QImage::Format_RGB32);
    image.fill(theme.canvas.background);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::TextAntialiasing);
    painter.scale(scale, scale);
    painter.translate(-part.topLeft());
    // Outlines and text reach a little beyond their items.
    paintDrawing(painter, drawing, theme, part.adjusted(-4, -4, 4, 4), {colours, scale});
    return image;
}

QRect tilesOver(const QRectF &device)
{
    const auto tile = [](double at) { return int(std::floor(at / tileSize)); };
    return QRect(QPoint(tile(device.left()), tile(device.top())),
                 QPoint(tile(device.right() - 1e-6), tile(device.bottom() - 1e-6)));
}

} // namespace

TileStore::TileStore(QObject *parent) : QObject(parent)
{
    // One core stays free for the window.
    m_pool.setMaxThreadCount(std::max(1, QThread::idealThreadCount() - 1));
    m_patience.setSingleShot(true);
    m_patience.setInterval(zoomPatience);
    connect(&m_patience, &QTimer::timeout, this, &TileStore::schedule);
}

TileStore::~TileStore()
{
    forgetJobs();
    m_pool.waitForDone();
}

void TileStore::forgetJobs()
{
    for (const auto &job : std::as_const(m_jobs))
        job->cancelled = true;
    m_jobs.clear();
    if (m_overviewJob)
        m_overviewJob->cancelled = true;
    m_overviewJob.reset();
}

void TileStore::setDrawing(DrawingPointer drawing)
{
    forgetJobs();
    ++m_epoch;
    m_drawing = std::move(drawing);
    m_current = {};
    m_previous = {};
    m_overview = m_thumbnail = {};
    startOverview();
    Q_EMIT overviewReady();
    Q_EMIT tileReady();
}

void TileStore::setAppearance(std::shared_ptr<const Theme> theme, Colouring colours)
{
    forgetJobs();
    ++m_epoch;
    m_theme = std::move(theme);
    m_colours = std::move(colours);
    if (!m_current.tiles.isEmpty())
        m_previous = std::move(m_current);
    m_current = {};
    startOverview();
    Q_EMIT tileReady();
}

bool TileStore::isSettled() const
{
    if (!m_drawing || m_overview.isNull() || m_overviewJob || m_patience.isActive() ||
        m_current.scale == 0)
        return false;
    for (int y = m_wanted.top(); y <= m_wanted.bottom(); ++y)
        for (int x = m_wanted.left(); x <= m_wanted.right(); ++x)
            if (!m_current.tiles.contains(QPoint(x, y)))
                return false;
    return true;
}

void TileStore::changeScale(double scale)
{
    // A layer without any finished tile is no use as a fallback.
    if (!m_current.tiles.isEmpty())
        m_previous = std::move(m_current);
    m_current = {scale, {}};
    for (const auto &job : std::as_const(m_jobs))
        job->cancelled = true;
    m_jobs.clear();
    m_patience.start();
}

void TileStore::paint(QPainter &painter, const QRect &exposed, double scale, const QPoint &origin,
                      double ratio)
{
    if (!m_drawing || !m_theme)
        return;
    const double deviceScale = scale * ratio;
    if (m_current.scale != deviceScale) {
        const bool first = m_current.scale == 0 && m_previous.tiles.isEmpty();
        changeScale(deviceScale);
        if (first)
            m_patience.stop();
    }
    m_origin = origin;
    m_ratio = ratio;
    const auto toDevice = [&](const QRect &rect) {
        return QRectF(QPointF(rect.topLeft() - origin) * ratio, QSizeF(rect.size()) * ratio);
    };
    // Only tiles that show some part of the drawing are needed.
    const QRectF content(m_drawing->bounds.topLeft() * deviceScale,
                         m_drawing->bounds.size() * deviceScale);
    const QRectF grown = content.adjusted(-8, -8, 8, 8);
    const QRectF seen = toDevice(m_viewport).intersected(grown);
    m_wanted = seen.isEmpty() ? QRect() : tilesOver(seen);

    const QRectF shown = toDevice(exposed).intersected(grown);
    if (!shown.isEmpty()) {
        const QRect tiles = tilesOver(shown);
        for (int y = tiles.top(); y <= tiles.bottom(); ++y)
            for (int x = tiles.left(); x <= tiles.right(); ++x) {
                const QPointF corner(x * tileSize / ratio + origin.x(),
                                     y * tileSize / ratio + origin.y());
                const auto found = m_current.tiles.constFind(QPoint(x, y));
                if (found != m_current.tiles.constEnd())
                    painter.drawImage(corner, *found);
                else
                    paintFallback(painter, QRectF(corner, QSizeF(tileSize, tileSize) / ratio),
                                  deviceScale, origin, ratio);
            }
    }
    if (!m_patience.isActive())
        schedule();
}

void TileStore::paintFallback(QPainter &painter, const QRectF &target, double scale,
                              const QPointF &origin, double ratio) const
{
    painter.save();
    painter.setClipRect(target, Qt::IntersectClip);
    const QRectF scene((target.topLeft() - origin) * ratio / scale, target.size() * ratio / scale);
    const auto place = [&](const QRectF &part) {
        return QRectF(part.topLeft() * scale / ratio + origin, part.size() * scale / ratio);
    };
    if (!m_overview.isNull())
        painter.drawImage(place(m_drawing->bounds), m_overview);
    if (!m_previous.tiles.isEmpty()) {
        const QRect tiles =
            tilesOver({scene.topLeft() * m_previous.scale, scene.size() * m_previous.scale});
        // Far out, one tile covers very many previous ones, and the overview serves as well.
        if (tiles.width() * tiles.height() <= 64)
            for (int y = tiles.top(); y <= tiles.bottom(); ++y)
                for (int x = tiles.left(); x <= tiles.right(); ++x) {
                    const auto found = m_previous.tiles.constFind(QPoint(x, y));
                    if (found == m_previous.tiles.constEnd())
                        continue;
                    QImage image = *found;
                    image.setDevicePixelRatio(1);
                    painter.drawImage(place(QRectF(QPointF(x, y) * tileSize / m_previous.scale,
                                                   QSizeF(tileSize, tileSize) / m_previous.scale)),
                                      image);
                }
    }
    painter.restore();
}

void TileStore::schedule()
{
    if (!m_drawing || !m_theme || m_current.scale == 0)
        return;
    const QRect keep = m_wanted.adjusted(-1, -1, 1, 1);
    for (auto it = m_jobs.begin(); it != m_jobs.end();) {
        if (keep.contains(it.key())) {
            ++it;
        } else {
            it.value()->cancelled = true;
            it = m_jobs.erase(it);
        }
    }
    std::vector<QPoint> missing;
    for (int y = m_wanted.top(); y <= m_wanted.bottom(); ++y)
        for (int x = m_wanted.left(); x <= m_wanted.right(); ++x)
            if (!m_current.tiles.contains(QPoint(x, y)) && !m_jobs.contains(QPoint(x, y)))
                missing.emplace_back(x, y);
    const QPoint centre = m_wanted.center();
    std::sort(missing.begin(), missing.end(), [&](const QPoint &a, const QPoint &b) {
        return (a - centre).manhattanLength() < (b - centre).manhattanLength();
    });
    for (const QPoint &place : missing)
        startTile(place);
    if (isSettled())
        Q_EMIT settled();
}

void TileStore::startTile(const QPoint &place)
{
    auto job = std::make_shared<Job>();
    m_jobs.insert(place, job);
    m_pool.start([this, job, place, drawing = m_drawing, theme = m_theme, colours = m_colours,
                  scale = m_current.scale, epoch = m_epoch, ratio = m_ratio] {
        if (job->cancelled)
            return;
        workInBackground();
        QImage image =
            render(*drawing, *theme, colours, scale,
                   QRectF(QPointF(place) * tileSize / scale, QSizeF(tileSize, tileSize) / scale),
                   QSize(tileSize, tileSize));
        image.setDevicePixelRatio(ratio);
        QMetaObject::invokeMethod(
            this, [this, epoch, scale, place, image] { deliver(epoch, scale, place, image); },
            Qt::QueuedConnection);
    });
}

double TileStore::thumbnailScale(const Drawing &drawing)
{
    return std::min(mostThumbnail.width() / drawing.bounds.width(),
                    mostThumbnail.height() / drawing.bounds.height());
}

void TileStore::startOverview()
{
    if (!m_drawing || !m_theme || m_drawing->bounds.isEmpty())
        return;
    auto job = m_overviewJob = std::make_shared<Job>();
    // The overview comes before all tiles: it is small and stands in for them.
    m_pool.start(
        [this, job, drawing = m_drawing, theme = m_theme, colours = m_colours, epoch = m_epoch] {
            if (job->cancelled)
                return;
            workInBackground();
            const QRectF &bounds = drawing->bounds;
            const auto whole = [&](double scale) {
                const QSize size(std::max(1, int(std::ceil(bounds.width() * scale))),
                                 std::max(1, int(std::ceil(bounds.height() * scale))));
                return render(*drawing, *theme, colours, scale, bounds, size);
            };
            const QImage image =
                whole(std::min(1.0, overviewSize / std::max(bounds.width(), bounds.height())));
            const QImage thumbnail = whole(thumbnailScale(*drawing));
            QMetaObject::invokeMethod(
                this,
                [this, epoch, image, thumbnail] {
                    if (epoch != m_epoch)
                        return;
                    m_overview = image;
                    m_thumbnail = thumbnail;
                    m_overviewJob.reset();
                    Q_EMIT overviewReady();
                    Q_EMIT tileReady();
                    if (isSettled())
                        Q_EMIT settled();
                },
                Qt::QueuedConnection);
        },
        1);
}

void TileStore::deliver(std::uint64_t epoch, double scale, const QPoint &place, const QImage &image)
{
    if (epoch != m_epoch || scale != m_current.scale)
        return;
    m_jobs.remove(place);
    m_current.tiles.insert(place, image);
    forgetFarTiles();
    Q_EMIT tileReady();
    if (isSettled()) {
        m_previous = {};
        Q_EMIT settled();
    }
}

void TileStore::forgetFarTiles()
{
    if (m_current.tiles.size() <= mostTiles)
        return;
    const QRect near = m_wanted.adjusted(-m_wanted.width(), -m_wanted.height(), m_wanted.width(),
                                         m_wanted.height());
    for (auto it = m_current.tiles.begin(); it != m_current.tiles.end();)
        it = near.contains(it.key()) ? ++it : m_current.tiles.erase(it);
}

} // namespace graphloom

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
    paintDrawing(painter, drawing, theme, part.adjusted(-4, -4, 4, 4), {colours, scale, {}, false});
    return image;
}

QRect tilesOver(const QRectF &device)
{
    const auto tile = [](double at) { return int(std::floor(at / tileSize)); };
    return QRect(QPoint(tile(device.left()), tile(device.top())),
                 QPoint(tile(device.right() - 1e-6), tile(device.bottom() - 1e-6)));
}

/// Returns a part of the widget in the device pixels of the scene.
QRectF toDevice(const QRect &part, const TileStore::Position &position)
{
    const double ratio = position.devicePixelRatio;
    return QRectF(QPointF(part.topLeft() - position.origin) * ratio, QSizeF(part.size()) * ratio);
}

} // namespace

/// Returns the part of the scene, in device pixels, outside which nothing is painted.
QRectF TileStore::Picture::content(double scale) const
{
    return QRectF(drawing->bounds.topLeft() * scale, drawing->bounds.size() * scale)
        .adjusted(-8, -8, 8, 8);
}

bool TileStore::Picture::isComplete() const
{
    if (!drawing || overviewJob || (overview.isNull() && !drawing->bounds.isEmpty()) ||
        layer.scale == 0)
        return false;
    for (int y = wanted.top(); y <= wanted.bottom(); ++y)
        for (int x = wanted.left(); x <= wanted.right(); ++x)
            if (!layer.tiles.contains(QPoint(x, y)))
                return false;
    return true;
}

void TileStore::Picture::cancelTiles()
{
    for (const JobPointer &job : std::as_const(jobs))
        job->cancelled = true;
    jobs.clear();
}

void TileStore::Picture::cancelJobs()
{
    cancelTiles();
    if (overviewJob)
        overviewJob->cancelled = true;
    overviewJob.reset();
}

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
    m_shown.cancelJobs();
    m_next.cancelJobs();
    m_pool.waitForDone();
}

void TileStore::setDrawing(DrawingPointer drawing)
{
    m_shown.cancelJobs();
    m_next.cancelJobs();
    m_next = {};
    Picture picture;
    picture.drawing = std::move(drawing);
    picture.colours = std::move(m_shown.colours);
    picture.epoch = ++m_epoch;
    m_shown = std::move(picture);
    m_previous = {};
    startOverview(m_shown);
    Q_EMIT overviewReady();
    Q_EMIT tileReady();
}

void TileStore::setAppearance(std::shared_ptr<const Theme> theme, Colouring colours)
{
    m_theme = std::move(theme);
    m_shown.cancelJobs();
    m_shown.epoch = ++m_epoch;
    m_shown.colours = std::move(colours);
    if (!m_shown.layer.tiles.isEmpty())
        m_previous = std::move(m_shown.layer);
    m_shown.layer = {};
    startOverview(m_shown);
    Q_EMIT tileReady();
}

void TileStore::prepare(DrawingPointer drawing, Colouring colours, const Position &position)
{
    m_next.cancelJobs();
    m_next = {};
    m_next.drawing = std::move(drawing);
    m_next.colours = std::move(colours);
    m_next.epoch = ++m_epoch;
    m_next.ratio = position.devicePixelRatio;
    m_next.layer.scale = position.scale * position.devicePixelRatio;
    constexpr int rounding = 2; // pixels
    const QRect around = m_viewport.adjusted(-rounding, -rounding, rounding, rounding);
    const QRectF seen = toDevice(around, position).intersected(m_next.content(m_next.layer.scale));
    m_next.wanted = seen.isEmpty() ? QRect() : tilesOver(seen);
    startOverview(m_next);
    for (const QPoint &place : missingTiles(m_next))
        startTile(m_next, place);
    if (m_next.isComplete()) // empty
        Q_EMIT prepared();
}

void TileStore::showPrepared()
{
    if (!m_next.drawing)
        return;
    m_shown.cancelJobs();
    m_shown = std::exchange(m_next, {});
    m_previous = {};
    m_patience.stop();
    Q_EMIT overviewReady();
    Q_EMIT tileReady();
}

bool TileStore::isSettled() const
{
    return !m_next.drawing && !m_patience.isActive() && m_shown.isComplete();
}

void TileStore::changeScale(double scale)
{
    // A layer without any finished tile is no use as a fallback.
    if (!m_shown.layer.tiles.isEmpty())
        m_previous = std::move(m_shown.layer);
    m_shown.layer = {scale, {}};
    m_shown.cancelTiles();
    m_patience.start();
}

void TileStore::paint(QPainter &painter, const QRect &exposed, const Position &position)
{
    if (!m_shown.drawing || !m_theme)
        return;
    const double ratio = position.devicePixelRatio, scale = position.scale * ratio;
    if (m_shown.layer.scale != scale) {
        const bool first = m_shown.layer.scale == 0 && m_previous.tiles.isEmpty();
        changeScale(scale);
        if (first)
            m_patience.stop();
    }
    m_shown.ratio = ratio;
    // Only tiles that show some part of the drawing are needed.
    const QRectF content = m_shown.content(scale);
    const QRectF seen = toDevice(m_viewport, position).intersected(content);
    m_shown.wanted = seen.isEmpty() ? QRect() : tilesOver(seen);

    const QRectF shown = toDevice(exposed, position).intersected(content);
    if (!shown.isEmpty()) {
        const QRect tiles = tilesOver(shown);
        for (int y = tiles.top(); y <= tiles.bottom(); ++y)
            for (int x = tiles.left(); x <= tiles.right(); ++x) {
                const QPointF corner(x * tileSize / ratio + position.origin.x(),
                                     y * tileSize / ratio + position.origin.y());
                const auto found = m_shown.layer.tiles.constFind(QPoint(x, y));
                if (found != m_shown.layer.tiles.constEnd())
                    painter.drawImage(corner, *found);
                else
                    paintFallback(painter, QRectF(corner, QSizeF(tileSize, tileSize) / ratio),
                                  scale, position.origin, ratio);
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
    if (!m_shown.overview.isNull())
        painter.drawImage(place(m_shown.drawing->bounds), m_shown.overview);
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

std::vector<QPoint> TileStore::missingTiles(const Picture &picture) const
{
    std::vector<QPoint> missing;
    for (int y = picture.wanted.top(); y <= picture.wanted.bottom(); ++y)
        for (int x = picture.wanted.left(); x <= picture.wanted.right(); ++x)
            if (const QPoint place(x, y);
                !picture.layer.tiles.contains(place) && !picture.jobs.contains(place))
                missing.push_back(place);
    const QPoint centre = picture.wanted.center();
    std::sort(missing.begin(), missing.end(), [&](const QPoint &a, const QPoint &b) {
        return (a - centre).manhattanLength() < (b - centre).manhattanLength();
    });
    return missing;
}

void TileStore::schedule()
{
    if (!m_shown.drawing || !m_theme || m_shown.layer.scale == 0)
        return;
    const QRect keep = m_shown.wanted.adjusted(-1, -1, 1, 1);
    for (auto it = m_shown.jobs.begin(); it != m_shown.jobs.end();) {
        if (keep.contains(it.key())) {
            ++it;
        } else {
            it.value()->cancelled = true;
            it = m_shown.jobs.erase(it);
        }
    }
    for (const QPoint &place : missingTiles(m_shown))
        startTile(m_shown, place);
    if (isSettled())
        Q_EMIT settled();
}

void TileStore::startTile(Picture &picture, const QPoint &place)
{
    auto job = std::make_shared<Job>();
    picture.jobs.insert(place, job);
    m_pool.start([this, job, place, drawing = picture.drawing, theme = m_theme,
                  colours = picture.colours, scale = picture.layer.scale, epoch = picture.epoch,
                  ratio = picture.ratio] {
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

void TileStore::startOverview(Picture &picture)
{
    if (!picture.drawing || !m_theme || picture.drawing->bounds.isEmpty())
        return;
    auto job = picture.overviewJob = std::make_shared<Job>();
    // The overview comes before all tiles: it is small and stands in for them.
    m_pool.start(
        [this, job, drawing = picture.drawing, theme = m_theme, colours = picture.colours,
         epoch = picture.epoch] {
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
                this, [this, epoch, image, thumbnail] { deliverOverview(epoch, image, thumbnail); },
                Qt::QueuedConnection);
        },
        1);
}

TileStore::Picture *TileStore::pictureOf(std::uint64_t epoch)
{
    return epoch == m_shown.epoch                       ? &m_shown
           : m_next.drawing && epoch == m_next.epoch ? &m_next
                                                     : nullptr;
}

void TileStore::deliverOverview(std::uint64_t epoch, const QImage &image, const QImage &thumbnail)
{
    Picture *picture = pictureOf(epoch);
    if (!picture)
        return;
    picture->overview = image;
    picture->thumbnail = thumbnail;
    picture->overviewJob.reset();
    if (picture == &m_shown) {
        Q_EMIT overviewReady();
        Q_EMIT tileReady();
    }
    finish(*picture);
}

void TileStore::deliver(std::uint64_t epoch, double scale, const QPoint &place, const QImage &image)
{
    Picture *picture = pictureOf(epoch);
    if (!picture || scale != picture->layer.scale)
        return;
    picture->jobs.remove(place);
    picture->layer.tiles.insert(place, image);
    if (picture == &m_shown) {
        forgetFarTiles();
        Q_EMIT tileReady();
    }
    finish(*picture);
}

/// Announces that nothing of the picture is missing, if so.
void TileStore::finish(const Picture &picture)
{
    if (&picture == &m_next) {
        if (m_next.isComplete())
            Q_EMIT prepared();
    } else if (isSettled()) {
        m_previous = {};
        Q_EMIT settled();
    }
}

void TileStore::forgetFarTiles()
{
    QHash<QPoint, QImage> &tiles = m_shown.layer.tiles;
    if (tiles.size() <= mostTiles)
        return;
    const QRect &wanted = m_shown.wanted;
    const QRect near =
        wanted.adjusted(-wanted.width(), -wanted.height(), wanted.width(), wanted.height());
    for (auto it = tiles.begin(); it != tiles.end();)
        it = near.contains(it.key()) ? ++it : tiles.erase(it);
}

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensors/pictures/heat_map.h"

#include "app/common/background.h"
#include "app/tensors/content/value_model.h"
#include "engine/tensors/element_text.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QPainter>
#include <QToolButton>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

constexpr double mapZoomStep = 1.25;
constexpr std::int64_t fewestShown = 2;                  // rows or columns, when zoomed in
constexpr std::int64_t longGrid = std::int64_t{1} << 24; // elements; listed as a task
constexpr int gatherTime = 40;                           // milliseconds

/// Returns a part of `size` of `all` that is as near to `first` as possible.
std::int64_t shifted(std::int64_t first, std::int64_t size, std::int64_t all)
{
    return std::clamp<std::int64_t>(first, 0, all - size);
}

} // namespace

HeatMap::HeatMap(QWidget *parent) : QWidget(parent), m_again(new QToolButton)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Heat map of the tensor"));
    setObjectName(QStringLiteral("heatMap"));
    m_turn.setSingleShot(true);
    m_turn.setInterval(gatherTime);
    connect(&m_turn, &QTimer::timeout, this, &HeatMap::compute);
    m_again->setObjectName(QStringLiteral("computeHeatMap"));
    m_again->setText(tr("Cancelled: compute the heat map"));
    m_again->setToolTip(tr("Read the slice and draw its heat map"));
    m_again->hide();
    auto *middle = new QHBoxLayout(this);
    middle->addWidget(m_again, 0, Qt::AlignCenter);
    connect(m_again, &QToolButton::clicked, this, &HeatMap::compute);
    describeKeys();
}

void HeatMap::setSlice(std::shared_ptr<const TensorData> tensor, const TensorSlice &slice)
{
    const bool sameForm =
        tensor && m_data && slice.rows() == m_slice.rows() && slice.columns() == m_slice.columns();
    const bool same = tensor && tensor == m_data && slice == m_slice;
    m_data = std::move(tensor);
    m_slice = slice;
    if (same)
        return;
    m_worker.abandon();
    m_turn.stop();
    m_isPressed = m_panning = false; // of the slice before
    m_again->hide();
    m_scene.grid = nullptr;
    if (!sameForm) {
        m_scene.range = wholeRange(slice);
        m_scene.current.reset();
    }
    m_scene.rowFactor = slice.rank() == 1 ? TensorSlice::vectorColumns : 1;
    computeSoon();
    update();
}

void HeatMap::setBounds(std::optional<std::pair<double, double>> bounds)
{
    m_bounds = bounds;
    updateScale();
}

void HeatMap::setTheme(const Theme &theme)
{
    m_theme = theme;
    m_cells = {};
    update();
}

void HeatMap::updateScale()
{
    if (m_bounds)
        m_scene.scale = HeatScale::of(m_bounds->first, m_bounds->second);
    else if (m_scene.grid)
        m_scene.scale =
            HeatScale::of(m_scene.grid->least.value_or(0), m_scene.grid->greatest.value_or(0));
    m_cells = {};
    update();
}

HeatMapLayout HeatMap::layoutHere() const
{
    return layoutOf(m_scene, rect(), QFontMetricsF(font()));
}

void HeatMap::setSeen(bool seen)
{
    m_seen = seen;
    if (m_isDue)
        computeSoon();
}

void HeatMap::computeSoon()
{
    const bool possible = m_data && m_data->type() != DataType::String;
    const bool seen = m_seen && isVisible();
    m_isDue = possible && !seen;
    if (possible && seen)
        m_turn.start();
}

/// Computes the numbers of the part that is shown. A part that is shown already is drawn at
/// another place until they are there.
void HeatMap::compute()
{
    if (!m_data)
        return;
    m_again->hide();
    const SliceRange range = m_scene.range;
    const HeatMapLayout layout = layoutHere();
    const double pixels = devicePixelRatioF();
    const auto rows = std::int64_t(std::ceil(layout.map.height() * pixels)),
               columns = std::int64_t(std::ceil(layout.map.width() * pixels));
    if (range.rows * range.columns >= longGrid)
        m_worker.announce(m_jobs, tr("Drawing a slice of a tensor"));
    auto report = m_worker.progress([](double, const QString &) {});
    auto work = [data = m_data, slice = m_slice, range, rows, columns,
                 report = std::move(report)](const std::stop_token &stop) {
        workInBackground();
        const ReadOptions options{stop, [&](double part) { report(part, {}); }};
        auto grid = gridOf(*data, slice, range, rows, columns, options);
        return grid ? std::make_shared<const ValueGrid>(*std::move(grid)) : nullptr;
    };
    m_worker.start(std::move(work), [this](std::shared_ptr<const ValueGrid> grid) {
        m_again->setVisible(!grid); // cancelled
        if (!grid)
            return;
        m_scene.grid = std::move(grid);
        m_scene.caption = reductionText(m_scene);
        updateScale();
        Q_EMIT shown();
    });
}

void HeatMap::setRange(const SliceRange &range)
{
    if (range == m_scene.range)
        return;
    m_scene.range = range;
    computeSoon();
    update();
}

void HeatMap::fit()
{
    if (m_data)
        setRange(wholeRange(m_slice));
}

void HeatMap::zoom(double factor, const QPointF &place)
{
    const SliceRange before = m_scene.range;
    if (before.rows == 0 || before.columns == 0)
        return;
    const HeatMapLayout layout = layoutHere();
    const auto zoomed = [factor](std::int64_t first, std::int64_t size, std::int64_t all,
                                 double part) {
        auto next = std::int64_t(std::lround(double(size) / factor));
        if (next == size) // by one at least
            next += factor > 1 ? -1 : 1;
        next = std::clamp(next, std::min(fewestShown, all), all);
        const auto fixed = double(first) + part * double(size);
        return std::pair(shifted(std::int64_t(std::lround(fixed - part * double(next))), next, all),
                         next);
    };
    const auto part = [](double at, double from, double length) {
        return std::clamp((at - from) / length, 0.0, 1.0);
    };
    SliceRange range;
    std::tie(range.row, range.rows) =
        zoomed(before.row, before.rows, m_slice.rows(),
               part(place.y(), layout.map.top(), layout.map.height()));
    std::tie(range.column, range.columns) =
        zoomed(before.column, before.columns, m_slice.columns(),
               part(place.x(), layout.map.left(), layout.map.width()));
    setRange(range);
}

void HeatMap::setCurrent(std::int64_t row, std::int64_t column)
{
    m_scene.current = {row, column};
    SliceRange range = m_scene.range;
    if (row < range.row || row >= range.row + range.rows)
        range.row = shifted(row - range.rows / 2, range.rows, m_slice.rows());
    if (column < range.column || column >= range.column + range.columns)
        range.column = shifted(column - range.columns / 2, range.columns, m_slice.columns());
    setRange(range);
    if (m_data)
        if (const auto position = m_slice.position(row, column))
            setAccessibleDescription(indicesText(m_slice, *position) + ' ' +
                                     fromUtf8(elementText(*m_data, *position)));
    update();
}

std::optional<std::pair<std::int64_t, std::int64_t>> HeatMap::cellAt(const QPointF &place) const
{
    const HeatMapLayout layout = layoutHere();
    if (!m_data || !layout.map.contains(place) || m_scene.range.rows == 0)
        return std::nullopt;
    const SliceRange &range = m_scene.range;
    const auto index = [](double offset, double size, std::int64_t first, std::int64_t count) {
        return first + std::min(std::int64_t(offset / size), count - 1);
    };
    const std::pair cell(
        index(place.y() - layout.map.top(), layout.cellHeight, range.row, range.rows),
        index(place.x() - layout.map.left(), layout.cellWidth, range.column, range.columns));
    return m_slice.position(cell.first, cell.second) ? std::optional(cell) : std::nullopt;
}

QRectF HeatMap::placeOf(std::int64_t row, std::int64_t column) const
{
    const HeatMapLayout layout = layoutHere();
    return {layout.map.left() + double(column - m_scene.range.column) * layout.cellWidth,
            layout.map.top() + double(row - m_scene.range.row) * layout.cellHeight,
            layout.cellWidth, layout.cellHeight};
}

std::optional<ViewPicture> HeatMap::picture() const
{
    if (!m_scene.grid)
        return std::nullopt;
    HeatMapScene scene = m_scene;
    scene.current.reset(); // the mark is not part of the picture
    ViewPicture picture;
    picture.title = tr("Slice of a tensor");
    if (m_slice.rank() >= 2)
        picture.notes << tr("down: axis %1, across: axis %2")
                             .arg(m_slice.rowAxis())
                             .arg(m_slice.columnAxis());
    picture.size = usualSize;
    picture.scalable = true;
    picture.paint = [scene = std::move(scene)](QPainter &painter, const QRectF &place,
                                               const PictureLook &look) {
        paintHeatMap(painter, place, scene, look.theme, cellsOf(scene, look.theme));
    };
    return picture;
}

void HeatMap::paintEvent(QPaintEvent *)
{
    if (!m_theme)
        return;
    QPainter painter(this);
    painter.fillRect(rect(), m_theme->palette.color(QPalette::Base));
    if (m_scene.grid && m_cells.isNull())
        m_cells = cellsOf(m_scene, *m_theme);
    paintHeatMap(painter, rect(), m_scene, *m_theme, m_cells);
}

void HeatMap::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    computeSoon();
}

void HeatMap::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (m_isDue)
        computeSoon();
}

void HeatMap::wheelEvent(QWheelEvent *event)
{
    if (const int by = event->angleDelta().y(); m_data && by != 0) // none: it goes sideways
        zoom(std::pow(mapZoomStep, by / 120.0), event->position());
    event->accept();
}

void HeatMap::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_isPressed = true;
    m_panning = false;
    m_pressed = event->pos();
    m_pressedRange = m_scene.range;
}

void HeatMap::mouseMoveEvent(QMouseEvent *event)
{
    if (!m_isPressed || !m_data)
        return;
    const QPoint by = event->pos() - m_pressed;
    if (!m_panning && by.manhattanLength() < QApplication::startDragDistance())
        return;
    m_panning = true;
    const HeatMapLayout layout = layoutHere();
    SliceRange range = m_pressedRange;
    range.row =
        shifted(range.row - std::lround(by.y() / layout.cellHeight), range.rows, m_slice.rows());
    range.column = shifted(range.column - std::lround(by.x() / layout.cellWidth), range.columns,
                           m_slice.columns());
    setRange(range);
}

void HeatMap::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    if (const auto cell = m_isPressed && !m_panning ? cellAt(event->pos()) : std::nullopt) {
        setCurrent(cell->first, cell->second);
        Q_EMIT currentChosen(cell->first, cell->second);
    }
    m_isPressed = false;
}

void HeatMap::walk(Qt::Key key)
{
    if (!m_data || m_scene.range.rows == 0)
        return;
    auto [row, column] =
        m_scene.current.value_or(std::pair(m_scene.range.row, m_scene.range.column));
    if (m_scene.current) {
        row += key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
        column += key == Qt::Key_Right ? 1 : key == Qt::Key_Left ? -1 : 0;
    }
    if (row < 0 || column < 0 || row >= m_slice.rows() || column >= m_slice.columns() ||
        !m_slice.position(row, column))
        return;
    setCurrent(row, column);
    Q_EMIT currentChosen(row, column);
}

void HeatMap::describeKeys()
{
    m_keys.add({Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down}, tr("Mark the next element"),
               [this](Qt::Key key) { walk(key); });
    m_keys.add({Qt::Key_Plus, Qt::Key_Minus}, tr("Zoom"), [this](Qt::Key key) {
        const QRectF at = m_scene.current ? placeOf(m_scene.current->first, m_scene.current->second)
                                          : layoutHere().map;
        zoom(key == Qt::Key_Plus ? mapZoomStep : 1 / mapZoomStep, at.center());
    });
    m_keys.add({Qt::Key_F}, tr("Show the whole slice"), [this](Qt::Key) { fit(); });
    m_keys.addGesture(tr("Wheel"), tr("Zoom"));
    m_keys.addGesture(tr("Drag"), tr("Scroll"));
}

void HeatMap::showToolTip(const QPoint &place, const QPoint &globalPlace)
{
    const auto cell = cellAt(place);
    const auto position = cell ? m_slice.position(cell->first, cell->second) : std::nullopt;
    if (!position) {
        QToolTip::hideText();
        return;
    }
    QString text =
        indicesText(m_slice, *position) + ' ' + fromUtf8(elementText(*m_data, *position));
    if (const QString reduced = reductionText(m_scene); !reduced.isEmpty())
        text += '\n' + reduced;
    QToolTip::showText(globalPlace, text, this);
}

bool HeatMap::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        showToolTip(help->pos(), help->globalPos());
        return true;
    }
    if (event->type() == QEvent::ShortcutOverride &&
        m_keys.has(static_cast<const QKeyEvent &>(*event))) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void HeatMap::keyPressEvent(QKeyEvent *event)
{
    if (!m_keys.handle(*event))
        event->ignore(); // may be a shortcut of the window
}

} // namespace graphloom

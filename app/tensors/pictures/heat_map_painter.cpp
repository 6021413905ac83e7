// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensors/pictures/heat_map_painter.h"

#include "app/common/format.h"
#include "app/style/chart_style.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QImage>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

constexpr double mapGap = 6, legendWidth = 12, legendLabels = 66, tickLength = 3;
constexpr double widestCell = 56, tallestCell = 40, mostAspect = 4;
constexpr double leastCellForText = 15; // height
constexpr int tickRoom = 26;            // between numbers of rows

struct HeatMapText {
    Q_DECLARE_TR_FUNCTIONS(HeatMap)
};

QColor colourOf(const ValueGrid &grid, std::int64_t row, std::int64_t column,
                const HeatMapScene &scene, const Theme &theme)
{
    switch (grid.content(row, column)) {
    case ValueGrid::Content::NotFinite:
        return theme.error;
    case ValueGrid::Content::Finite:
        return scene.scale.colour(grid.mean(row, column), theme);
    case ValueGrid::Content::Empty:
        break;
    }
    return Qt::transparent;
}

/// Paints the parts of a map; the painter has the font.
class HeatMapPainting {
public:
    HeatMapPainting(QPainter &painter, const QRectF &place, const HeatMapScene &scene,
                    const Theme &theme, const QImage &cells)
        : m_painter(painter), m_scene(scene), m_theme(theme), m_cells(cells),
          m_metrics(painter.font()), m_layout(layoutOf(scene, place, m_metrics))
    {
    }

    void paint()
    {
        paintCells();
        paintCurrent();
        m_painter.setPen(m_theme.border);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawRect(m_layout.map);
        m_painter.setPen(m_theme.palette.color(QPalette::PlaceholderText));
        paintRowNumbers();
        paintColumnNumbers();
        paintBar();
    }

private:
    QRectF placeOf(double row, double column, double rows, double columns) const
    {
        const SliceRange &range = m_scene.range;
        return {m_layout.map.left() + (column - double(range.column)) * m_layout.cellWidth,
                m_layout.map.top() + (row - double(range.row)) * m_layout.cellHeight,
                columns * m_layout.cellWidth, rows * m_layout.cellHeight};
    }
    void paintCells()
    {
        const ValueGrid &grid = *m_scene.grid;
        m_painter.save();
        m_painter.setClipRect(m_layout.map);
        m_painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
        // The last cells may stand for fewer elements than they cover.
        m_painter.drawImage(placeOf(double(grid.range.row), double(grid.range.column),
                                    double(grid.rows * grid.cellRows),
                                    double(grid.columns * grid.cellColumns)),
                            m_cells);
        if (!grid.isReduced() && grid.range == m_scene.range &&
            m_layout.cellHeight >= leastCellForText)
            paintNumbers(grid);
        m_painter.restore();
    }
    void paintNumbers(const ValueGrid &grid)
    {
        for (std::int64_t row = 0; row < grid.rows; ++row)
            for (std::int64_t column = 0; column < grid.columns; ++column) {
                if (grid.content(row, column) != ValueGrid::Content::Finite)
                    continue;
                const QString text = formatReal(grid.mean(row, column));
                const QRectF cell =
                    placeOf(double(grid.range.row + row), double(grid.range.column + column), 1, 1);
                if (m_metrics.horizontalAdvance(text) + 4 > cell.width())
                    continue;
                m_painter.setPen(textOn(colourOf(grid, row, column, m_scene, m_theme)));
                m_painter.drawText(cell, Qt::AlignCenter, text);
            }
    }
    void paintCurrent()
    {
        if (!m_scene.current)
            return;
        const auto [row, column] = *m_scene.current;
        QRectF cell = placeOf(double(row), double(column), 1, 1);
        constexpr double least = 7; // smaller marks would be invisible
        if (cell.width() < least || cell.height() < least)
            cell = QRectF(cell.center() - QPointF(least, least) / 2, QSizeF(least, least));
        if (!cell.intersects(m_layout.map))
            return;
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(m_theme.palette.color(QPalette::Base), 3));
        m_painter.drawRect(cell);
        m_painter.setPen(QPen(m_theme.palette.color(QPalette::WindowText), 1.4));
        m_painter.drawRect(cell);
    }
    void paintRowNumbers()
    {
        const double step =
            std::max(1.0, roundStep(double(m_scene.range.rows),
                                    std::max(1.0, m_layout.map.height() / tickRoom)));
        const auto every = std::int64_t(step), end = m_scene.range.row + m_scene.range.rows;
        for (std::int64_t row = (m_scene.range.row + every - 1) / every * every; row < end;
             row += every) {
            const double y = placeOf(double(row), 0, 1, 1).center().y();
            const double x = m_layout.map.left();
            m_painter.drawLine(QPointF(x - tickLength, y), QPointF(x, y));
            m_painter.drawText(QRectF(x - 200, y - 10, 200 - tickLength - 2, 20),
                               Qt::AlignRight | Qt::AlignVCenter,
                               QString::number(row * m_scene.rowFactor));
        }
    }
    void paintColumnNumbers()
    {
        const double room = m_metrics.horizontalAdvance(
                                QString::number(m_scene.range.column + m_scene.range.columns)) +
                            16;
        const double step = std::max(1.0, roundStep(double(m_scene.range.columns),
                                                    std::max(1.0, m_layout.map.width() / room)));
        const auto every = std::int64_t(step), end = m_scene.range.column + m_scene.range.columns;
        const double y = m_layout.map.bottom();
        for (std::int64_t column = (m_scene.range.column + every - 1) / every * every; column < end;
             column += every) {
            const double x = placeOf(0, double(column), 1, 1).center().x();
            m_painter.drawLine(QPointF(x, y), QPointF(x, y + tickLength));
            m_painter.drawText(QRectF(x - 100, y + tickLength, 200, m_metrics.height()),
                               Qt::AlignHCenter | Qt::AlignTop, QString::number(column));
        }
        m_painter.drawText(QRectF(m_layout.map.left(), y + tickLength + m_metrics.height(), 2000,
                                  m_metrics.height()),
                           Qt::AlignLeft | Qt::AlignTop, m_scene.caption);
    }
    void paintBar()
    {
        const QRectF &bar = m_layout.bar;
        const HeatScale &scale = m_scene.scale;
        constexpr int steps = 64;
        QImage colours(1, steps, QImage::Format_RGB32);
        for (int i = 0; i < steps; ++i) {
            const double part = 1 - double(i) / (steps - 1);
            colours.setPixelColor(
                0, i, scale.isSigned() ? m_theme.balanceOf(part) : m_theme.heatOf(part));
        }
        m_painter.drawImage(bar, colours);
        m_painter.drawRect(bar);
        const auto label = [&](double part, double value) {
            const double y = bar.bottom() - part * bar.height();
            m_painter.drawLine(QPointF(bar.right(), y), QPointF(bar.right() + tickLength, y));
            m_painter.drawText(QRectF(bar.right() + tickLength + 2, y - 10, legendLabels, 20),
                               Qt::AlignLeft | Qt::AlignVCenter, formatReal(value));
        };
        label(1, scale.high);
        label(0.5, scale.low / 2 + scale.high / 2);
        label(0, scale.low);
        if (std::ranges::find(m_scene.grid->contents, ValueGrid::Content::NotFinite) ==
            m_scene.grid->contents.end())
            return;
        const QRectF other(bar.left(), bar.bottom() + mapGap + 4, bar.width(), bar.width());
        m_painter.fillRect(other, m_theme.error);
        m_painter.drawText(
            QRectF(other.right() + tickLength + 2, other.center().y() - 10, legendLabels, 20),
            Qt::AlignLeft | Qt::AlignVCenter, HeatMapText::tr("NaN, Inf"));
    }

    QPainter &m_painter;
    const HeatMapScene &m_scene;
    const Theme &m_theme;
    const QImage &m_cells;
    const QFontMetricsF m_metrics;
    const HeatMapLayout m_layout;
};

} // namespace

HeatMapLayout layoutOf(const HeatMapScene &scene, const QRectF &place, const QFontMetricsF &metrics)
{
    const SliceRange &range = scene.range;
    const QString longest = QString::number((range.row + range.rows) * scene.rowFactor);
    const double left = metrics.horizontalAdvance(longest) + tickLength + mapGap;
    const double below = (scene.caption.isEmpty() ? 1 : 2) * metrics.height() + tickLength;
    const double width = std::max(1.0, place.width() - left - mapGap - legendWidth - tickLength -
                                           legendLabels - mapGap);
    const double height = std::max(1.0, place.height() - 2 * mapGap - below);
    HeatMapLayout layout;
    const auto rows = double(std::max<std::int64_t>(1, range.rows)),
               columns = double(std::max<std::int64_t>(1, range.columns));
    layout.cellWidth = std::min(widestCell, width / columns);
    layout.cellHeight = std::min(tallestCell, height / rows);
    layout.cellWidth = std::min(layout.cellWidth, mostAspect * layout.cellHeight);
    layout.cellHeight = std::min(layout.cellHeight, mostAspect * layout.cellWidth);
    layout.map = QRectF(place.left() + left, place.top() + mapGap, layout.cellWidth * columns,
                        layout.cellHeight * rows);
    const double barHeight = std::max(20.0, height - 2 * mapGap - legendWidth);
    layout.bar =
        QRectF(layout.map.right() + 2 * mapGap, place.top() + mapGap + 4, legendWidth, barHeight);
    return layout;
}

QImage cellsOf(const HeatMapScene &scene, const Theme &theme)
{
    const ValueGrid &grid = *scene.grid;
    QImage image(int(grid.columns), int(grid.rows), QImage::Format_ARGB32);
    for (int row = 0; row < image.height(); ++row) {
        auto *line = reinterpret_cast<QRgb *>(image.scanLine(row));
        for (int column = 0; column < image.width(); ++column)
            line[column] = colourOf(grid, row, column, scene, theme).rgba();
    }
    return image;
}

void paintHeatMap(QPainter &painter, const QRectF &place, const HeatMapScene &scene,
                  const Theme &theme, const QImage &cells)
{
    if (scene.grid && scene.range.rows > 0 && scene.range.columns > 0)
        HeatMapPainting(painter, place, scene, theme, cells).paint();
}

QString reductionText(const HeatMapScene &scene)
{
    return scene.grid && scene.grid->isReduced()
               ? HeatMapText::tr("each cell is the mean of %1x%2 elements")
                     .arg(scene.grid->cellRows)
                     .arg(scene.grid->cellColumns)
               : QString();
}

} // namespace graphloom

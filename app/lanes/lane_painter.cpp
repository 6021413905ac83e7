// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lanes/lane_painter.h"

#include "app/common/format.h"
#include "app/lanes/lane_text.h"
#include "app/style/chart_style.h"
#include "app/timeline/area_canvas.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace graphloom {

namespace {

struct LanePainterText {
    Q_DECLARE_TR_FUNCTIONS(LanePainter)
};

constexpr double leastText = 26, leastPattern = 4; // widths of slices, in pixels
constexpr auto interpretedPattern = AreaPattern::Falling;

/// Returns the ground of lanes: it must be seen that a thread is there, and does nothing.
QColor idleColour(const Theme &theme)
{
    constexpr float share = 0.16F; // of the dim text
    const QColor ground = theme.palette.color(QPalette::Base),
                 dim = theme.palette.color(QPalette::PlaceholderText);
    const auto mixed = [&](float from, float to) { return from + share * (to - from); };
    return QColor::fromRgbF(mixed(ground.redF(), dim.redF()), mixed(ground.greenF(), dim.greenF()),
                            mixed(ground.blueF(), dim.blueF()));
}

class LanePainter {
public:
    LanePainter(QPainter &painter, const LanePicture &picture, const Theme &theme)
        : m_painter(painter), m_picture(picture), m_theme(theme), m_metrics(picture.font()),
          m_unit(timeUnitOf(picture.window().to)),
          m_marks(axisMarks(picture.window().from / m_unit.seconds,
                            picture.window().to / m_unit.seconds, picture.ruler().width() / 75, 0))
    {
    }

    void ruler()
    {
        const QRectF &room = m_picture.ruler();
        m_painter.setPen(m_theme.palette.color(QPalette::PlaceholderText));
        for (const auto &[place, text] : m_marks) {
            const double x = xOf(place);
            m_painter.fillRect(QRectF(x, room.bottom() - 3, 1, 3), m_theme.border);
            const double width = m_metrics.horizontalAdvance(text) + 2;
            const double left = std::clamp(x - width / 2, room.left(), room.right() + 6 - width);
            m_painter.drawText(QRectF(left, room.top(), width, room.height() - 4),
                               Qt::AlignHCenter | Qt::AlignTop, text);
        }
        const double width = room.left() - m_picture.body().left() - 8;
        m_painter.drawText(QRectF(room.left() - 8 - width, room.top(), width, room.height() - 4),
                           Qt::AlignRight | Qt::AlignTop, m_unit.name);
    }

    void headers()
    {
        m_painter.setPen(m_theme.palette.color(QPalette::WindowText));
        for (const LanePicture::Header &header : m_picture.headers()) {
            const QString text = headerText(m_picture.lanes().runs[header.run]);
            m_painter.drawText(header.rect, Qt::AlignLeft | Qt::AlignVCenter,
                               m_metrics.elidedText(text, Qt::ElideRight, header.rect.width()));
        }
    }

    void lanes()
    {
        for (const LanePicture::Row &row : m_picture.rows())
            if (row.rect.intersects(m_picture.chart()))
                lane(row);
        for (const LanePicture::Header &header : m_picture.headers())
            endOf(header.run);
    }

    void legend()
    {
        const QRectF &room = m_picture.legend();
        double x = room.left();
        for (const LaneLegendEntry &entry : legendOf(m_picture.scene(), m_theme)) {
            const double width = 20 + m_metrics.horizontalAdvance(entry.text) + 14;
            if (x + width > room.right() + 14)
                return;
            const QRectF sample(x, room.top() + 3, 14, room.height() - 6);
            if (entry.kind == LaneLegendEntry::Kind::Interpreted)
                paintSample(m_painter, sample, entry.colour, interpretedPattern);
            else
                m_painter.fillRect(sample, entry.colour);
            m_painter.setPen(m_theme.palette.color(QPalette::WindowText));
            m_painter.drawText(QRectF(x + 19, room.top(), width, room.height()),
                               Qt::AlignLeft | Qt::AlignVCenter, entry.text);
            x += width;
        }
    }

private:
    /// Returns the x of a mark, on a whole pixel.
    double xOf(double place) const { return std::round(m_picture.xOf(place * m_unit.seconds)); }

    void lane(const LanePicture::Row &row)
    {
        const Lanes &lanes = m_picture.lanes();
        const Lanes::Lane &lane = lanes.lanes[row.lane];
        m_painter.setPen(m_theme.palette.color(QPalette::WindowText));
        if (row.rect.height() >= 0.75 * m_metrics.height())
            m_painter.drawText(QRectF(m_picture.body().left(), row.rect.top(),
                                      row.rect.left() - m_picture.body().left() - 4,
                                      row.rect.height()),
                               Qt::AlignLeft | Qt::AlignVCenter, threadText(lane.thread));
        m_painter.fillRect(m_picture.rectOf(row, 0, lanes.runOf(lane).seconds),
                           idleColour(m_theme));
        for (const AxisMark &mark : m_marks)
            m_painter.fillRect(QRectF(xOf(mark.place), row.rect.top(), 1, row.rect.height()),
                               m_theme.border);
        for (const LaneBar &bar : row.bars)
            slice(row, bar, lanes.stepOf(lanes.slices[bar.slice]));
    }

    void slice(const LanePicture::Row &row, const LaneBar &bar, const Lanes::Step &step)
    {
        QRectF rect = m_picture.rectOf(row, bar);
        const QColor &colour = colourOf(m_theme, m_picture.scene().colours, step);
        if (rect.width() >= leastPattern)
            rect.setWidth(rect.width() - 1); // tells it from its neighbour
        if (!step.reason.isEmpty() && rect.width() >= leastPattern)
            paintSample(m_painter, rect, colour, interpretedPattern);
        else
            m_painter.fillRect(rect, colour);
        if (rect.width() < leastText || rect.height() < 0.75 * m_metrics.height())
            return;
        const QRectF room = rect.adjusted(4, 0, -2, 0);
        const QString text = m_metrics.elidedText(step.name, Qt::ElideRight, room.width());
        if (!step.reason.isEmpty()) // letters over a pattern cannot be read
            m_painter.fillRect(
                QRectF(room.left() - 2, rect.top() + 1,
                       std::min(room.width() + 3, m_metrics.horizontalAdvance(text) + 4),
                       rect.height() - 2),
                colour);
        m_painter.setPen(textOn(colour));
        m_painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, text);
    }

    /// Marks where a run ends: the other one may take longer.
    void endOf(std::uint32_t run)
    {
        const Lanes::Run &of = m_picture.lanes().runs[run];
        const LanePicture::Row *first = m_picture.rowOf(of.firstLane),
                               *last = m_picture.rowOf(of.endLane - 1);
        const double x = m_picture.xOf(of.seconds);
        if (!first || x < m_picture.chart().left() || x > m_picture.chart().right() + 1)
            return;
        m_painter.fillRect(QRectF(std::min(std::round(x), m_picture.chart().right()),
                                  first->rect.top() - 1, 1,
                                  last->rect.bottom() - first->rect.top() + 2),
                           m_theme.palette.color(QPalette::WindowText));
    }

    QPainter &m_painter;
    const LanePicture &m_picture;
    const Theme &m_theme;
    QFontMetricsF m_metrics;
    TimeUnit m_unit; // of the ruler
    std::vector<AxisMark> m_marks;
};

/// Draws an outline inside of a rectangle; narrow ones are filled.
void drawFrame(QPainter &painter, const QRectF &rect, const QColor &colour, double width)
{
    if (rect.width() < 2 * width + 1) {
        painter.fillRect(rect, colour);
        return;
    }
    painter.setPen(QPen(colour, width));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect.adjusted(width / 2, width / 2, -width / 2 - 1, -width / 2));
}

bool hasSelected(const Lanes &lanes, const LaneBar &bar, const std::vector<bool> &steps)
{
    for (std::uint32_t i = bar.first; i < bar.first + bar.count; ++i)
        if (steps[lanes.slices[i].step])
            return true;
    return false;
}

} // namespace

const QColor &colourOf(const Theme &theme, LaneColours colours, const Lanes::Step &step)
{
    return colours == LaneColours::Classes ? theme.of(step.operatorClass) : theme.of(step.mapping);
}

std::vector<LaneLegendEntry> legendOf(const LaneScene &scene, const Theme &theme)
{
    using Kind = LaneLegendEntry::Kind;
    const bool classes = scene.colours == LaneColours::Classes;
    std::array<const Lanes::Step *, std::tuple_size_v<decltype(Theme::classes)>> used{};
    static_assert(used.size() == std::tuple_size_v<decltype(Theme::mappings)>);
    bool interpreted = false;
    for (std::uint32_t run = scene.firstRun(); run < scene.lanes->runs.size(); ++run)
        for (const Lanes::Step &step : scene.lanes->runs[run].steps)
            if (step.slice != Lanes::noSlice) {
                used[classes ? std::size_t(step.operatorClass) : std::size_t(step.mapping)] = &step;
                interpreted = interpreted || !step.reason.isEmpty();
            }
    std::vector<LaneLegendEntry> entries;
    for (const Lanes::Step *step : used)
        if (step)
            entries.push_back(
                {fromUtf8(classes ? nameOf(step->operatorClass) : nameOf(step->mapping)),
                 colourOf(theme, scene.colours, *step)});
    if (interpreted)
        entries.push_back(
            {LanePainterText::tr("interpreted"), idleColour(theme), Kind::Interpreted});
    entries.push_back({LanePainterText::tr("idle"), idleColour(theme), Kind::Idle});
    return entries;
}

void paintLanes(QPainter &painter, const LanePicture &picture, const Theme &theme)
{
    if (picture.isEmpty())
        return;
    painter.save();
    painter.setFont(picture.font());
    painter.setRenderHint(QPainter::Antialiasing, false);
    LanePainter lanes(painter, picture, theme);
    lanes.ruler();
    painter.save();
    painter.setClipRect(picture.body().adjusted(0, 0, 1, 0));
    lanes.headers();
    lanes.lanes();
    painter.restore();
    lanes.legend();
    painter.restore();
}

void paintMarks(QPainter &painter, const LanePicture &picture, const Theme &theme,
                const LaneMarks &marks)
{
    if (picture.isEmpty())
        return;
    const Lanes &lanes = picture.lanes();
    painter.save();
    painter.setClipRect(picture.chart());
    for (const LanePicture::Row &row : picture.rows()) {
        const std::uint32_t run = lanes.lanes[row.lane].run;
        for (const LaneBar &bar : row.bars) {
            if (run < marks.selected.size() && !marks.selected[run].empty() &&
                hasSelected(lanes, bar, marks.selected[run]))
                drawFrame(painter, picture.rectOf(row, bar), theme.canvas.selection, 2);
            if (marks.current && bar.first <= *marks.current &&
                *marks.current < bar.first + bar.count)
                drawFrame(painter, picture.rectOf(row, bar),
                          theme.palette.color(QPalette::WindowText), 2);
        }
        if (marks.hovered && marks.hovered->lane == row.lane && marks.hovered->bar)
            drawFrame(painter, picture.rectOf(row, *marks.hovered->bar),
                      theme.palette.color(QPalette::WindowText), 1);
    }
    painter.restore();
}

ViewPicture lanesPicture(const LaneScene &scene, const QStringList &notes)
{
    ViewPicture picture;
    picture.title = LanePainterText::tr("Kernel timeline");
    picture.notes = notes;
    picture.size = usualSize;
    picture.scalable = true;
    picture.paint = [scene](QPainter &painter, const QRectF &place, const PictureLook &look) {
        LaneScene whole = scene; // every lane, however low
        whole.scrolled = 0;
        whole.leastHeight = 0;
        QFont font;
        font.setPixelSize(12);
        paintLanes(painter, LanePicture(whole, place, font, look.scale), look.theme);
    };
    return picture;
}

} // namespace graphloom

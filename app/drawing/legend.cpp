// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/legend.h"

#include "app/common/format.h"
#include "app/common/glossary.h"
#include "app/drawing/drawing_painter.h"

#include <QPainter>

#include <algorithm>
#include <map>
#include <utility>

namespace graphloom {

namespace {

constexpr int padding = 10, chip = 10, chipGap = 6, countGap = 5, entryGap = 20, heatWidth = 180;

} // namespace

Legend::Legend(QWidget *parent) : QWidget(parent)
{
    setAccessibleName(tr("Legend"));
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.9);
    setFont(small);
    setFixedHeight(lineHeight());
}

void Legend::setMostHeight(int height)
{
    const int lines = std::max(1, height / lineHeight());
    if (std::exchange(m_mostLines, lines) == lines)
        return;
    fitHeight();
    update();
}

int Legend::lineHeight() const
{
    return fontMetrics().height() + 10;
}

void Legend::setSnapshot(const SnapshotPointer &snapshot)
{
    m_snapshot = snapshot;
    refresh();
}

void Legend::setGrouping(Grouping grouping)
{
    if (std::exchange(m_grouping, grouping) != grouping)
        refresh();
}

void Legend::setMetric(const MetricPointer &metric, const MetricRange &range)
{
    if (m_metric == metric && m_range == range)
        return;
    m_metric = metric;
    m_range = range;
    refresh();
}

std::vector<LegendEntry> legendOf(const Snapshot &snapshot, Grouping grouping, bool classes)
{
    std::vector<LegendEntry> entries;
    const auto add = [&](auto meaning, std::size_t count, const QString &counted) {
        entries.push_back({meaning, fromUtf8(nameOf(meaning)), QString::number(count), counted});
    };
    if (classes)
        for (const auto &[operatorClass, count] : snapshot.facts->classes)
            add(operatorClass, count, formatNodes(count));
    if (snapshot.blocks && grouping == Grouping::Blocks) {
        std::map<MappingType, std::size_t> blocks;
        for (const FusionBlock &block : snapshot.plan->fusion->blocks)
            ++blocks[block.mapping];
        for (const auto &[mapping, count] : blocks)
            add(mapping, count,
                count == 1 ? Legend::tr("1 block") : Legend::tr("%n blocks", nullptr, int(count)));
    }
    return entries;
}

void Legend::refresh()
{
    QString spoken;
    if (m_metric && m_metric->isCategorical())
        spoken = tr("Colours show %1 (%2): %3. ")
                     .arg(m_metric->name, m_metric->provenance,
                          m_metric->categories.join(QStringLiteral(", ")));
    else if (m_metric)
        spoken = tr("Colours show %1 (%2): %3 to %4. ")
                     .arg(m_metric->name, m_metric->provenance, m_metric->text(m_range.least),
                          m_metric->text(m_range.most));
    m_entries =
        m_snapshot ? legendOf(*m_snapshot, m_grouping, !m_metric) : std::vector<LegendEntry>();
    for (const LegendEntry &entry : m_entries)
        spoken += QStringLiteral("%1: %2. ").arg(entry.text, entry.counted);
    fitHeight();
    setAccessibleDescription(spoken);
    setToolTip(spoken);
    QString terms = explained({}, QStringLiteral("operator-class"));
    for (const LegendEntry &entry : m_entries)
        if (std::holds_alternative<MappingType>(entry.meaning))
            terms += explained({}, entry.text.toLower());
    setWhatsThis(terms);
    update();
}

void Legend::setTheme(std::shared_ptr<const Theme> theme)
{
    m_theme = std::move(theme);
    fitHeight();
    update();
}

void paintMetric(QPainter &painter, const QRectF &place, const Theme &theme,
                 const NodeMetric &metric, const MetricRange &range, const QColor &text)
{
    const QFontMetricsF metrics(painter.font());
    double x = place.left();
    const auto write = [&](const QString &what) {
        painter.setPen(text);
        painter.drawText(QRectF(x, place.top(), std::max(1.0, place.right() - x), place.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, what);
        x += metrics.horizontalAdvance(what);
    };
    const double top = place.center().y() - chip / 2.0;
    const QString title = QStringLiteral("%1 (%2)   ").arg(metric.name, metric.provenance);
    write(title);
    if (metric.isCategorical()) {
        for (qsizetype i = 0; i < metric.categories.size(); ++i) {
            if (x > place.right() - 90 && i + 1 < metric.categories.size()) {
                write(Legend::tr("and %1 more").arg(metric.categories.size() - i));
                break;
            }
            painter.setPen(QPen(theme.canvas.nodeBorder, 0.8));
            painter.setBrush(colourOf(metric, double(i), range, theme));
            painter.drawRoundedRect(QRectF(x, top, chip, chip), 2, 2);
            x += chip + chipGap;
            write(metric.categories[i]);
            x += entryGap;
        }
        return;
    }
    write(metric.text(range.least));
    x += chipGap;
    const QRectF bar(x + 0.5, top, heatWidth, chip);
    QLinearGradient colours(bar.topLeft(), bar.topRight());
    const std::size_t stops = theme.heat.size();
    for (std::size_t i = 0; i < stops; ++i)
        colours.setColorAt(double(i) / double(std::max<std::size_t>(stops - 1, 1)), theme.heat[i]);
    painter.setPen(QPen(theme.canvas.nodeBorder, 0.8));
    painter.setBrush(colours);
    painter.drawRoundedRect(bar, 2, 2);
    x += heatWidth + chipGap;
    QString most = metric.text(range.most);
    if (!metric.mostText().isEmpty())
        most += QStringLiteral(", ") + metric.mostText();
    if (metric.spread == Spread::Logarithmic)
        most += Legend::tr("   (logarithmic)");
    write(most);
}

double paintEntry(QPainter *painter, const QRectF &place, const QFontMetricsF &metrics,
                  const Theme &theme, const LegendEntry &entry)
{
    double x = place.left();
    if (painter) {
        const QRectF sample(x + 0.5, place.center().y() - chip / 2.0, chip, chip);
        if (const auto *operatorClass = std::get_if<OperatorClass>(&entry.meaning)) {
            painter->setPen(QPen(theme.canvas.nodeBorder, 0.8));
            painter->setBrush(theme.of(*operatorClass));
        } else { // like their boxes
            const MappingType mapping = std::get<MappingType>(entry.meaning);
            painter->setPen(QPen(theme.of(mapping), 1.6));
            painter->setBrush(theme.groundOf(mapping));
        }
        painter->drawRoundedRect(sample, 2, 2);
    }
    x += chip + chipGap;
    const auto write = [&](const QString &text, QPalette::ColorRole role) {
        const double advance = metrics.horizontalAdvance(text);
        if (painter) {
            painter->setPen(theme.palette.color(role));
            painter->drawText(QRectF(x, place.top(), advance + 1, place.height()),
                              Qt::AlignLeft | Qt::AlignVCenter, text);
        }
        x += advance;
    };
    write(entry.text, QPalette::WindowText);
    x += countGap;
    write(entry.count, QPalette::PlaceholderText);
    return x + entryGap - place.left();
}

void Legend::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(QRect(0, 0, width(), 1), palette().color(QPalette::Mid));
    if (!m_theme)
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_metric)
        paintMetric(painter, QRectF(padding, 0, width() - padding, lineHeight()), *m_theme,
                    *m_metric, m_range, palette().color(QPalette::WindowText));
    flow(&painter);
}

void Legend::resizeEvent(QResizeEvent *)
{
    fitHeight();
}

int Legend::flow(QPainter *painter) const
{
    const QFontMetricsF metrics(font());
    QRectF place(padding, 0, width(), lineHeight());
    bool isEmptyLine = !m_metric, inBlocks = false;
    int lines = 1;
    if (m_metric && m_mostLines == 1)
        return int(place.bottom()); // its scale has the line
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const LegendEntry &entry = m_entries[i];
        const double advance = paintEntry(nullptr, place, metrics, *m_theme, entry);
        const bool isBlock = std::holds_alternative<MappingType>(entry.meaning);
        const bool isLastLine = lines >= m_mostLines;
        const QString rest = isLastLine ? tr("and %1 more").arg(m_entries.size() - i) : QString();
        const double reserve =
            isLastLine && i + 1 < m_entries.size() ? entryGap + metrics.horizontalAdvance(rest) : 0;
        const bool isFull = place.left() + advance - entryGap + reserve > width();
        if (isLastLine && isFull && !isEmptyLine) {
            if (painter) {
                painter->setPen(m_theme->palette.color(QPalette::PlaceholderText));
                painter->drawText(place, Qt::AlignLeft | Qt::AlignVCenter, rest);
            }
            break;
        }
        if (!isLastLine && !isEmptyLine && (isFull || isBlock != inBlocks)) {
            place = QRectF(padding, place.bottom(), width(), lineHeight());
            ++lines;
        }
        paintEntry(painter, place, metrics, *m_theme, entry);
        place.setLeft(place.left() + advance);
        isEmptyLine = false;
        inBlocks = isBlock;
    }
    return int(place.bottom());
}

void Legend::fitHeight()
{
    setFixedHeight(m_theme ? flow(nullptr) : lineHeight());
}

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/app/painted_texts.h"

#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QHash>
#include <QImage>
#include <QLineEdit>
#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>
#include <QPixmap>
#include <QRegularExpression>
#include <QWidget>

#include <algorithm>
#include <cmath>

namespace graphloom::test {

namespace {

/// Notes the texts that are painted, and ignores everything else.
class TextEngine final : public QPaintEngine {
public:
    TextEngine() : QPaintEngine(AllFeatures) {}

    void setWidget(QWidget *widget) { m_widget = widget; }
    std::vector<PaintedText> take() { return std::exchange(m_texts, {}); }

    bool begin(QPaintDevice *) override { return true; }
    bool end() override { return true; }
    void updateState(const QPaintEngineState &now) override
    {
        if (now.state() & DirtyTransform)
            m_transform = now.transform();
        if (now.state() & DirtyOpacity)
            m_opacity = now.opacity();
    }
    void drawTextItem(const QPointF &baseline, const QTextItem &item) override
    {
        const QRectF place(baseline.x(), baseline.y() - item.ascent(), item.width(),
                           item.ascent() + item.descent());
        QColor colour = painter()->pen().color();
        colour.setAlphaF(float(colour.alphaF() * m_opacity));
        const QRectF mapped = m_transform.mapRect(place);
        const double scale = place.height() > 0 ? mapped.height() / place.height() : 1;
        constexpr double large = 24, largeBold = 18.66; // pixels
        const double size = scale * QFontInfo(item.font()).pixelSize();
        m_texts.push_back({m_widget, item.text(), mapped, colour,
                           size >= (QFontInfo(item.font()).bold() ? largeBold : large)});
    }
    void drawPixmap(const QRectF &, const QPixmap &, const QRectF &) override {}
    void drawImage(const QRectF &, const QImage &, const QRectF &,
                   Qt::ImageConversionFlags) override
    {
    }
    void drawPath(const QPainterPath &) override {}
    void drawPolygon(const QPointF *, int, PolygonDrawMode) override {}
    Type type() const override { return User; }

private:
    QWidget *m_widget = nullptr;
    std::vector<PaintedText> m_texts;
    QTransform m_transform;
    double m_opacity = 1;
};

/// A paint device like a widget.
class TextDevice final : public QPaintDevice {
public:
    TextEngine engine;

    void setWidget(QWidget *widget)
    {
        m_widget = widget;
        engine.setWidget(widget);
    }
    QPaintEngine *paintEngine() const override { return const_cast<TextEngine *>(&engine); }

protected:
    int metric(PaintDeviceMetric metric) const override
    {
        switch (metric) {
        case PdmWidth:
            return m_widget->width();
        case PdmHeight:
            return m_widget->height();
        case PdmDpiX:
        case PdmPhysicalDpiX:
            return m_widget->logicalDpiX();
        case PdmDpiY:
        case PdmPhysicalDpiY:
            return m_widget->logicalDpiY();
        case PdmDevicePixelRatio:
            return 1;
        case PdmDevicePixelRatioScaled:
            return int(devicePixelRatioFScale());
        default:
            return QPaintDevice::metric(metric);
        }
    }

private:
    QWidget *m_widget = nullptr;
};

QColor over(const QColor &ground, const QColor &colour)
{
    const float share = colour.alphaF();
    const auto mix = [share](float below, float above) { return below + share * (above - below); };
    return QColor::fromRgbF(mix(ground.redF(), colour.redF()),
                            mix(ground.greenF(), colour.greenF()),
                            mix(ground.blueF(), colour.blueF()));
}

/// Looks for faults of texts in a picture of a widget.
class Inspection {
public:
    explicit Inspection(QWidget &root)
        : m_root(root), m_texts(paintedTexts(root)), m_picture(root.grab().toImage())
    {
    }

    QStringList faults()
    {
        for (const PaintedText &text : m_texts) {
            if (!isSeen(text))
                continue;
            inspectPlace(text);
            if (QRegularExpression(QStringLiteral("&\\w")).match(text.text).hasMatch())
                report(text, QStringLiteral("shows the mark of its key"));
            if (!isInactive(text))
                inspectContrast(text);
        }
        for (std::size_t i = 0; i < m_texts.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                inspectPair(m_texts[i], m_texts[j]);
        m_faults.removeDuplicates();
        return m_faults;
    }

private:
    static QWidget *scrollAreaOf(QWidget *widget)
    {
        for (QWidget *at = widget->parentWidget(); at; at = at->parentWidget())
            if (qobject_cast<QAbstractScrollArea *>(at))
                return at;
        return nullptr;
    }
    /// Tells whether a text is scrolled to be read: a field of its own, such as that of a path, shows
    /// its end. One of a spin box or a choice is as wide as what it may hold.
    static bool isScrolled(const PaintedText &text)
    {
        const auto *field = qobject_cast<const QLineEdit *>(text.widget);
        return isViewport(text.widget) ||
               (field && field->displayText().contains(text.text) &&
                !qobject_cast<const QAbstractSpinBox *>(field->parentWidget()) &&
                !qobject_cast<const QComboBox *>(field->parentWidget()));
    }
    static bool isViewport(const QWidget *widget)
    {
        const auto *area = qobject_cast<const QAbstractScrollArea *>(widget->parentWidget());
        return area && area->viewport() == widget;
    }
    QRectF inRoot(const PaintedText &text) const
    {
        return text.place.translated(text.widget->mapTo(&m_root, QPoint(0, 0)));
    }
    static bool isSame(const PaintedText &a, const PaintedText &b)
    {
        return a.widget == b.widget && a.text == b.text && a.place == b.place;
    }
    /// Tells whether anything of a text is on the screen.
    static bool isSeen(const PaintedText &text)
    {
        return !text.text.trimmed().isEmpty() && text.colour.alpha() > 0 &&
               QRectF(text.widget->visibleRegion().boundingRect()).intersects(text.place);
    }
    /// Tells whether a text is that of something that is disabled, such as a command of a menu.
    static bool isInactive(const PaintedText &text)
    {
        const QPalette palette = text.widget->palette();
        return !text.widget->isEnabled() ||
               text.colour == palette.color(QPalette::Disabled, QPalette::Text);
    }
    void report(const PaintedText &text, const QString &fault)
    {
        QString path;
        for (const QWidget *at = text.widget; at && at != &m_root; at = at->parentWidget())
            if (!at->objectName().startsWith(QLatin1String("qt_")))
                path.prepend(QLatin1Char('/') + QLatin1String(at->metaObject()->className()) +
                             (at->objectName().isEmpty() ? QString() : '#' + at->objectName()));
        m_faults << QStringLiteral("\"%1\" %2 (%3)").arg(text.text, fault, path);
    }

    void inspectPlace(const PaintedText &text)
    {
        constexpr double slack = 2; // of ascents and descents, and of italic letters
        if (isScrolled(text))
            return;
        const QRectF room = QRectF(text.widget->rect()).adjusted(-slack, -slack, slack, slack);
        if (!room.contains(text.place))
            report(text, QStringLiteral("is cut off"));
        else if (!scrollAreaOf(text.widget) && !QRectF(m_root.rect())
                                                    .adjusted(-slack, -slack, slack, slack)
                                                    .contains(inRoot(text)))
            report(text, QStringLiteral("is outside the window"));
    }

    /// Returns the most frequent colour under a text.
    QColor groundOf(const PaintedText &text, const QRectF &part) const
    {
        const double ratio = m_picture.devicePixelRatio();
        const QRect pixels = QRectF(part.topLeft() * ratio, part.size() * ratio)
                                 .toAlignedRect()
                                 .intersected(m_picture.rect());
        QHash<QRgb, int> counts;
        for (int y = pixels.top(); y <= pixels.bottom(); ++y)
            for (int x = pixels.left(); x <= pixels.right(); ++x)
                ++counts[m_picture.pixel(x, y)];
        counts.remove(text.colour.rgb()); // a bold text may have more pixels than its ground
        QRgb ground = 0;
        int most = 0;
        for (auto it = counts.cbegin(); it != counts.cend(); ++it)
            if (it.value() > most) {
                most = it.value();
                ground = it.key();
            }
        return QColor::fromRgb(ground);
    }

    void inspectContrast(const PaintedText &text)
    {
        const QRectF seen = text.place.intersected(text.widget->visibleRegion().boundingRect());
        if (seen.width() < 3 || seen.height() < 6)
            return;
        const QColor ground =
            groundOf(text, seen.translated(text.widget->mapTo(&m_root, QPoint(0, 0))));
        // Selections and links are painted over, or beside clipped parts of, the same text.
        double ratio = 1;
        for (const PaintedText &same : m_texts)
            if (isSame(same, text))
                ratio = std::max(ratio, contrast(over(ground, same.colour), ground));
        const double wanted = text.isLarge ? 3 : 4.5;
        if (ratio < wanted)
            report(text, QStringLiteral("has a contrast of %1: %2 on %3")
                             .arg(ratio, 0, 'f', 2)
                             .arg(text.colour.name(QColor::HexArgb), ground.name()));
    }

    void inspectPair(const PaintedText &a, const PaintedText &b)
    {
        if (!isSeen(a) || !isSeen(b))
            return;
        if (isSame(a, b))
            return;
        // What lies over a view hides what is below.
        if (a.widget != b.widget &&
            (a.widget->isAncestorOf(b.widget) || b.widget->isAncestorOf(a.widget)))
            return;
        const auto seen = [&](const PaintedText &text) {
            return text.place.intersected(text.widget->visibleRegion().boundingRect())
                .translated(text.widget->mapTo(&m_root, QPoint(0, 0)));
        };
        const QRectF common = seen(a).intersected(seen(b));
        constexpr double least = 3; // lines may be so close
        if (common.width() > least && common.height() > least)
            report(a, QStringLiteral("lies over \"%1\"").arg(b.text));
    }

    QWidget &m_root;
    std::vector<PaintedText> m_texts;
    QImage m_picture;
    QStringList m_faults;
};

} // namespace

double luminance(const QColor &colour)
{
    const auto linear = [](double c) {
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
           0.0722 * linear(colour.blueF());
}

double contrast(const QColor &a, const QColor &b)
{
    const double first = luminance(a) + 0.05, second = luminance(b) + 0.05;
    return std::max(first, second) / std::min(first, second);
}

std::vector<PaintedText> paintedTexts(QWidget &root)
{
    std::vector<PaintedText> texts;
    const auto add = [&](QWidget &widget) {
        if (!widget.isVisible() || widget.visibleRegion().isEmpty())
            return;
        TextDevice device;
        device.setWidget(&widget);
        widget.render(&device, QPoint(), QRegion(), QWidget::RenderFlags());
        const std::vector<PaintedText> own = device.engine.take();
        texts.insert(texts.end(), own.begin(), own.end());
    };
    add(root);
    for (QWidget *child : root.findChildren<QWidget *>())
        if (child->window() == root.window())
            add(*child);
    return texts;
}

QStringList textFaults(QWidget &root)
{
    return Inspection(root).faults();
}

} // namespace graphloom::test

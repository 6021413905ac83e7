// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/style/icons.h"

#include <QApplication>
#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmapCache>
#include <QSvgRenderer>

namespace graphloom {

namespace {

class Engine final : public QIconEngine {
public:
    explicit Engine(QString name) : m_name(std::move(name)), m_isNull(!QFile::exists(path())) {}

    QIconEngine *clone() const override { return new Engine(*this); }
    bool isNull() override { return m_isNull; } // layouts ask often

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State state) override
    {
        const double ratio = painter->device() ? painter->device()->devicePixelRatioF() : 1;
        painter->drawPixmap(rect, scaledPixmap(rect.size() * ratio, mode, state, ratio));
    }
    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override
    {
        return scaledPixmap(size, mode, state, 1);
    }
    QPixmap scaledPixmap(const QSize &size, QIcon::Mode mode, QIcon::State, qreal) override
    {
        const QColor colour = colourOf(mode);
        const QString key = QStringLiteral("graphloom-icon/%1/%2x%3/%4")
                                .arg(m_name)
                                .arg(size.width())
                                .arg(size.height())
                                .arg(colour.rgba());
        QPixmap pixmap;
        if (QPixmapCache::find(key, &pixmap))
            return pixmap;
        QFile file(path());
        if (!file.open(QIODevice::ReadOnly))
            return {};
        QByteArray svg = file.readAll();
        svg.replace("#000000", colour.name().toLatin1());
        QSvgRenderer renderer(svg);
        pixmap = QPixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        renderer.render(&painter, QRectF(QPointF(0, 0), size));
        painter.end();
        QPixmapCache::insert(key, pixmap);
        return pixmap;
    }

private:
    QString path() const { return QStringLiteral(":/icons/%1.svg").arg(m_name); }
    static QColor colourOf(QIcon::Mode mode)
    {
        const QPalette palette = QApplication::palette();
        switch (mode) {
        case QIcon::Disabled:
            return palette.color(QPalette::Disabled, QPalette::ButtonText);
        case QIcon::Selected:
            return palette.color(QPalette::HighlightedText);
        default:
            return palette.color(QPalette::ButtonText);
        }
    }

    QString m_name;
    bool m_isNull;
};

} // namespace

QIcon themedIcon(const QString &name)
{
    return QIcon(new Engine(name));
}

} // namespace graphloom

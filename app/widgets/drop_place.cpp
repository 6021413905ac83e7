// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/drop_place.h"

#include <QDragEnterEvent>
#include <QPainter>
#include <QWidget>

namespace graphloom {

namespace {

/// Where the other program proposes to move files, it would delete them afterwards.
void takeCopy(QDropEvent &event)
{
    event.setDropAction(Qt::CopyAction);
    event.accept();
}

} // namespace

/// Lies over the widget and lets all events through.
class DropPlace::Mark final : public QWidget {
public:
    explicit Mark(QWidget &widget) : QWidget(&widget)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setObjectName(QStringLiteral("dropMark"));
    }

    void show(const Offer &offer)
    {
        m_text = offer.text;
        m_isRefused = !offer.take;
        setGeometry(parentWidget()->rect());
        QWidget::show();
        raise();
        update();
    }
    const QString &text() const { return m_text; }

protected:
    void paintEvent(QPaintEvent *) override
    {
        constexpr int frame = 3, padding = 10, corner = 6;
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QColor colour =
            palette().color(m_isRefused ? QPalette::BrightText : QPalette::Highlight);
        QColor veil = colour;
        veil.setAlpha(26);
        painter.fillRect(rect(), veil);
        painter.setPen(QPen(colour, frame));
        painter.drawRect(rect().adjusted(1, 1, -2, -2));
        const int most = std::max(1, width() - 4 * padding);
        QRect text = painter.boundingRect(QRect(0, 0, most, height()),
                                          Qt::AlignCenter | Qt::TextWordWrap, m_text);
        text.moveCenter(rect().center());
        painter.setPen(QPen(colour, 1));
        painter.setBrush(palette().color(QPalette::Button));
        painter.drawRoundedRect(text.adjusted(-padding, -padding, padding, padding), corner,
                                corner);
        painter.setPen(palette().color(QPalette::ButtonText));
        painter.drawText(text, Qt::AlignCenter | Qt::TextWordWrap, m_text);
    }

private:
    QString m_text;
    bool m_isRefused = false;
};

DropPlace::DropPlace(QWidget &widget, Judge judge)
    : QObject(&widget), m_widget(widget), m_judge(std::move(judge))
{
    widget.setAcceptDrops(true);
    widget.installEventFilter(this);
}

QString DropPlace::shownText() const
{
    return m_mark && !m_mark->isHidden() ? m_mark->text() : QString();
}

/// Accepts what is refused, too, to be told when it leaves; moves are ignored then.
bool DropPlace::enter(QDragEnterEvent &event)
{
    m_offer = m_judge(*event.mimeData());
    if (!m_offer)
        return false;
    if (!m_mark)
        m_mark = new Mark(m_widget);
    m_mark->show(*m_offer);
    if (m_offer->take) {
        takeCopy(event);
    } else {
        event.setDropAction(Qt::IgnoreAction);
        event.accept();
    }
    return true;
}

bool DropPlace::drop(QDropEvent &event)
{
    const std::optional<Offer> offer = m_judge(*event.mimeData());
    if (m_mark)
        m_mark->hide();
    m_offer.reset();
    if (!offer)
        return false;
    if (offer->take) {
        takeCopy(event);
        offer->take();
    } else {
        event.ignore();
        Q_EMIT refused(offer->text);
    }
    return true;
}

bool DropPlace::eventFilter(QObject *watched, QEvent *event)
{
    if (watched != &m_widget)
        return false;
    switch (event->type()) {
    case QEvent::DragEnter:
        return enter(static_cast<QDragEnterEvent &>(*event));
    case QEvent::DragMove:
        if (!m_offer)
            return false;
        if (m_offer->take)
            takeCopy(static_cast<QDragMoveEvent &>(*event));
        else
            event->ignore();
        return true;
    case QEvent::DragLeave:
        if (m_mark)
            m_mark->hide();
        m_offer.reset();
        return false;
    case QEvent::Drop:
        return drop(static_cast<QDropEvent &>(*event));
    default:
        return false;
    }
}

} // namespace graphloom

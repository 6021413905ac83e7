// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/help/coach_mark.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace graphloom {

namespace {

constexpr int markWidth = 330, distance = 14, arrowSize = 10, roundness = 8;

/// Returns the position of a note next to a part, in the window, where it covers least of the part.
QPoint placeBeside(const QSize &size, const QRect &part, const QRect &window)
{
    const QRect inner = window.adjusted(8, 8, -8, -8);
    const QPoint middle = part.center() - QPoint(size.width(), size.height()) / 2;
    const std::array<QPoint, 4> places{
        QPoint(middle.x(), part.bottom() + distance),              // below
        QPoint(middle.x(), part.top() - distance - size.height()), // above
        QPoint(part.right() + distance, middle.y()),               // at the right
        QPoint(part.left() - distance - size.width(), middle.y()), // at the left
    };
    QPoint best;
    int least = -1;
    for (const QPoint &place : places) {
        const QPoint inside(std::clamp(place.x(), inner.left(),
                                       std::max(inner.left(), inner.right() - size.width())),
                            std::clamp(place.y(), inner.top(),
                                       std::max(inner.top(), inner.bottom() - size.height())));
        const QRect covered = QRect(inside, size) & part;
        const int area = covered.isEmpty() ? 0 : covered.width() * covered.height();
        if (least < 0 || area < least) {
            best = inside;
            least = area;
        }
    }
    return best;
}

} // namespace

/// Draws a frame that ignores the mouse.
class CoachMark::Outline final : public QWidget {
public:
    explicit Outline(QWidget *window) : QWidget(window)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setFocusPolicy(Qt::NoFocus);
        hide();
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(palette().color(QPalette::Highlight), 3));
        painter.drawRoundedRect(QRectF(rect()).adjusted(2, 2, -2, -2), roundness / 2.0,
                                roundness / 2.0);
    }
};

CoachMark::CoachMark(QWidget *window) : QFrame(window), m_outline(new Outline(window))
{
    setObjectName(QStringLiteral("coachMark"));
    setAccessibleName(tr("Tour"));
    setFocusPolicy(Qt::StrongFocus);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 14, 16, 12);
    m_title = new QLabel;
    QFont bold = m_title->font();
    bold.setBold(true);
    bold.setPointSizeF(bold.pointSizeF() * 1.1);
    m_title->setFont(bold);
    m_title->setObjectName(QStringLiteral("coachTitle"));
    m_title->setWordWrap(true);
    m_text = new QLabel;
    m_text->setWordWrap(true);
    m_text->setObjectName(QStringLiteral("coachText"));
    m_progress = new QLabel;
    m_progress->setForegroundRole(QPalette::PlaceholderText);
    m_skip = new QPushButton(tr("S&kip this step"));
    m_skip->setObjectName(QStringLiteral("skipStep"));
    m_end = new QPushButton(tr("&End tour"));
    m_end->setObjectName(QStringLiteral("endTour"));
    auto *buttons = new QHBoxLayout;
    buttons->addWidget(m_progress);
    buttons->addStretch();
    buttons->addWidget(m_skip);
    buttons->addWidget(m_end);
    layout->addWidget(m_title);
    layout->addWidget(m_text);
    layout->addSpacing(4);
    layout->addLayout(buttons);
    setFixedWidth(markWidth);
    connect(this, &QObject::destroyed, m_outline, &QObject::deleteLater);
    connect(m_skip, &QPushButton::clicked, this, &CoachMark::skipped);
    connect(m_end, &QPushButton::clicked, this, &CoachMark::ended);
}

void CoachMark::setText(const QString &title, const QString &text, const QString &progress)
{
    m_title->setText(title);
    m_text->setText(text);
    m_progress->setText(progress);
    setAccessibleDescription(title + QStringLiteral(". ") + text);
    setFixedHeight(layout()->totalHeightForWidth(markWidth));
}

void CoachMark::setLast(bool last)
{
    m_skip->setVisible(!last);
    m_end->setText(last ? tr("&Close") : tr("&End tour"));
}

QString CoachMark::title() const
{
    return m_title->text();
}

void CoachMark::pointAt(const QRect &part)
{
    const QRect window = parentWidget()->rect();
    m_part = part & window;
    if (m_part.isEmpty()) {
        m_outline->hide();
        move(window.center() - rect().center());
    } else {
        m_outline->setGeometry(m_part);
        m_outline->show();
        m_outline->raise();
        move(placeBeside(size(), m_part, window));
    }
    show();
    raise();
    update();
}

void CoachMark::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
    painter.setBrush(palette().color(QPalette::ToolTipBase));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), roundness, roundness);
    if (m_part.isEmpty())
        return;
    // A wedge on the edge next to the part.
    const QPoint to = m_part.center() - pos();
    const auto along = [](int at, int length) {
        return std::clamp(at, roundness + arrowSize, length - roundness - arrowSize);
    };
    const int x = along(to.x(), width()), y = along(to.y(), height());
    QPolygon wedge;
    if (m_part.bottom() < pos().y())
        wedge << QPoint(x - arrowSize, 1) << QPoint(x + arrowSize, 1) << QPoint(x, arrowSize);
    else if (m_part.top() > pos().y() + height())
        wedge << QPoint(x - arrowSize, height() - 1) << QPoint(x + arrowSize, height() - 1)
              << QPoint(x, height() - arrowSize);
    else if (m_part.right() < pos().x())
        wedge << QPoint(1, y - arrowSize) << QPoint(1, y + arrowSize) << QPoint(arrowSize, y);
    else if (m_part.left() > pos().x() + width())
        wedge << QPoint(width() - 1, y - arrowSize) << QPoint(width() - 1, y + arrowSize)
              << QPoint(width() - arrowSize, y);
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette().color(QPalette::Highlight));
    painter.drawPolygon(wedge);
}

void CoachMark::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape)
        Q_EMIT ended();
    else
        QFrame::keyPressEvent(event);
}

void CoachMark::hideEvent(QHideEvent *event)
{
    m_outline->hide();
    QFrame::hideEvent(event);
}

} // namespace graphloom

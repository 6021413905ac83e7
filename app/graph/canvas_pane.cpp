// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graph/canvas_pane.h"

#include "app/graph/drawing_controller.h"
#include "app/graph/graph_canvas.h"
#include "app/widgets/panel_layout.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

namespace graphloom {

namespace {

constexpr int busyGap = 12;
constexpr int layoutPatience = 200; // milliseconds before a layout is announced
constexpr int stripMargin = 8, stripGap = 12, focusLine = 2;

} // namespace

/// Paints its texts as far as there is room; the tooltip has them in full.
class CanvasPane::Strip final : public QWidget {
public:
    QString title, figures, note;
    bool focused = false;

    Strip()
    {
        auto *row = new QHBoxLayout(this);
        row->setContentsMargins(0, 0, 4, focusLine);
        row->setSpacing(2);
        row->addStretch(1);
        fitHeight();
    }

    QString text() const
    {
        QStringList lines{title, figures, note};
        lines.removeAll(QString());
        return lines.join('\n');
    }
    void refresh()
    {
        setAccessibleName(title);
        setAccessibleDescription(text());
        setToolTip(text());
        update();
    }
    void addTool(QAction *action)
    {
        auto *button = new QToolButton;
        button->setDefaultAction(action);
        button->setAutoRaise(true);
        layout()->addWidget(button);
        m_tools += button->sizeHint().width() + 4;
    }

protected:
    void changeEvent(QEvent *event) override
    {
        if (event->type() == QEvent::FontChange)
            fitHeight();
        QWidget::changeEvent(event);
    }

    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        painter.fillRect(rect(), palette().color(QPalette::Window));
        painter.fillRect(QRect(0, height() - focusLine, width(), focusLine),
                         palette().color(focused ? QPalette::Highlight : QPalette::Mid));
        const int line = fontMetrics().height(), room = width() - 2 * stripMargin - m_tools;
        QFont bold = font();
        bold.setBold(true);
        const QFontMetrics wide(bold);
        // The note is about what was done last, so it gets its room first.
        const int noted =
            note.isEmpty() ? 0 : std::min(fontMetrics().horizontalAdvance(note) + 1, room * 2 / 3);
        const QString head =
            wide.elidedText(title, Qt::ElideMiddle, room - (noted ? noted + stripGap : 0));
        painter.setFont(bold);
        painter.setPen(palette().color(QPalette::WindowText));
        painter.drawText(QRect(stripMargin, 3, room, line), Qt::AlignVCenter, head);
        painter.setFont(font());
        painter.drawText(QRect(width() - m_tools - stripMargin - noted, 3, noted, line),
                         Qt::AlignVCenter | Qt::AlignRight,
                         fontMetrics().elidedText(note, Qt::ElideMiddle, noted));
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(QRect(stripMargin, 4 + line, room, line), Qt::AlignVCenter,
                         fontMetrics().elidedText(figures, Qt::ElideRight, room));
    }

private:
    void fitHeight() { setFixedHeight(2 * fontMetrics().height() + 8 + focusLine); }

    int m_tools = 0; // width of the buttons
};

class CanvasPane::BusyLabel final : public QLabel {
public:
    using QLabel::QLabel;

protected:
    void paintEvent(QPaintEvent *event) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(palette().color(QPalette::Mid));
        painter.setBrush(palette().color(QPalette::Button));
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
        painter.end();
        QLabel::paintEvent(event);
    }
};

CanvasPane::CanvasPane(Selection &selection, QWidget *parent) : QWidget(parent)
{
    QVBoxLayout *layout = makeColumn(*this);
    m_strip = new Strip;
    m_strip->hide();
    m_canvas = new GraphCanvas(selection);
    layout->addWidget(m_strip);
    layout->addWidget(m_canvas, 1);
    m_busy = new BusyLabel(m_canvas);
    m_busy->setContentsMargins(10, 5, 10, 5);
    m_busy->hide();
    m_canvas->installEventFilter(this);
    setFocusProxy(m_canvas);
}

void CanvasPane::setCaption(const QString &title, const QString &figures, const QString &note)
{
    m_strip->title = title;
    m_strip->figures = figures;
    m_strip->note = note;
    m_strip->refresh();
}

QString CanvasPane::caption() const
{
    return m_strip->text();
}

void CanvasPane::setStripShown(bool shown)
{
    m_strip->setVisible(shown);
}

void CanvasPane::addTool(QAction *action)
{
    m_strip->addTool(action);
}

void CanvasPane::setBusy(const QString &text)
{
    m_busy->setText(text);
    m_busy->setVisible(!text.isEmpty());
    placeBusy();
}

void CanvasPane::announce(const DrawingController &drawings)
{
    auto *patience = new QTimer(this);
    patience->setSingleShot(true);
    patience->setInterval(layoutPatience);
    connect(patience, &QTimer::timeout, this, [this] { setBusy(tr("Computing the layout…")); });
    connect(&drawings, &DrawingController::started, patience, qOverload<>(&QTimer::start));
    const auto end = [this, patience] {
        patience->stop();
        setBusy({});
    };
    connect(&drawings, &DrawingController::ready, this, end);
    connect(&drawings, &DrawingController::cancelled, this, end);
}

void CanvasPane::placeBusy()
{
    m_busy->adjustSize();
    m_busy->move((m_canvas->width() - m_busy->width()) / 2, busyGap);
}

bool CanvasPane::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize || event->type() == QEvent::Show)
        placeBusy();
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) {
        m_strip->focused = event->type() == QEvent::FocusIn;
        m_strip->update();
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace graphloom

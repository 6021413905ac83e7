// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graph/canvas_page.h"

#include "app/drawing/legend.h"
#include "app/graph/breadcrumbs.h"
#include "app/graph/focus_bar.h"
#include "app/graph/minimap.h"
#include "app/query/search_bar.h"
#include "app/widgets/panel_layout.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

namespace graphloom {

namespace {

constexpr int cornerGap = 12;

} // namespace

class CanvasPage::BusyLabel final : public QLabel {
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

CanvasPage::CanvasPage(Selection &selection, QAction *up, QWidget *parent) : QWidget(parent)
{
    QVBoxLayout *layout = makeColumn(*this);
    m_search = new SearchBar(selection);
    m_breadcrumbs = new Breadcrumbs(up);
    m_canvas = new GraphCanvas(selection);
    layout->addWidget(m_search);
    layout->addWidget(m_breadcrumbs);
    m_focus = new FocusBar;
    layout->addWidget(m_focus);
    layout->addWidget(m_canvas, 1);
    m_minimap = new Minimap(*m_canvas);
    m_legend = new Legend;
    m_colourBox = new QComboBox;
    m_colourBox->setAccessibleName(tr("Colour nodes by"));
    m_colourBox->setToolTip(tr("Property that determines the colour of the nodes"));
    m_colourBox->setObjectName(QStringLiteral("colourBox"));
    m_colourBox->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_colourBox->setMaxVisibleItems(24);
    m_legendRow = new QWidget;
    auto *row = new QHBoxLayout(m_legendRow);
    row->setContentsMargins(6, 2, 0, 2);
    row->setSpacing(4);
    row->addWidget(m_colourBox, 0, Qt::AlignVCenter);
    row->addWidget(m_legend, 1);
    layout->addWidget(m_legendRow);
    m_busy = new BusyLabel(m_canvas);
    m_busy->setContentsMargins(10, 5, 10, 5);
    m_busy->hide();
    for (QWidget *watched : {static_cast<QWidget *>(m_canvas), static_cast<QWidget *>(m_minimap)})
        watched->installEventFilter(this);
    connect(m_canvas, &GraphCanvas::viewChanged, this, &CanvasPage::placeCorners);
    connect(m_search, &SearchBar::matchesChanged, m_canvas,
            [this](const std::vector<Item> &matches) { m_canvas->setMatches(matches); });
    connect(m_search, &SearchBar::closed, m_canvas, [this] { m_canvas->setFocus(); });
}

void CanvasPage::setMinimapShown(bool shown)
{
    m_minimapShown = shown;
    placeCorners();
}

void CanvasPage::setLegendShown(bool shown)
{
    m_legendRow->setVisible(shown);
}

void CanvasPage::setBusy(const QString &text)
{
    m_busy->setText(text);
    m_busy->setVisible(!text.isEmpty());
    placeCorners();
}

bool CanvasPage::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize || event->type() == QEvent::Show)
        placeCorners();
    return QWidget::eventFilter(watched, event);
}

void CanvasPage::placeCorners()
{
    const DrawingPointer &drawing = m_canvas->drawing();
    m_minimap->setVisible(drawing && m_minimapShown &&
                          !m_canvas->visibleScene().contains(drawing->bounds));
    m_minimap->move(m_canvas->width() - m_minimap->width() - cornerGap,
                    m_canvas->height() - m_minimap->height() - cornerGap);
    m_busy->adjustSize();
    m_busy->move((m_canvas->width() - m_busy->width()) / 2, cornerGap);
}

} // namespace graphloom

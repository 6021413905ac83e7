// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graph/canvas_page.h"

#include "app/drawing/legend.h"
#include "app/graph/breadcrumbs.h"
#include "app/graph/canvas_pane.h"
#include "app/graph/focus_bar.h"
#include "app/graph/minimap.h"
#include "app/query/search_bar.h"
#include "app/widgets/panel_layout.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QSplitter>
#include <QVBoxLayout>

namespace graphloom {

namespace {

constexpr int cornerGap = 12;

} // namespace

CanvasPage::CanvasPage(Selection &selection, QAction *up, QWidget *parent) : QWidget(parent)
{
    QVBoxLayout *layout = makeColumn(*this);
    m_search = new SearchBar(selection);
    m_breadcrumbs = new Breadcrumbs(up);
    m_pane = new CanvasPane(selection);
    m_canvas = &m_pane->canvas();
    m_split = new QSplitter;
    m_split->setChildrenCollapsible(false);
    m_split->setObjectName(QStringLiteral("canvasSplit"));
    m_split->addWidget(m_pane);
    layout->addWidget(m_search);
    layout->addWidget(m_breadcrumbs);
    m_focus = new FocusBar;
    layout->addWidget(m_focus);
    layout->addWidget(m_split, 1);
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
    for (QWidget *watched : {static_cast<QWidget *>(m_canvas), static_cast<QWidget *>(m_minimap)})
        watched->installEventFilter(this);
    connect(m_canvas, &GraphCanvas::viewChanged, this, &CanvasPage::placeCorners);
    connect(m_search, &SearchBar::matchesChanged, m_canvas,
            [this](const std::vector<Item> &matches) { m_canvas->setMatches(matches); });
    connect(m_breadcrumbs, &Breadcrumbs::findWanted, m_search, &SearchBar::open);
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

void CanvasPage::resizeEvent(QResizeEvent *event)
{
    constexpr int share = 5; // of the page is for the legend at most
    QWidget::resizeEvent(event);
    m_legend->setMostHeight(height() / share);
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
    // On a small canvas, and beside another one, there may be no room for it.
    constexpr double mostOfWidth = 0.5, mostOfHeight = 0.6;
    m_minimap->setVisible(drawing && m_minimapShown &&
                          m_minimap->width() < mostOfWidth * m_canvas->width() &&
                          m_minimap->height() < mostOfHeight * m_canvas->height() &&
                          !m_canvas->visibleScene().contains(drawing->bounds));
    m_minimap->move(m_canvas->width() - m_minimap->width() - cornerGap,
                    m_canvas->height() - m_minimap->height() - cornerGap);
}

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/docks/panel_area.h"

#include <QEvent>
#include <QLayout>
#include <QStackedWidget>

#include <algorithm>

namespace graphloom {

namespace {

constexpr QSize leastSize(150, 80); // in which scrolling is still possible

/// Returns the size that the content needs at a width: that of the page that is shown, with lines
/// of text wrapped at that width.
QSize neededBy(const QWidget &content, int width)
{
    const auto *stack = qobject_cast<const QStackedWidget *>(&content);
    const QWidget &page = stack && stack->currentWidget() ? *stack->currentWidget() : content;
    QSize needed = page.minimumSizeHint().expandedTo(page.minimumSize());
    if (const QLayout *layout = page.layout(); layout && layout->hasHeightForWidth()) {
        const int wrapped = layout->totalMinimumHeightForWidth(std::max(width, needed.width()));
        needed.setHeight(std::max(needed.height(), wrapped));
    }
    return needed;
}

} // namespace

/// Fills the area with the content. The heights of an ordinary layout would not do: a scroll area
/// uses the preferred height of content that wraps text, not the height that it needs.
class PanelArea::Frame final : public QWidget {
public:
    explicit Frame(QWidget &content) : m_content(content) { content.setParent(this); }

    QSize sizeHint() const override { return m_content.sizeHint(); }
    QSize minimumSizeHint() const override
    {
        return neededBy(m_content, parentWidget() ? parentWidget()->width() : width());
    }

protected:
    bool event(QEvent *event) override
    {
        if (event->type() == QEvent::LayoutRequest) // the content needs another size
            updateGeometry();
        return QWidget::event(event);
    }
    void resizeEvent(QResizeEvent *) override { m_content.setGeometry(rect()); }

private:
    QWidget &m_content;
};

PanelArea::PanelArea(QWidget &content) : m_content(content)
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus); // its content has the focus, and is scrolled to
    setWidgetResizable(true);
    setWidget(new Frame(content));
    for (QWidget *under : {viewport(), widget()}) // the window fills its ground
        under->setAutoFillBackground(false);
}

QSize PanelArea::sizeHint() const
{
    return m_content.sizeHint();
}

QSize PanelArea::minimumSizeHint() const
{
    return leastSize;
}

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/style/style.h"

#include "app/style/icons.h"

#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>

#include <algorithm>

namespace graphloom {

namespace {

constexpr double radius = 4;
constexpr int iconTabSpace = 12; // at both sides of an icon

QColor mixed(const QColor &a, const QColor &b, double share)
{
    const auto mix = [share](int x, int y) { return int(x + (y - x) * share); };
    return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

/// Returns the share of the text's colour in a control's colour: higher while it is used.
double emphasis(QStyle::State state)
{
    if (!(state & QStyle::State_Enabled))
        return 0;
    return state & QStyle::State_Sunken ? 0.18 : state & QStyle::State_MouseOver ? 0.09 : 0;
}

void drawBox(QPainter &painter, const QRect &rect, const QColor &fill, const QColor &border)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(border.isValid() ? QPen(border, 1) : QPen(Qt::NoPen));
    painter.setBrush(fill.isValid() ? QBrush(fill) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    painter.restore();
}

void drawPushButton(const QStyleOption &option, QPainter &painter)
{
    const auto *button = qstyleoption_cast<const QStyleOptionButton *>(&option);
    const QPalette &palette = option.palette;
    const bool main = button && (button->features & QStyleOptionButton::DefaultButton) &&
                      (option.state & QStyle::State_Enabled);
    const QColor base = palette.color(main ? QPalette::Highlight : QPalette::Button);
    const QColor fill = mixed(base, palette.color(QPalette::Text), emphasis(option.state));
    const bool focus = option.state & QStyle::State_HasFocus;
    drawBox(painter, option.rect, fill,
            focus ? palette.color(QPalette::Highlight) : palette.color(QPalette::Mid));
}

/// Draws the label of the main button of a panel in the colours of a selection.
void drawMainButtonLabel(const QStyleOptionButton &button, QPainter &painter)
{
    constexpr int between = 6;
    const int text = button.fontMetrics.size(Qt::TextShowMnemonic, button.text).width();
    const int icon = button.icon.isNull() ? 0 : button.iconSize.width() + between;
    QRect rest = button.rect;
    rest.setLeft(button.rect.center().x() - (text + icon) / 2);
    if (icon > 0)
        button.icon.paint(&painter,
                          QRect(rest.left(), rest.center().y() - button.iconSize.height() / 2 + 1,
                                button.iconSize.width(), button.iconSize.height()),
                          Qt::AlignCenter, QIcon::Selected);
    painter.setPen(button.palette.color(QPalette::HighlightedText));
    painter.drawText(rest.adjusted(icon, 0, 0, 0),
                     Qt::AlignLeft | Qt::AlignVCenter | Qt::TextShowMnemonic, button.text);
}

void drawToolButton(const QStyleOption &option, QPainter &painter)
{
    const QPalette &palette = option.palette;
    const bool on = option.state & QStyle::State_On;
    const double share = emphasis(option.state) + (on ? 0.14 : 0);
    if (share > 0)
        drawBox(painter, option.rect,
                mixed(palette.color(QPalette::Window), palette.color(QPalette::Text), share),
                on ? palette.color(QPalette::Mid) : QColor());
    if ((option.state & QStyle::State_HasFocus) &&
        (option.state & QStyle::State_KeyboardFocusChange))
        drawBox(painter, option.rect, {}, palette.color(QPalette::Highlight));
}

void drawTab(const QStyleOptionTab &tab, QPainter &painter)
{
    const QPalette &palette = tab.palette;
    const bool selected = tab.state & QStyle::State_Selected;
    if (selected || (tab.state & QStyle::State_MouseOver))
        painter.fillRect(tab.rect, mixed(palette.color(QPalette::Window),
                                         palette.color(QPalette::Text), selected ? 0.07 : 0.04));
    if (!selected)
        return;
    QRect line = tab.rect;
    const bool below = tab.shape == QTabBar::RoundedSouth || tab.shape == QTabBar::TriangularSouth;
    if (below)
        line.setBottom(line.top() + 1);
    else
        line.setTop(line.bottom() - 1);
    painter.fillRect(line, palette.color(QPalette::Highlight));
}

/// Draws a box to check. Its frame can be told from the ground in both themes (WCAG 2.1, 1.4.11),
/// which that of Fusion, a darker shade of the window's colour, cannot on dark ground.
void drawCheckBox(const QStyleOption &option, QPainter &painter)
{
    constexpr double frameShare = 0.62, disabledShare = 0.35;
    const QPalette &palette = option.palette;
    const bool enabled = option.state & QStyle::State_Enabled;
    const bool filled = option.state & (QStyle::State_On | QStyle::State_NoChange);
    const QColor base = palette.color(QPalette::Base), text = palette.color(QPalette::Text);
    const QColor frame = mixed(base, text, enabled ? frameShare : disabledShare);
    const QColor fill = !filled ? base : enabled ? palette.color(QPalette::Highlight) : frame;
    const int side = std::min(option.rect.width(), option.rect.height());
    QRect box(0, 0, side, side);
    box.moveCenter(option.rect.center());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const bool focus = option.state & QStyle::State_HasFocus;
    painter.setPen(QPen(filled ? fill : focus ? palette.color(QPalette::Highlight) : frame, 1));
    painter.setBrush(mixed(fill, text, emphasis(option.state)));
    painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.setPen(QPen(filled && enabled ? palette.color(QPalette::HighlightedText) : base, 1.8,
                        Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const auto at = [&](double x, double y) {
        return QPointF(box.left() + x * side, box.top() + y * side);
    };
    if (option.state & QStyle::State_On)
        painter.drawPolyline(QPolygonF{at(0.24, 0.52), at(0.43, 0.71), at(0.77, 0.31)});
    else if (option.state & QStyle::State_NoChange)
        painter.drawLine(at(0.25, 0.5), at(0.75, 0.5));
    painter.restore();
}

/// Tells whether a tab shows its icon only.
bool isIconTab(const QStyleOptionTab &tab, const QWidget *bar)
{
    return bar && bar->property(Style::iconTabs).toBool() && !tab.icon.isNull() &&
           !(tab.state & QStyle::State_Selected);
}

void drawScrollBar(const QStyle &style, const QStyleOptionSlider &bar, QPainter &painter,
                   const QWidget *widget)
{
    const QPalette &palette = bar.palette;
    painter.fillRect(bar.rect, palette.color(QPalette::Base));
    if (bar.minimum == bar.maximum)
        return;
    const QRect handle =
        style.subControlRect(QStyle::CC_ScrollBar, &bar, QStyle::SC_ScrollBarSlider, widget);
    const bool active = bar.state & (QStyle::State_MouseOver | QStyle::State_Sunken);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(
        mixed(palette.color(QPalette::Base), palette.color(QPalette::Text), active ? 0.45 : 0.25));
    painter.drawRoundedRect(handle.adjusted(2, 2, -2, -2), 3, 3);
    painter.restore();
}

void drawDockTitle(const QStyle &style, const QStyleOptionDockWidget &dock, QPainter &painter,
                   const QWidget *widget)
{
    const QPalette &palette = dock.palette;
    painter.fillRect(dock.rect,
                     mixed(palette.color(QPalette::Window), palette.color(QPalette::Text), 0.035));
    painter.fillRect(QRect(dock.rect.left(), dock.rect.bottom(), dock.rect.width(), 1),
                     palette.color(QPalette::Mid));
    const QRect text =
        style.subElementRect(QStyle::SE_DockWidgetTitleBarText, &dock, widget).adjusted(4, 0, 0, 0);
    painter.save();
    QFont font = painter.font();
    font.setBold(true);
    painter.setFont(font);
    painter.setPen(palette.color(QPalette::WindowText));
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(dock.title, Qt::ElideRight, text.width()));
    painter.restore();
}

} // namespace

Style::Style() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

int Style::pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const
{
    switch (metric) {
    case PM_ScrollBarExtent:
        return 11;
    case PM_DockWidgetSeparatorExtent:
    case PM_SplitterWidth:
        return 5;
    case PM_DockWidgetTitleMargin:
        return 5;
    case PM_DockWidgetTitleBarButtonMargin:
        return 2;
    case PM_ToolBarIconSize:
        return 20;
    case PM_ToolBarItemSpacing:
        return 3;
    case PM_ToolBarFrameWidth:
        return 0;
    case PM_ToolBarItemMargin:
        return 3;
    case PM_TabBarTabHSpace:
        return 22;
    case PM_TabBarTabVSpace:
        return 10;
    case PM_TabBarTabShiftVertical:
    case PM_TabBarTabShiftHorizontal:
    case PM_TabBarBaseOverlap:
        return 0;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int Style::styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                     QStyleHintReturn *returnData) const
{
    switch (hint) {
    case SH_ScrollBar_LeftClickAbsolutePosition:
        return 1;
    case SH_Menu_Scrollable: // on small screens; columns would cut texts off
        return 1;
    case SH_DialogButtonBox_ButtonsHaveIcons: // those of the desktop, in its colours
        return 0;
    case SH_EtchDisabledText: // a second text, which makes the first one hard to read
        return 0;
    case SH_Widget_Animate: // animated docks would repaint the window again and again
        return 0;
    default:
        return QProxyStyle::styleHint(hint, option, widget, returnData);
    }
}

QIcon Style::standardIcon(StandardPixmap pixmap, const QStyleOption *option,
                          const QWidget *widget) const
{
    switch (pixmap) {
    case SP_TitleBarCloseButton:
    case SP_DockWidgetCloseButton:
        return themedIcon(QStringLiteral("close"));
    case SP_TitleBarNormalButton:
        return themedIcon(QStringLiteral("float"));
    default:
        return QProxyStyle::standardIcon(pixmap, option, widget);
    }
}

void Style::drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                          const QWidget *widget) const
{
    const QPalette &palette = option->palette;
    switch (element) {
    case PE_PanelButtonCommand:
        drawPushButton(*option, *painter);
        return;
    case PE_PanelButtonTool:
    case PE_IndicatorButtonDropDown:
        drawToolButton(*option, *painter);
        return;
    case PE_PanelLineEdit:
    case PE_FrameLineEdit: {
        const auto *frame = qstyleoption_cast<const QStyleOptionFrame *>(option);
        if (frame && frame->lineWidth <= 0) { // inside a spin box, which has its own frame
            painter->fillRect(option->rect, palette.color(QPalette::Base));
            return;
        }
        const bool focus = option->state & State_HasFocus;
        drawBox(*painter, option->rect,
                element == PE_PanelLineEdit ? palette.color(QPalette::Base) : QColor(),
                palette.color(focus ? QPalette::Highlight : QPalette::Mid));
        return;
    }
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
        drawCheckBox(*option, *painter);
        return;
    case PE_PanelScrollAreaCorner:
        painter->fillRect(option->rect, palette.color(QPalette::Base));
        return;
    case PE_PanelMenuBar:
    case PE_FrameTabBarBase:
    case PE_FrameDockWidget:
    case PE_FrameStatusBarItem:
        return;
    case PE_PanelStatusBar:
        painter->fillRect(QRect(option->rect.topLeft(), QSize(option->rect.width(), 1)),
                          palette.color(QPalette::Mid));
        return;
    case PE_IndicatorDockWidgetResizeHandle:
        painter->fillRect(option->rect, palette.color(QPalette::Window));
        return;
    case PE_FrameFocusRect:
        drawBox(*painter, option->rect, {}, palette.color(QPalette::Highlight));
        return;
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void Style::drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                        const QWidget *widget) const
{
    const QPalette &palette = option->palette;
    switch (element) {
    case CE_HeaderSection:
    case CE_HeaderEmptyArea:
        painter->fillRect(option->rect, palette.color(QPalette::Window));
        painter->fillRect(
            QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1),
            palette.color(QPalette::Mid));
        return;
    case CE_PushButtonLabel:
        if (const auto *button = qstyleoption_cast<const QStyleOptionButton *>(option);
            button && (button->features & QStyleOptionButton::DefaultButton) &&
            (option->state & State_Enabled))
            drawMainButtonLabel(*button, *painter);
        else
            QProxyStyle::drawControl(element, option, painter, widget);
        return;
    case CE_TabBarTabShape:
        if (const auto *tab = qstyleoption_cast<const QStyleOptionTab *>(option))
            drawTab(*tab, *painter);
        return;
    case CE_TabBarTabLabel:
        if (const auto *tab = qstyleoption_cast<const QStyleOptionTab *>(option);
            tab && isIconTab(*tab, widget)) {
            QRect place(QPoint(), tab->iconSize);
            place.moveCenter(tab->rect.center());
            tab->icon.paint(painter, place);
        } else {
            QProxyStyle::drawControl(element, option, painter, widget);
        }
        return;
    case CE_DockWidgetTitle:
        if (const auto *dock = qstyleoption_cast<const QStyleOptionDockWidget *>(option))
            drawDockTitle(*proxy(), *dock, *painter, widget);
        return;
    case CE_ToolBar:
    case CE_MenuBarEmptyArea:
        painter->fillRect(option->rect, palette.color(QPalette::Window));
        if (element == CE_ToolBar)
            painter->fillRect(
                QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1),
                palette.color(QPalette::Mid));
        return;
    case CE_MenuBarItem: {
        const auto *item = qstyleoption_cast<const QStyleOptionMenuItem *>(option);
        const bool active = (option->state & State_Selected) && (option->state & State_Enabled);
        painter->fillRect(option->rect, palette.color(QPalette::Window));
        if (active)
            drawBox(*painter, option->rect.adjusted(1, 1, -1, -1),
                    mixed(palette.color(QPalette::Window), palette.color(QPalette::Text), 0.12),
                    {});
        proxy()->drawItemText(painter, option->rect,
                              Qt::AlignCenter | Qt::TextShowMnemonic | Qt::TextSingleLine, palette,
                              option->state & State_Enabled, item ? item->text : QString(),
                              QPalette::WindowText);
        return;
    }
    case CE_ProgressBarGroove:
        drawBox(*painter, option->rect, palette.color(QPalette::Base),
                palette.color(QPalette::Mid));
        return;
    case CE_Splitter:
        return;
    default:
        QProxyStyle::drawControl(element, option, painter, widget);
    }
}

void Style::drawComplexControl(ComplexControl control, const QStyleOptionComplex *option,
                               QPainter *painter, const QWidget *widget) const
{
    if (control == CC_ScrollBar)
        if (const auto *bar = qstyleoption_cast<const QStyleOptionSlider *>(option)) {
            drawScrollBar(*proxy(), *bar, *painter, widget);
            return;
        }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    if (control == CC_SpinBox)
        drawBox(*painter, option->rect, {},
                option->palette.color(option->state & State_HasFocus ? QPalette::Highlight
                                                                     : QPalette::Mid));
}

QSize Style::sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &size,
                              const QWidget *widget) const
{
    QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
    if (type == CT_PushButton || type == CT_LineEdit || type == CT_ComboBox || type == CT_SpinBox)
        result.setHeight(std::max(result.height(), 28));
    else if (type == CT_MenuBarItem)
        result += QSize(4, 2);
    else if (const auto *tab = qstyleoption_cast<const QStyleOptionTab *>(option);
             tab && type == CT_TabBarTab && isIconTab(*tab, widget))
        result.setWidth(tab->iconSize.width() + iconTabSpace);
    return result;
}

} // namespace graphloom

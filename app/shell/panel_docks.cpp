// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/panel_docks.h"

#include "app/workbench/workbench.h"

#include <QApplication>
#include <QDockWidget>
#include <QLayout>
#include <QMainWindow>

#include <algorithm>

namespace graphloom {

namespace {

constexpr int sideWidth = 350, bottomHeight = 240, topHeight = 520, belowHeight = 380;
// Version of the saved layout of panels; a new number discards the saved one.
constexpr int panelsVersion = 7;

Qt::DockWidgetArea areaOf(Panel::Spot spot)
{
    return spot == Panel::Spot::Right    ? Qt::RightDockWidgetArea
           : spot == Panel::Spot::Bottom ? Qt::BottomDockWidgetArea
                                         : Qt::LeftDockWidgetArea;
}

/// Returns Alt+1 to Alt+0, then Alt+Shift+1 to Alt+Shift+0, then none.
QKeySequence keyOfPanel(std::size_t number)
{
    constexpr std::size_t digits = 10;
    if (number >= 2 * digits)
        return {};
    const auto digit = Qt::Key(Qt::Key_0 + int(number + 1) % int(digits));
    return number < digits ? QKeySequence(Qt::ALT | digit)
                           : QKeySequence(Qt::ALT | Qt::SHIFT | digit);
}

/// Returns the last focused widget of a panel, or else the first one that accepts the focus.
QWidget *focusOf(const QDockWidget &panel)
{
    QWidget *content = panel.widget();
    if (QWidget *last = content->focusWidget(); last && last->isVisibleTo(content))
        return last;
    for (QWidget *next = content->nextInFocusChain(); next && content->isAncestorOf(next);
         next = next->nextInFocusChain())
        if (next->isVisibleTo(content) && next->isEnabled() &&
            (next->focusPolicy() & Qt::TabFocus) != 0)
            return next;
    return content;
}

} // namespace

PanelDocks::PanelDocks(QMainWindow &window, Workbench &bench)
    : m_window(window), m_panels(makePanels(bench))
{
    for (const PanelPointer &panel : m_panels) {
        auto *dock = new QDockWidget(panel->facts().title, &window);
        dock->setObjectName(panel->facts().key);
        dock->setWidget(&panel->widget());
        window.addDockWidget(areaOf(panel->facts().spot), dock);
        m_docks[panel->facts().key] = dock;
    }
    arrange();
    for (const PanelPointer &panel : m_panels)
        addAction(dock(panel->facts().key));
    connect(&bench, &Workbench::panelWanted, this, &PanelDocks::raise);
    connect(&bench, &Workbench::heightWanted, this, [this](const QString &key, int pixels) {
        if (QDockWidget &wanted = dock(key); wanted.height() < pixels)
            m_window.resizeDocks({&wanted}, {pixels}, Qt::Vertical);
    });
    connect(&bench, &Workbench::graphShown, this, &PanelDocks::setSnapshot);
}

/// Puts the panels of a spot into tabs, the first one in front.
void PanelDocks::arrange()
{
    m_window.setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks);
    m_window.setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    m_window.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    m_window.setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    std::map<Panel::Spot, std::vector<QDockWidget *>> spots;
    for (const bool last : {false, true})
        for (const PanelPointer &panel : m_panels)
            if (panel->facts().isLastTab == last)
                spots[panel->facts().spot].push_back(&dock(panel->facts().key));
    for (const auto &[spot, docks] : spots)
        for (std::size_t i = 1; i < docks.size(); ++i)
            m_window.tabifyDockWidget(docks[i - 1], docks[i]);
    for (const PanelPointer &panel : m_panels)
        if (panel->facts().isHidden)
            dock(panel->facts().key).hide();
    for (const auto &[spot, docks] : spots)
        docks.front()->raise();
    using Spot = Panel::Spot;
    m_window.resizeDocks({spots[Spot::LeftTop].front(), spots[Spot::Right].front()},
                         {sideWidth, sideWidth}, Qt::Horizontal);
    m_window.resizeDocks({spots[Spot::Bottom].front()}, {bottomHeight}, Qt::Vertical);
    m_window.resizeDocks({spots[Spot::LeftTop].front(), spots[Spot::LeftBottom].front()},
                         {topHeight, belowHeight}, Qt::Vertical);
    // Otherwise the width from before tabbing remains the minimum.
    m_window.layout()->activate();
    m_first = m_window.saveState(panelsVersion);
}

void PanelDocks::addAction(QDockWidget &dock)
{
    QAction *action = makeAction(
        m_window, "", dock.windowTitle(), {keyOfPanel(m_actions.size())},
        tr("Go to the panel %1, or hide it when it has the focus").arg(dock.windowTitle()));
    action->setCheckable(true);
    action->setObjectName(QStringLiteral("panel:") + dock.objectName());
    connect(action, &QAction::triggered, this, [this, &dock] { goTo(dock); });
    connect(dock.toggleViewAction(), &QAction::toggled, action, &QAction::setChecked);
    action->setChecked(!dock.isHidden());
    m_actions.push_back(action);
}

/// Raises the panel, as it may be behind another tab.
void PanelDocks::goTo(QDockWidget &dock)
{
    const QWidget *focused = QApplication::focusWidget();
    if (!dock.isHidden() && focused && dock.isAncestorOf(focused)) {
        dock.hide();
        Q_EMIT focusLost();
    } else {
        dock.show();
        dock.raise();
        focusOf(dock)->setFocus(Qt::ShortcutFocusReason);
    }
    for (std::size_t i = 0; i < m_actions.size(); ++i) // restore what the click has toggled
        m_actions[i]->setChecked(!this->dock(m_panels[i]->facts().key).isHidden());
}

QDockWidget &PanelDocks::dock(const QString &key) const
{
    return *m_docks.at(key);
}

void PanelDocks::raise(const QString &key)
{
    dock(key).show();
    dock(key).raise();
    Q_EMIT raised();
}

void PanelDocks::reset()
{
    m_window.restoreState(m_first, panelsVersion);
}

void PanelDocks::setSnapshot(const SnapshotPointer &shown)
{
    for (const PanelPointer &panel : m_panels)
        panel->setSnapshot(shown);
    updateHints();
}

void PanelDocks::setTheme(const std::shared_ptr<const Theme> &theme)
{
    for (const PanelPointer &panel : m_panels)
        panel->setTheme(theme);
}

void PanelDocks::updateHints()
{
    for (const PanelPointer &panel : m_panels)
        panel->showHint(panel->hint());
}

void PanelDocks::restore(const QSettings &settings)
{
    m_window.restoreState(settings.value(QStringLiteral("window/panels")).toByteArray(),
                          panelsVersion);
    for (const PanelPointer &panel : m_panels)
        panel->restore(settings);
}

void PanelDocks::save(QSettings &settings) const
{
    settings.setValue(QStringLiteral("window/panels"), m_window.saveState(panelsVersion));
    for (const PanelPointer &panel : m_panels)
        panel->save(settings);
}

bool PanelDocks::isBusy() const
{
    return std::ranges::any_of(m_panels, [](const PanelPointer &panel) { return panel->isBusy(); });
}

} // namespace graphloom

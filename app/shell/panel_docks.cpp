// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/panel_docks.h"

#include "app/docks/dock_areas.h"
#include "app/docks/in_sight.h"
#include "app/docks/panel_area.h"
#include "app/style/icons.h"
#include "app/workbench/workbench.h"

#include <QApplication>
#include <QDockWidget>
#include <QLayout>
#include <QMainWindow>

#include <algorithm>

namespace graphloom {

namespace {

constexpr int topHeight = 520, belowHeight = 380; // of the places at the left, in proportion
// Version of the saved layout of panels; a new number discards the saved one.
constexpr int panelsVersion = 9;
const QString stateKey = QStringLiteral("window/panels"),
              sizesKey = QStringLiteral("window/panelSizes");

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
    : m_window(window), m_panels(makePanels(bench)), m_sizes(window),
      m_maximized(window, panelsVersion)
{
    for (const PanelPointer &panel : m_panels) {
        auto *dock = new QDockWidget(panel->facts().title, &window);
        dock->setObjectName(panel->facts().key);
        dock->setWindowIcon(themedIcon(panel->facts().icon));
        dock->setWidget(new PanelArea(panel->widget()));
        window.addDockWidget(areaOf(panel->facts().spot), dock);
        m_docks[panel->facts().key] = dock;
        connect(dock, &QDockWidget::visibilityChanged, this,
                [this, outdated = panel.get()](bool visible) {
                    if (visible)
                        update(*outdated);
                });
    }
    m_updating.setSingleShot(true);
    m_updating.setInterval(0);
    connect(&m_updating, &QTimer::timeout, this, &PanelDocks::updateNext);
    arrange();
    for (const PanelPointer &panel : m_panels)
        addAction(dock(panel->facts().key));
    m_tabs = std::make_unique<DockTabs>(window);
    m_last = &dock(QStringLiteral("partition"));
    connectBench(bench);
    connectMaximizing(bench);
}

void PanelDocks::connectBench(Workbench &bench)
{
    connect(&bench, &Workbench::panelWanted, this, &PanelDocks::raise);
    connect(&bench, &Workbench::heightWanted, this,
            [this](const QString &key, int pixels) { m_sizes.makeHigher(dock(key), pixels); });
    connect(&bench, &Workbench::graphShown, this, &PanelDocks::setSnapshot);
    connect(qApp, &QApplication::focusChanged, this,
            [this](QWidget *, const QWidget *focused) { noteFocus(focused); });
}

void PanelDocks::connectMaximizing(Workbench &bench)
{
    QAction *action = bench.actions.maximizePanel;
    connect(action, &QAction::triggered, this, [this, action] {
        toggleMaximized();
        action->setChecked(m_maximized.isOn());
    });
    connect(m_tabs.get(), &DockTabs::clicked, this, [this](QDockWidget *dock) { m_last = dock; });
    connect(m_tabs.get(), &DockTabs::maximizeWanted, this,
            [this](QDockWidget *dock) { m_maximized.toggle(*dock); });
    connect(&m_maximized, &MaximizedArea::changed, this, [this, action](bool on) {
        action->setChecked(on);
        m_tabs->setMaximized(on);
        m_sizes.setSuspended(on);
        m_sizes.apply();
    });
    // Everything that is about the graph needs to show it.
    const auto restore = [this] { m_maximized.restore(); };
    for (const QAction *shown : {bench.actions.find, bench.actions.tour})
        connect(shown, &QAction::triggered, this, restore);
    connect(&bench, &Workbench::modelChanged, this, restore);
    connect(&bench, &Workbench::activated, this, restore);
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
    m_window.layout()->setEnabled(false); // it would be laid out after each tab
    for (const auto &[spot, docks] : spots)
        for (std::size_t i = 1; i < docks.size(); ++i)
            m_window.tabifyDockWidget(docks[i - 1], docks[i]);
    m_window.layout()->setEnabled(true);
    for (const PanelPointer &panel : m_panels)
        if (panel->facts().isHidden)
            dock(panel->facts().key).hide();
    for (const auto &[spot, docks] : spots)
        docks.front()->raise();
    using Spot = Panel::Spot;
    m_window.resizeDocks({spots[Spot::LeftTop].front(), spots[Spot::LeftBottom].front()},
                         {topHeight, belowHeight}, Qt::Vertical);
    m_sizes.apply();
    m_first = m_window.saveState(panelsVersion);
}

void PanelDocks::addAction(QDockWidget &dock)
{
    QAction *action = makeAction(
        m_window, "", dock.windowTitle(), {keyOfPanel(m_actions.size())},
        tr("Go to the panel %1, or hide it when it has the focus").arg(dock.windowTitle()));
    action->setIcon(dock.windowIcon());
    const auto nameKeys = [action, &dock] {
        const QString key = action->shortcut().toString(QKeySequence::NativeText);
        dock.toggleViewAction()->setToolTip( // of its tab, too
            key.isEmpty() ? dock.windowTitle()
                          : QStringLiteral("%1 (%2)").arg(dock.windowTitle(), key));
    };
    nameKeys();
    connect(action, &QAction::changed, &dock, nameKeys); // the user may choose other keys
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
        m_maximized.makeRoomFor(dock);
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

void PanelDocks::noteFocus(const QWidget *focused)
{
    for (const auto &[key, dock] : m_docks)
        if (focused && dock->isAncestorOf(focused))
            m_last = dock;
}

/// Maximizes the place of the panel that the user or the program has come to last, or else of one
/// that can be seen.
void PanelDocks::toggleMaximized()
{
    QDockWidget *wanted = m_last;
    for (const PanelPointer &panel : m_panels)
        if (!isDocked(*wanted))
            wanted = &dock(panel->facts().key);
    m_maximized.toggle(*wanted);
}

void PanelDocks::raise(const QString &key)
{
    if (!m_window.isWindow() && m_window.isHidden()) { // a tab behind another one
        m_wanted = key;
        return;
    }
    m_maximized.makeRoomFor(dock(key));
    dock(key).show();
    dock(key).raise();
    m_last = &dock(key);
    Q_EMIT raised();
}

void PanelDocks::reset()
{
    m_maximized.forget();
    m_window.restoreState(m_first, panelsVersion);
    m_sizes.reset();
    m_sizes.apply();
}

void PanelDocks::setSnapshot(const SnapshotPointer &shown)
{
    m_shown = shown;
    m_outdated.clear();
    for (const PanelPointer &panel : m_panels)
        if (!isInSight(dock(panel->facts().key)) && m_window.isVisible())
            m_outdated.push_back(panel.get());
        else
            panel->setSnapshot(shown);
    updateHints();
    if (!m_outdated.empty())
        m_updating.start();
}

/// Gives a panel the snapshot that is shown, if it does not have it.
void PanelDocks::update(Panel &panel)
{
    if (std::erase(m_outdated, &panel) > 0) {
        panel.setSnapshot(m_shown);
        panel.showHint(panel.hint());
    }
}

void PanelDocks::updateNext()
{
    if (!m_outdated.empty())
        update(*m_outdated.front());
    if (!m_outdated.empty())
        m_updating.start();
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
    if (m_window.restoreState(settings.value(stateKey).toByteArray(), panelsVersion))
        m_sizes.restore(settings.value(sizesKey).toList());
    m_sizes.apply();
    for (const PanelPointer &panel : m_panels)
        panel->restore(settings);
}

void PanelDocks::save(QSettings &settings) const
{
    settings.setValue(stateKey, m_maximized.state());
    settings.setValue(sizesKey, m_sizes.save());
    for (const PanelPointer &panel : m_panels)
        panel->save(settings);
}

PanelLayout PanelDocks::layout() const
{
    PanelLayout layout{m_maximized.state(), m_sizes.save(), {}};
    if (const QDockWidget *front = m_maximized.front())
        layout.maximized = front->objectName();
    return layout;
}

void PanelDocks::setLayout(const PanelLayout &layout)
{
    if (layout == this->layout())
        return;
    m_maximized.forget();
    m_window.restoreState(layout.state, panelsVersion);
    m_sizes.restore(layout.sizes);
    m_sizes.apply();
    if (!layout.maximized.isEmpty())
        m_maximized.toggle(dock(layout.maximized));
}

void PanelDocks::raiseWanted()
{
    if (const QString key = std::exchange(m_wanted, {}); !key.isEmpty())
        raise(key);
}

void PanelDocks::hideFloating()
{
    for (const auto &[key, dock] : m_docks)
        if (dock->isFloating())
            dock->hide();
}

bool PanelDocks::isBusy() const
{
    return !m_outdated.empty() ||
           std::ranges::any_of(m_panels, [](const PanelPointer &panel) { return panel->isBusy(); });
}

} // namespace graphloom

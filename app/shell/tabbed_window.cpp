// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/tabbed_window.h"

#include "app/common/format.h"
#include "app/exchange/offers.h"
#include "app/shell/application.h"
#include "app/shell/main_window.h"
#include "app/tabs/tab_row.h"
#include "app/tabs/tab_titles.h"
#include "app/tabs/window_place.h"

#include <QEvent>
#include <QMenu>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace graphloom {

namespace {

constexpr int endInterval = 50, faceInterval = 100; // milliseconds

} // namespace

TabbedWindow::TabbedWindow(MainWindowOptions options) : TabbedWindow(std::move(options), nullptr)
{
    current().bench().documents.tellWhatIsWrong();
}

TabbedWindow::TabbedWindow(MainWindowOptions options, MainWindow *first)
    : m_options(std::move(options)), m_bar(new ModelTabBar(this)), m_stack(new QStackedWidget)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);
    m_bar->hide();
    m_endPatience.setInterval(endInterval);
    connect(&m_endPatience, &QTimer::timeout, this, &TabbedWindow::freeEnded);
    m_facePatience.setSingleShot(true);
    m_facePatience.setInterval(faceInterval);
    connect(&m_facePatience, &QTimer::timeout, this, &TabbedWindow::updateFaces);
    connectBar();
    auto *place = new DropPlace(
        *this, [this](const QMimeData &dropped) { return offerOf(dropped, current().bench()); });
    connect(place, &DropPlace::refused, this,
            [this](const QString &reason) { current().bench().warnNow(reason); });
    if (first)
        adopt(*first);
    else
        addTab();
    restorePlace(*this, *current().bench().settings);
}

TabbedWindow::~TabbedWindow()
{
    m_bar->disconnect(this);
    m_shown = nullptr;
    const std::vector<MainWindow *> tabs = this->tabs();
    while (count() > 0)
        m_bar->removeTab(0);
    for (MainWindow *tab : tabs) {
        tab->setHost(nullptr);
        delete tab;
    }
}

void TabbedWindow::connectBar()
{
    connect(m_bar, &QTabBar::currentChanged, this, &TabbedWindow::showCurrent);
    connect(m_bar, &ModelTabBar::menuWanted, this, &TabbedWindow::showMenu);
    connect(m_bar, &ModelTabBar::closeWanted, this,
            [this](int index) { closeTabs({&tab(index)}); });
}

MainWindow &TabbedWindow::tab(int index) const
{
    return *static_cast<MainWindow *>(m_bar->pageOf(index));
}

MainWindow &TabbedWindow::current() const
{
    return tab(m_bar->currentIndex());
}

std::vector<MainWindow *> TabbedWindow::tabs() const
{
    std::vector<MainWindow *> tabs;
    for (int index = 0; index < count(); ++index)
        tabs.push_back(&tab(index));
    return tabs;
}

std::vector<MainWindow *> TabbedWindow::besides(const MainWindow &tab) const
{
    std::vector<MainWindow *> others = tabs();
    std::erase(others, &tab);
    return others;
}

MainWindow &TabbedWindow::addTab()
{
    if (m_shown)
        m_shown->saveSettings(); // the new tab starts with them
    auto *tab = new MainWindow(m_options, m_stack);
    adopt(*tab);
    return *tab;
}

/// Makes a window a tab of this one.
void TabbedWindow::adopt(MainWindow &tab)
{
    m_stack->addWidget(&tab);
    if (m_shown && m_shown->themeChoice() != tab.themeChoice())
        tab.setTheme(m_shown->themeChoice());
    tab.setHost(this);
    tab.tabRow().installEventFilter(this);
    connectTab(tab);
    m_bar->add(&tab); // the first one is shown now
    updateBar();
}

void TabbedWindow::connectTab(MainWindow &tab)
{
    const Actions &a = tab.actions();
    const auto on = [this](QAction *action, auto slot) {
        connect(action, &QAction::triggered, this, slot);
    };
    on(a.quit, [this] { QWidget::close(); });
    on(a.newWindow, &TabbedWindow::openWindow);
    on(a.nextTab, [this] { step(1); });
    on(a.previousTab, [this] { step(-1); });
    on(a.reopen, &TabbedWindow::reopen);
    on(a.closeOthers, [this, &tab] { closeTabs(besides(tab)); });
    on(a.moveTab, [this, &tab] { moveToWindow(tab); });
    connect(&tab, &QWidget::windowTitleChanged, this, [this, &tab] {
        if (&tab == m_shown)
            setWindowTitle(tab.windowTitle());
        updateFaces();
    });
    connect(&tab, &MainWindow::themeChosen, this, [this, &tab](ThemeChoice choice) {
        for (MainWindow *other : besides(tab))
            if (other->themeChoice() != choice)
                other->setTheme(choice);
    });
    const auto refresh = [this, &tab] {
        for (MainWindow *other : besides(tab))
            other->refreshRecent();
    };
    DocumentController &documents = tab.bench().documents;
    connect(&documents, &DocumentController::used, this, refresh);
    connect(&documents, &DocumentController::vanished, this, refresh);
    connect(&documents, &DocumentController::recovered, this,
            [this, &tab] { replaceUnchanged(tab); });
    const auto wait = [this] {
        if (!m_facePatience.isActive())
            m_facePatience.start(); // short work leaves no trace
    };
    connect(&tab.bench().jobs, &JobList::changed, this, wait);
    connect(&tab.session(), &Session::modified, this, wait);
    connect(&tab.session(), &Session::openingStarted, this, wait);
    connect(
        &tab.session(), &Session::openingFinished, this,
        [this, &tab](bool succeeded) { endOpening(tab, succeeded); }, Qt::QueuedConnection);
}

void TabbedWindow::bringToFront(MainWindow &tab)
{
    m_bar->setCurrentIndex(m_bar->tabOf(&tab));
}

/// Shows the tab that became the current one, with the panels where they were.
void TabbedWindow::showCurrent()
{
    if (m_bar->currentIndex() < 0)
        return;
    MainWindow &next = current();
    MainWindow *before = std::exchange(m_shown, &next);
    if (before == &next)
        return;
    std::optional<PanelLayout> layout;
    if (before) {
        layout = before->panels().layout();
        before->panels().hideFloating();
        next.bench().documents.takeLeftWork(before->bench().documents);
        next.resize(m_stack->size());
    }
    // Otherwise Qt tells every widget of every tab that it is not updated for the moment.
    m_stack->setAttribute(Qt::WA_UpdatesDisabled, true);
    m_stack->setCurrentWidget(&next);
    m_stack->setAttribute(Qt::WA_UpdatesDisabled, false);
    m_stack->update();
    if (layout)
        next.panels().setLayout(*layout);
    next.panels().raiseWanted();
    setWindowTitle(next.windowTitle());
    placeBar();
    if (m_bar->hasFocus())
        return; // arrow keys go on there
    if (QWidget *focus = next.focusWidget())
        focus->setFocus();
    else
        next.centralWidget()->setFocus();
}

void TabbedWindow::step(int by)
{
    m_bar->setCurrentIndex((m_bar->currentIndex() + by + count()) % count());
}

std::vector<DocumentHost::OpenModel> TabbedWindow::others(const Workbench &bench) const
{
    const QStringList paths = this->paths(), titles = tabTitles(paths);
    std::vector<OpenModel> models;
    for (int index = 0; index < count(); ++index) {
        const Workbench &other = tab(index).bench();
        if (&other != &bench && other.session.snapshot())
            models.push_back({titles[index], paths[index], other.session.snapshot()->plan});
    }
    return models;
}

TabbedWindow *TabbedWindow::openWindow()
{
    m_shown->saveSettings(); // the new window starts with them
    savePlace(*this, *m_shown->bench().settings);
    auto *other = new TabbedWindow(m_options, nullptr);
    other->setAttribute(Qt::WA_DeleteOnClose);
    showOnScreen(*other);
    return other;
}

TabbedWindow *TabbedWindow::moveToWindow(MainWindow &tab)
{
    if (count() == 1)
        return this;
    const PanelLayout layout = m_shown->panels().layout();
    savePlace(*this, *m_shown->bench().settings);
    tab.panels().hideFloating();
    release(tab);
    auto *other = new TabbedWindow(m_options, &tab);
    other->setAttribute(Qt::WA_DeleteOnClose);
    constexpr QPoint offset(40, 40); // so that both can be seen
    other->move(pos() + offset);
    showOnScreen(*other);
    tab.panels().setLayout(layout);
    return other;
}

void TabbedWindow::showMenu(int index, const QPoint &globalPlace)
{
    MainWindow &tab = this->tab(index);
    const Actions &a = tab.actions();
    auto *menu = new QMenu(m_bar);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("tabMenu"));
    // The tab's own commands, also if it is not shown.
    menu->addActions({a.close, a.closeOthers});
    menu->addSeparator();
    menu->addActions({a.copyPath, a.showInFolder});
    menu->addSeparator();
    menu->addAction(a.moveTab);
    menu->popup(globalPlace);
}

/// Shows the bar if there are several tabs, in the row that the current one keeps free for it.
void TabbedWindow::updateBar()
{
    updateFaces();
    updateReopen();
    const bool isWanted = count() > 1;
    for (MainWindow *tab : tabs()) {
        tab->tabRow().setRoom(isWanted ? m_bar->sizeHint().height() : 0);
        tab->bench().updateActions();
    }
    m_bar->setVisible(isWanted);
    placeBar();
}

/// Returns the path of each tab's model, empty without one.
QStringList TabbedWindow::paths() const
{
    QStringList paths;
    for (MainWindow *tab : tabs())
        paths << absolutePath(tab->bench().documents.file());
    return paths;
}

void TabbedWindow::updateFaces()
{
    const QStringList paths = this->paths(), titles = tabTitles(paths);
    for (int index = 0; index < count(); ++index) {
        const Workbench &bench = tab(index).bench();
        const QString &path = paths[index];
        ModelTabBar::Face face{path.isEmpty() ? tr("Start page") : titles[index], path,
                               bench.session.isModified(), bench.isAtWork()};
        if (face.isModified)
            face.toolTip += '\n' + tr("Unsaved changes");
        for (const Job &job : bench.jobs.jobs())
            face.toolTip += '\n' + job.text();
        m_bar->setFace(index, face);
    }
}

/// Lets every tab offer the tab that was closed last, and name its file.
void TabbedWindow::updateReopen()
{
    const ClosedTabs::Tab *last = m_closed.last();
    for (MainWindow *tab : tabs()) {
        QAction &reopen = *tab->actions().reopen;
        QString meaning = reopen.whatsThis();
        if (last)
            meaning += QStringLiteral(": ") + absolutePath(last->file);
        reopen.setEnabled(last != nullptr);
        setMeaning(reopen, meaning);
    }
}

void TabbedWindow::placeBar()
{
    if (!m_shown)
        return;
    const TabRow &row = m_shown->tabRow();
    m_bar->setGeometry(0, row.mapTo(this, QPoint()).y(), width(), row.height());
    m_bar->raise();
}

bool TabbedWindow::eventFilter(QObject *watched, QEvent *event)
{
    if (m_shown && watched == &m_shown->tabRow() &&
        (event->type() == QEvent::Resize || event->type() == QEvent::Move ||
         event->type() == QEvent::Show))
        placeBar();
    return QWidget::eventFilter(watched, event);
}

void TabbedWindow::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::ThemeChange) // of the desktop theme
        if (auto *application = qobject_cast<Application *>(QCoreApplication::instance())) {
            application->lookAtSystem();
            m_options.systemIsDark = application->systemIsDark();
            for (MainWindow *tab : tabs())
                tab->setSystemIsDark(application->systemIsDark());
        }
    QWidget::changeEvent(event);
}

} // namespace graphloom

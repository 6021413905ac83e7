// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/main_window.h"

#include "app/exchange/offers.h"
#include "app/graph/canvas_page.h"
#include "app/help/command_palette.h"
#include "app/help/help_view.h"
#include "app/help/key_list.h"
#include "app/help/key_rows.h"
#include "app/help/welcome_page.h"
#include "app/preferences/window_preferences.h"
#include "app/session/recent_files.h"
#include "app/shell/application.h"
#include "app/shell/document_dialogs.h"
#include "app/shell/graph_area.h"
#include "app/shell/menus.h"
#include "app/shell/panel_docks.h"
#include "app/shell/status_line.h"
#include "app/shell/view_exports.h"
#include "app/shell/window_tour.h"
#include "app/style/appearance.h"
#include "app/style/links.h"
#include "app/tabs/document_host.h"
#include "app/tabs/tab_row.h"
#include "app/tabs/window_place.h"
#include "app/toasts/toast_stack.h"
#include "app/widgets/filtered_table.h"

#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QFileDialog>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QTableView>
#include <QToolTip>

#include <algorithm>

namespace graphloom {

namespace {

const QString groupingKey = QStringLiteral("view/boxes"), themeKey = QStringLiteral("theme");
const char *const themeNames[] = {"system", "dark", "light"}; // by ThemeChoice

/// Lists the toggles that are kept in the settings.
std::vector<std::pair<QAction *, QString>> keptToggles(const Actions &a)
{
    return {{a.minimap, QStringLiteral("view/minimap")},
            {a.legend, QStringLiteral("view/legend")},
            {a.columns, QStringLiteral("view/columns")}};
}

} // namespace

MainWindow::MainWindow(MainWindowOptions options, QWidget *parent)
    : QMainWindow(parent), m_systemIsDark(options.systemIsDark), m_bench(std::move(options), *this),
      m_area(new GraphArea(m_bench)), m_tabRow(new TabRow(tr("Open models"))),
      m_commands(new CommandPalette(this)),
      m_toasts(new ToastStack(*m_area, [this] { return m_area->toastPlace(); }))
{
    if (parent)
        setWindowFlags(Qt::Widget);
    setWindowTitle(QStringLiteral("Graphloom"));
    setCentralWidget(m_area);
    m_docks = std::make_unique<PanelDocks>(*this, m_bench);
    const OpenMenus menus = makeMenus(*this, m_bench, m_docks->actions());
    m_recent = std::make_unique<RecentFiles>(*m_bench.settings, *menus.recent);
    makeToolBar(*this, m_bench);
    addToolBarBreak();
    addToolBar(m_tabRow);
    // What other tabs show changes without notice.
    const auto list = [this, models = menus.openModels] { listOpenModels(*models); };
    connect(static_cast<QMenu *>(menus.openModels->parentWidget()), &QMenu::aboutToShow, this,
            list);
    connect(menus.openModels, &QMenu::aboutToShow, this, list);
    list();
    m_status = std::make_unique<StatusLine>(*this, m_bench);
    m_dialogs = std::make_unique<DocumentDialogs>(*this, m_bench, *m_area);
    m_tour = std::make_unique<WindowTour>(*this, m_bench, *m_area, *m_docks);
    listExports();
    connectActions();
    connectDocuments();
    connectToasts();
    connectExchange();
    m_commands->setActions(allCommands());
    m_preferences = std::make_unique<WindowPreferences>(*this, m_bench, allCommands());
    connectPreferences();
    restoreSettings();
    applyTheme();
    if (isWindow())
        m_bench.documents.tellWhatIsWrong(); // once in a window with tabs
    m_bench.updateActions();
    m_docks->updateHints();
}

MainWindow::~MainWindow()
{
    // While the commands that they use are there; a dialog may hold another one.
    while (const QDialog *dialog = findChild<QDialog *>())
        delete dialog;
}

CanvasPage &MainWindow::page()
{
    return m_area->page();
}

void MainWindow::connectActions()
{
    const Actions &a = m_bench.actions;
    const auto on = [this](QAction *action, auto slot) {
        connect(action, &QAction::triggered, this, slot);
    };
    if (isWindow()) {
        on(a.newWindow, &MainWindow::openWindow);
        on(a.quit, &MainWindow::close);
    }
    on(a.themeSystem, [this] { setTheme(ThemeChoice::System); });
    on(a.themeDark, [this] { setTheme(ThemeChoice::Dark); });
    on(a.themeLight, [this] { setTheme(ThemeChoice::Light); });
    on(a.nextTheme, [this] { setTheme(m_theme->dark ? ThemeChoice::Light : ThemeChoice::Dark); });
    on(a.commands, [this] {
        m_commands->open(m_tabRow->isVisible() ? m_tabRow->geometry().bottom() + 1
                                               : CommandPalette::usualTop);
    });
    on(a.keys, &MainWindow::showKeys);
    on(a.about, &MainWindow::showAbout);
    on(a.resetLayout, [this] { m_docks->reset(); });
    on(a.cancel, [this] { m_exports->cancel(); });
    // Keep the palette above the panels, which a change of tabs raises.
    connect(m_docks.get(), &PanelDocks::raised, m_commands, &CommandPalette::raise);
    connect(m_docks.get(), &PanelDocks::focusLost, this,
            [this] { m_area->currentWidget()->setFocus(); });
    connect(m_area, &GraphArea::settled, this, &MainWindow::settled);
    connect(&m_bench, &Workbench::settled, this, &MainWindow::settled);
    connect(&m_bench, &Workbench::refused, this,
            [this](const QString &message) { m_bench.warn(message); });
    connect(&m_bench.training, &TrainingController::made, this,
            [this](const std::shared_ptr<const Plan> &plan) {
                DocumentHost *host = m_bench.documents.host;
                (host ? host->emptyBench().session : openWindow()->session()).show(plan);
            });
    view<HelpView>().addPage(QStringLiteral("keys"), [this] {
        return QStringLiteral("# %1\n\n[%2](index.md)\n").arg(tr("Keys"), tr("Contents")) +
               markdownOf(keyRowsOf(*this, allCommands()));
    });
}

void MainWindow::connectDocuments()
{
    DocumentController &documents = m_bench.documents;
    WelcomePage &welcome = m_area->welcome();
    const auto open = [&documents](const QString &path) {
        documents.openFiles({path.toStdString()});
    };
    connect(&documents, &DocumentController::titleChanged, this,
            [this] { setWindowTitle(m_bench.documents.title()); });
    connect(&documents, &DocumentController::used, m_recent.get(), &RecentFiles::add);
    connect(&documents, &DocumentController::vanished, m_recent.get(), &RecentFiles::remove);
    connect(m_recent.get(), &RecentFiles::chosen, this, open);
    connect(m_recent.get(), &RecentFiles::changed, this,
            [this, &welcome] { welcome.setRecent(m_recent->paths()); });
    connect(&welcome, &WelcomePage::chosen, this, open);
    connect(&welcome, &WelcomePage::sampleWanted, this,
            [&documents] { documents.openFiles({sampleModel()}); });
    welcome.setRecent(m_recent->paths());
}

void MainWindow::connectToasts()
{
    QAction *go = m_bench.actions.notification;
    connect(&m_bench, &Workbench::fileWritten, m_toasts, &ToastStack::showFile);
    connect(&m_bench, &Workbench::fileNotWritten, m_toasts, &ToastStack::showError);
    connect(go, &QAction::triggered, m_toasts, &ToastStack::takeFocus);
    const auto enable = [this, go] { go->setEnabled(!m_toasts->isEmpty()); };
    connect(m_toasts, &ToastStack::emptyChanged, this, enable);
    connect(m_area, &GraphArea::currentChanged, m_toasts, &ToastStack::place);
    enable();
}

/// Takes what is dropped and pasted.
void MainWindow::connectExchange()
{
    const auto judge = [this](const QMimeData &dropped) { return offerOf(dropped, m_bench); };
    for (QWidget *place : {static_cast<QWidget *>(this), static_cast<QWidget *>(&page())})
        connect(new DropPlace(*place, judge), &DropPlace::refused, &m_bench, &Workbench::warnNow);
    connect(m_bench.actions.paste, &QAction::triggered, this, [this, judge] {
        const QMimeData *copied = QApplication::clipboard()->mimeData();
        const std::optional<Offer> offer = copied ? judge(*copied) : std::nullopt;
        if (offer && offer->take)
            offer->take();
        else
            m_bench.warnNow(offer ? offer->text
                                  : tr("The clipboard has no file to open, and no table of nodes "
                                       "(CSV or JSON)"));
    });
}

/// Applies what is chosen in this window to all windows, which share the settings.
void MainWindow::connectPreferences()
{
    const auto inOthers = [this](auto apply) {
        for (QWidget *widget : QApplication::allWidgets()) // in tabs, too
            if (auto *window = qobject_cast<MainWindow *>(widget); window && window != this)
                apply(*window);
    };
    WindowPreferences *preferences = m_preferences.get();
    connect(preferences, &WindowPreferences::appearanceChanged, this, [this, inOthers] {
        inOthers([](MainWindow &window) {
            window.applyTheme();
            window.m_preferences->refresh();
        });
        applyTheme(); // last: the palette of the program is that of the window in use
    });
    connect(preferences, &WindowPreferences::shortcutsChanged, this, [inOthers] {
        inOthers([](MainWindow &window) { window.m_preferences->shortcuts().readAgain(); });
    });
    connect(preferences, &WindowPreferences::defaultsChanged, this,
            [this, inOthers](const Defaults &before, const Defaults &now) {
                Q_EMIT m_bench.defaultsChanged(before, now);
                inOthers([&](MainWindow &window) {
                    Q_EMIT window.m_bench.defaultsChanged(before, now);
                    window.m_preferences->refresh();
                });
            });
}

void MainWindow::listExports()
{
    std::vector<ViewExport> views{m_area->exports()};
    const Actions &a = m_bench.actions;
    const QList<QAction *> actions{a.copyPicture, a.exportPicture, a.exportTable};
    for (const PanelPointer &panel : m_docks->panels()) {
        for (ViewExport &view : panel->exports()) {
            if (view.key == QLatin1String("nodes"))
                views.front().table = view.table; // for the same nodes
            views.push_back(std::move(view));
        }
        for (QWidget *view : panel->exportedViews()) {
            view->addActions(actions);
            view->setContextMenuPolicy(Qt::ActionsContextMenu);
        }
    }
    for (FilteredTable *table : findChildren<FilteredTable *>())
        table->table().addActions(actions);
    m_exports = std::make_unique<ViewExports>(*this, m_bench, std::move(views));
}

std::vector<QAction *> MainWindow::allCommands() const
{
    std::vector<QAction *> commands = m_bench.actions.all();
    for (const auto &more : {m_bench.edits.all(), m_bench.fissionEdits.all(), m_docks->actions()})
        commands.insert(commands.end(), more.begin(), more.end());
    return commands;
}

void MainWindow::restoreSettings()
{
    const QSettings &settings = *m_bench.settings;
    if (isWindow())
        restorePlace(*this, settings);
    m_docks->restore(settings);
    for (const auto &[action, key] : keptToggles(m_bench.actions))
        action->setChecked(settings.value(key, action->isChecked()).toBool());
    m_bench.view.choose(
        Grouping(std::clamp(settings.value(groupingKey, int(Grouping::Blocks)).toInt(),
                            int(Grouping::None), int(Grouping::Fissions))));
    const auto name = settings.value(themeKey).toString();
    const auto *const named = std::ranges::find(
        themeNames, name, [](const char *theme) { return QString(QLatin1String(theme)); });
    m_themeChoice = m_bench.options.theme.value_or(
        named == std::end(themeNames) ? ThemeChoice::System : ThemeChoice(named - themeNames));
}

void MainWindow::saveSettings()
{
    QSettings &settings = *m_bench.settings;
    if (isWindow())
        savePlace(*this, settings);
    m_docks->save(settings);
    for (const auto &[action, key] : keptToggles(m_bench.actions))
        settings.setValue(key, action->isChecked());
    settings.setValue(groupingKey, int(m_bench.drawings.options().grouping));
    settings.setValue(themeKey, QLatin1String(themeNames[int(m_themeChoice)]));
}

MainWindow *MainWindow::openWindow()
{
    saveSettings(); // the new window starts with them
    MainWindowOptions options = m_bench.options;
    options.systemIsDark = m_systemIsDark;
    auto *other = new MainWindow(std::move(options));
    other->setAttribute(Qt::WA_DeleteOnClose);
    showOnScreen(*other);
    return other;
}

void MainWindow::setHost(DocumentHost *host)
{
    m_bench.documents.host = host;
    m_bench.updateActions();
}

void MainWindow::refreshRecent()
{
    m_recent->refresh();
}

/// Lists the models of other tabs to compare with.
void MainWindow::listOpenModels(QMenu &menu)
{
    menu.clear();
    if (const DocumentHost *host = m_bench.documents.host)
        for (const DocumentHost::OpenModel &model : host->others(m_bench)) {
            QAction *action =
                menu.addAction(QString(model.name).replace('&', QStringLiteral("&&")));
            action->setToolTip(model.path);
            // The menu must not keep the plans of tabs that are closed before it opens again.
            connect(action, &QAction::triggered, this,
                    [this, name = model.name, path = model.path, plan = std::weak_ptr(model.plan)] {
                        if (const auto open = plan.lock())
                            m_bench.comparison.compareWithOpen(open, name, path.toStdString());
                        else
                            m_bench.warnNow(tr("%1 is no longer open").arg(name));
                    });
        }
    menu.setEnabled(!menu.isEmpty() && m_bench.actions.compareFile->isEnabled());
}

void MainWindow::setTheme(ThemeChoice choice)
{
    m_themeChoice = choice;
    applyTheme();
    Q_EMIT themeChosen(choice);
}

void MainWindow::setSystemIsDark(bool dark)
{
    if (std::exchange(m_systemIsDark, dark) != dark && m_themeChoice == ThemeChoice::System)
        applyTheme();
}

void MainWindow::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::ThemeChange) // of the desktop theme
        if (auto *application = qobject_cast<Application *>(QCoreApplication::instance())) {
            application->lookAtSystem();
            setSystemIsDark(application->systemIsDark());
        }
    QMainWindow::changeEvent(event);
}

void MainWindow::applyTheme()
{
    const Actions &a = m_bench.actions;
    const bool dark = m_themeChoice == ThemeChoice::Dark ||
                      (m_themeChoice == ThemeChoice::System && m_systemIsDark);
    auto theme = loadTheme(dark ? QStringLiteral("dark") : QStringLiteral("light"));
    if (!theme) {
        m_bench.tell(MessageModel::Severity::Error, QString::fromStdString(theme.error().text()));
        return;
    }
    const Appearance appearance = appearanceIn(*m_bench.settings);
    apply(appearance, *theme);
    applyFont(appearance);
    m_theme = std::make_shared<const Theme>(*std::move(theme));
    QApplication::setPalette(m_theme->palette);
    QToolTip::setPalette(m_theme->palette);
    refreshLinks(*this);
    m_area->setTheme(m_theme);
    m_docks->setTheme(m_theme);
    m_exports->setTheme(m_theme);
    (m_themeChoice == ThemeChoice::System ? a.themeSystem
     : dark                               ? a.themeDark
                                          : a.themeLight)
        ->setChecked(true);
}

bool MainWindow::isSettled() const
{
    return !m_bench.isBusy() && !m_exports->isRunning() && !m_docks->isBusy() &&
           m_area->isSettled();
}

void MainWindow::showKeys()
{
    if (!m_keys) {
        m_keys = new KeyList(this);
        connect(m_keys, &KeyList::documentWanted, this, [this] {
            auto *dialog = new QFileDialog(m_keys, tr("Save shortcuts as PDF"));
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            dialog->setAcceptMode(QFileDialog::AcceptSave);
            dialog->setNameFilters({tr("PDF documents (*.pdf)")});
            dialog->setDefaultSuffix(QStringLiteral("pdf"));
            dialog->selectFile(QStringLiteral("graphloom-keys.pdf"));
            connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
                const std::filesystem::path file = path.toStdString();
                m_bench.documents.write(
                    file, [rows = m_keys->model().rows(), file](const std::stop_token &) {
                        return printKeys(rows, file);
                    });
            });
            dialog->show();
        });
    }
    m_keys->setRows(keyRowsOf(*this, allCommands()));
    m_keys->open();
}

void MainWindow::showAbout()
{
    auto *box = new QMessageBox(
        QMessageBox::NoIcon, tr("About Graphloom"),
        tr("<h3>Graphloom %1</h3><p>A workbench for deep-learning graph optimization.</p>"
           "<p>The window is under GPL 3.0 or later, engine and plugins under Apache 2.0.</p>"
           "<p>Qt %2</p>")
            .arg(QStringLiteral(GRAPHLOOM_VERSION), QString::fromLatin1(qVersion())),
        QMessageBox::Close, this);
    box->setIconPixmap(windowIcon().pixmap(64, 64));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setModal(false);
    box->show();
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (!m_mayClose && m_bench.documents.wouldLoseWork()) {
        event->ignore();
        m_bench.documents.whenNoWorkIsLost([this] {
            m_mayClose = true;
            close();
        });
        return;
    }
    saveSettings();
    endWork();
    QMainWindow::closeEvent(event);
}

void MainWindow::endWork()
{
    for (QDialog *dialog : findChildren<QDialog *>())
        if (dialog->isVisible())
            dialog->close();
    m_bench.cancelWork();
    for (const PassRun *run : m_bench.session.runs().runs())
        if (run->isActive())
            m_bench.session.runs().stop(run->number);
    m_exports->cancel();
    m_bench.session.discardJournal();
}

bool MainWindow::hasWork() const
{
    return m_bench.isBusy() || m_bench.isAtWork() || m_exports->isRunning() || m_docks->isBusy() ||
           !m_bench.jobs.jobs().empty();
}

} // namespace graphloom

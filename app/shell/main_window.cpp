// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does; main_window_setup.cpp is what it is made of, main_window_files.cpp how
// files come and go, main_window_graphs.cpp which graph is shown, main_window_blocks.cpp how it is
// fused and rewritten, main_window_view.cpp what part of it, main_window_kernels.cpp how it runs,
// main_window_tuning.cpp how its kernels are tuned, main_window_runs.cpp how passes run,
// main_window_memory.cpp what memory they take, main_window_compare.cpp how plans are compared,
// main_window_exports.cpp what of views leaves it,
// main_window_status.cpp what is said of it.
#include "app/shell/main_window.h"

#include "app/common/format.h"
#include "app/compare/compare_panel.h"
#include "app/drawing/legend.h"
#include "app/fusion/fusion_panel.h"
#include "app/fusion/partition_panel.h"
#include "app/graph/canvas_page.h"
#include "app/help/command_palette.h"
#include "app/help/help_view.h"
#include "app/help/welcome_page.h"
#include "app/kernels/kernel_panel.h"
#include "app/memory/memory_panel.h"
#include "app/nodes/node_list_panel.h"
#include "app/pareto/pareto_panel.h"
#include "app/query/search_bar.h"
#include "app/rewrite/rewrite_panel.h"
#include "app/run/call_timers.h"
#include "app/runs/pass_form.h"
#include "app/runs/pass_panel.h"
#include "app/runs/run_panel.h"
#include "app/session/recent_files.h"
#include "app/shell/application.h"
#include "app/shell/edit_actions.h"
#include "app/shell/fission_actions.h"

#include <QApplication>
#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QMessageBox>
#include <QStackedWidget>
#include <QTimer>
#include <QToolTip>

namespace graphloom {

namespace {

constexpr int busyPatience = 200; // milliseconds before a layout is announced

QString absolutePath(const std::filesystem::path &path)
{
    return QString::fromStdString(std::filesystem::absolute(path).string());
}

} // namespace

MainWindow::MainWindow(MainWindowOptions options, QWidget *parent)
    : QMainWindow(parent), m_options(std::move(options)),
      m_settings(m_options.settingsFile.isEmpty()
                     ? std::make_unique<QSettings>()
                     : std::make_unique<QSettings>(m_options.settingsFile, QSettings::IniFormat)),
      m_actions(std::make_unique<Actions>(*this)), m_busyPatience(new QTimer(this))
{
    setWindowTitle(QStringLiteral("Graphloom"));
    setAcceptDrops(true);
    m_session.setTimers(
        callTimers([targets = m_options.targets] { return targets; }, 0, m_options.profile,
                   [messages = &m_session.messages()](const std::string &text) {
                       // A pass says so, in a thread of its own.
                       QMetaObject::invokeMethod(messages, [messages, text = fromUtf8(text)] {
                           messages->add(MessageModel::Severity::Warning, text);
                       });
                   }));
    m_session.runs().setProfile(m_options.profile);
    m_busyPatience->setSingleShot(true);
    m_busyPatience->setInterval(busyPatience);
    connect(m_busyPatience, &QTimer::timeout, this,
            [this] { m_page->setBusy(tr("Laying the graph out…")); });
    createPanels();
    createMenus();
    createToolBar();
    createStatusBar();
    connectActions();
    connectSession();
    connectNavigation();
    connectBlocks();
    connectView();
    connectMetrics();
    connectKernels();
    connectTuning();
    connectSaving();
    connectRuns();
    connectMemory();
    connectComfort();
    connectCompare();
    connectExports();
    restoreSettings();
    applyTheme();
    updateActions();
    updateStatus();
    updateHints();
}

MainWindow::~MainWindow()
{
    // Before the panels go, which its clearing would still reach.
    m_session.undoStack().disconnect(this);
}

QDockWidget &MainWindow::dock(const QString &name)
{
    return *findChild<QDockWidget *>(name);
}

void MainWindow::raiseDock(const QString &name)
{
    dock(name).show();
    dock(name).raise();
    m_commands->raise(); // it floats over all panels, which a change of tabs lifts
}

void MainWindow::connectActions()
{
    const Actions &a = *m_actions;
    GraphCanvas &canvas = m_page->canvas();
    const auto on = [this](QAction *action, auto slot) {
        connect(action, &QAction::triggered, this, slot);
    };
    on(a.open, &MainWindow::chooseFile);
    on(a.exportOnnx, [this] {
        chooseExport(tr("Export ONNX"), {tr("ONNX models (*.onnx)")}, QStringLiteral("onnx"));
    });
    on(a.exportDot, [this] {
        chooseExport(tr("Export DOT"), {tr("Graphviz files (*.dot *.gv)")}, QStringLiteral("dot"));
    });
    on(a.exportReport, [this] {
        chooseExport(tr("Export report"), {tr("JSON reports (*.json)")}, QStringLiteral("json"));
    });
    on(a.close, &MainWindow::closeDocument);
    on(a.quit, &MainWindow::close);
    on(a.undo, [this] { m_session.undoStack().undo(); });
    on(a.redo, [this] { m_session.undoStack().redo(); });
    on(a.find, [this] { m_page->search().open(); });
    on(a.findNext, [this] { m_page->search().next(); });
    on(a.findPrevious, [this] { m_page->search().previous(); });
    on(a.clearSelection, [this] { m_selection.clear(); });
    on(a.run, &MainWindow::runPass);
    on(a.cancel, &MainWindow::cancelWork);
    on(a.zoomIn, [&canvas] { canvas.zoomBy(1.25); });
    on(a.zoomOut, [&canvas] { canvas.zoomBy(1 / 1.25); });
    on(a.zoomNormal, [&canvas] { canvas.zoomTo(1); });
    on(a.fit, [&canvas] { canvas.fit(); });
    on(a.zoomSelection, [this, &canvas] { canvas.zoomToItem(m_selection.item()); });
    connect(a.columns, &QAction::toggled, &m_drawings, &DrawingController::setColumns);
    on(a.collapseAll, [this] { m_drawings.collapseAll(true); });
    on(a.expandAll, [this] { m_drawings.collapseAll(false); });
    connect(a.graphviz, &QAction::toggled, this, [this](bool chosen) {
        m_drawings.setMethod(chosen ? LayoutMethod::Graphviz : LayoutMethod::Layered);
    });
    connect(a.minimap, &QAction::toggled, m_page, &CanvasPage::setMinimapShown);
    connect(a.legend, &QAction::toggled, m_page, &CanvasPage::setLegendShown);
    on(a.themeSystem, [this] { setTheme(ThemeChoice::System); });
    on(a.themeDark, [this] { setTheme(ThemeChoice::Dark); });
    on(a.themeLight, [this] { setTheme(ThemeChoice::Light); });
    on(a.nextTheme, [this] { setTheme(m_theme->dark ? ThemeChoice::Light : ThemeChoice::Dark); });
    on(a.commands, [this] { m_commands->open(); });
    on(a.help, &MainWindow::showHelp);
    on(a.about, &MainWindow::showAbout);
    on(a.resetLayout, &MainWindow::resetPanels);
    connect(m_recent.get(), &RecentFiles::chosen, this,
            [this](const QString &path) { openDocument(path.toStdString()); });
    connect(m_recent.get(), &RecentFiles::changed, this,
            [this] { m_welcome->setRecent(m_recent->paths()); });
    connect(m_welcome, &WelcomePage::chosen, this,
            [this](const QString &path) { openDocument(path.toStdString()); });
    connect(m_passes, &PassPanel::passChanged, this, &MainWindow::updateActions);
}

void MainWindow::connectSession()
{
    connect(&m_session, &Session::snapshotChanged, this, &MainWindow::showSnapshot);
    connect(&m_session, &Session::openingStarted, this, [this] { updateActions(); });
    connect(&m_session, &Session::openingFinished, this, [this](bool succeeded) {
        if (succeeded && !m_session.path().empty())
            m_recent->add(absolutePath(m_session.path()));
        else if (!m_requested.empty() && !QFileInfo::exists(absolutePath(m_requested)))
            m_recent->remove(absolutePath(m_requested));
        m_requested.clear();
        updateActions();
        Q_EMIT settled();
    });
    connect(&m_session, &Session::passStarted, this, [this] {
        m_passes->setRunning(true);
        m_planBefore = m_session.snapshot()->plan;
        updateActions();
    });
    connect(&m_session, &Session::passProgress, this, [this](double fraction, const QString &what) {
        m_passes->setProgress(fraction, what);
    });
    connect(&m_session, &Session::passFinished, this, [this](bool succeeded) {
        m_passes->setRunning(false);
        if (succeeded && !m_session.snapshot()->plan->history.empty())
            m_passes->setSummary(&m_session.snapshot()->plan->history.back());
        // Who changes a plan, or goes on from it, looks at the panel that shows it already.
        const auto runs = m_session.runs().runs();
        const bool isChange = !runs.empty() && runs.back()->request.resume.has_value();
        if (succeeded && !isChange)
            raisePanelOf(*m_planBefore);
        m_planBefore.reset();
        updateActions();
    });
    connect(&m_session.messages(), &MessageModel::added, this,
            [this](MessageModel::Severity severity) {
                if (severity == MessageModel::Severity::Error)
                    raiseDock(QStringLiteral("messages"));
            });
    connect(&m_session.undoStack(), &QUndoStack::indexChanged, this, &MainWindow::updateActions);
    connect(&m_drawings, &DrawingController::started, m_busyPatience, qOverload<>(&QTimer::start));
    connect(&m_drawings, &DrawingController::failed, this, [this](const QString &reason) {
        m_session.messages().add(MessageModel::Severity::Warning,
                                 tr("The layered layout is shown: %1").arg(reason));
        raiseDock(QStringLiteral("messages"));
    });
    connect(&m_drawings, &DrawingController::cancelled, this, [this] {
        m_busyPatience->stop();
        m_page->setBusy({});
        m_session.messages().add(
            MessageModel::Severity::Warning,
            tr("The layout was stopped: what is drawn may not be the plan. Any change of the view "
               "lays it out"));
    });
    connect(&m_page->canvas().tiles(), &TileStore::settled, this, &MainWindow::settled);
    connect(&m_selection, &Selection::changed, this, &MainWindow::updateActions);
}

void MainWindow::runPass()
{
    if (m_passes->pass() && m_session.snapshot())
        m_session.run(m_passes->request());
}

void MainWindow::showSnapshot(const SnapshotPointer &snapshot, Session::Change change)
{
    if (change == Session::Change::Live) {
        preview(snapshot);
        return;
    }
    m_passes->setSummary(
        snapshot && !snapshot->plan->history.empty() ? &snapshot->plan->history.back() : nullptr);
    if (change == Session::Change::Opened) {
        m_drawings.setAspect(double(m_pages->width()) / std::max(1, m_pages->height()));
        m_views.clear();
        m_runner.abandon();
        m_tuner.abandon();
        m_runs.clear();
        m_ownData.clear();
        shareOwnData(nullptr);
        m_kernels->beginTuning(nullptr);
        endComparison();
        m_navigator.open(snapshot);
    } else {
        if (change == Session::Change::Edited)
            m_drawings.expectEdit(snapshot);
        m_navigator.update(snapshot);
    }
    if (!snapshot) {
        m_page->search().close();
        m_pages->setCurrentWidget(m_welcome);
    } else if (m_pages->currentWidget() != m_page) {
        m_pages->setCurrentWidget(m_page);
        m_page->canvas().setFocus();
    }
    updateTitle();
}

void MainWindow::setTheme(ThemeChoice choice)
{
    m_themeChoice = choice;
    applyTheme();
}

void MainWindow::setSystemIsDark(bool dark)
{
    if (std::exchange(m_options.systemIsDark, dark) != dark && m_themeChoice == ThemeChoice::System)
        applyTheme();
}

void MainWindow::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::ThemeChange) // of the desktop
        if (auto *application = qobject_cast<Application *>(QCoreApplication::instance())) {
            application->lookAtSystem();
            setSystemIsDark(application->systemIsDark());
        }
    QMainWindow::changeEvent(event);
}

void MainWindow::applyTheme()
{
    const bool dark = m_themeChoice == ThemeChoice::Dark ||
                      (m_themeChoice == ThemeChoice::System && m_options.systemIsDark);
    auto theme = loadTheme(dark ? QStringLiteral("dark") : QStringLiteral("light"));
    if (!theme) {
        m_session.messages().add(MessageModel::Severity::Error,
                                 QString::fromStdString(theme.error().text()));
        return;
    }
    m_theme = std::make_shared<const Theme>(*std::move(theme));
    QApplication::setPalette(m_theme->palette);
    QToolTip::setPalette(m_theme->palette);
    colourNodes();
    m_page->legend().setTheme(m_theme);
    m_nodes->setTheme(m_theme);
    m_partition->setTheme(*m_theme);
    m_fusion->setTheme(m_theme);
    m_rewriting->setTheme(m_theme);
    m_kernels->setTheme(*m_theme);
    m_runPanel->setTheme(*m_theme);
    m_compare->setTheme(m_theme);
    m_memory->setTheme(*m_theme);
    m_pareto->setTheme(*m_theme);
    (m_themeChoice == ThemeChoice::System ? m_actions->themeSystem
     : dark                               ? m_actions->themeDark
                                          : m_actions->themeLight)
        ->setChecked(true);
}

bool MainWindow::isSettled() const
{
    if (m_session.isBusy() || m_drawings.isBusy() || m_edits->isChecking() ||
        m_stepDrawer.isRunning() || m_timelines.isRunning() || m_runner.isRunning() ||
        m_tuner.isRunning() || m_trainer.isRunning() || m_comparer.isRunning() ||
        m_exporter.isRunning() || m_viewExporter.isRunning() || m_page->search().isSearching() ||
        m_nodes->isFiltering())
        return false;
    const GraphCanvas &both = m_compare->canvas();
    if (both.isVisible() && both.drawing() && !both.tiles().isSettled())
        return false;
    const SnapshotPointer &snapshot = m_navigator.shown();
    if (!snapshot)
        return true;
    const GraphCanvas &canvas = m_page->canvas();
    return canvas.drawing() && canvas.drawing()->snapshot == snapshot && canvas.tiles().isSettled();
}

void MainWindow::showHelp()
{
    m_help->showPage(QStringLiteral("index"));
    raiseDock(QStringLiteral("help"));
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
    if (!m_mayClose && wouldLoseWork()) {
        event->ignore();
        whenNoWorkIsLost([this] {
            m_mayClose = true;
            close();
        });
        return;
    }
    saveSettings();
    cancelWork();
    m_session.discardJournal();
    QMainWindow::closeEvent(event);
}

} // namespace graphloom

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/compare/plan_comparer.h"
#include "app/export/view_export.h"
#include "app/export/view_exporter.h"
#include "app/graph/drawing_controller.h"
#include "app/graph/graph_canvas.h"
#include "app/graph/navigator.h"
#include "app/help/tour.h"
#include "app/metrics/own_table.h"
#include "app/session/session.h"
#include "app/shell/actions.h"
#include "app/snapshot/selection.h"
#include "app/style/theme.h"
#include "app/timeline/timeline_maker.h"
#include "app/tuning/kernel_tuner.h"
#include "app/tuning/tuning_run.h"
#include "engine/ir/training_options.h"
#include "engine/pass/plugins.h"
#include "engine/pass/program_parts.h"

#include <QMainWindow>
#include <QPointer>
#include <QSettings>

#include <map>

class QLabel;
class QStackedWidget;
class QTimer;

namespace graphloom {

class CanvasPage;
class ComparePanel;
class EditActions;
class FissionActions;
class FissionPanel;
class CommandPalette;
class ExportDialog;
class FusionPanel;
class HelpView;
class HierarchyPanel;
class JobStatus;
class KernelPanel;
class KeyList;
class MemoryPanel;
class MessagePanel;
class NodeListPanel;
class ParetoPanel;
class PartitionPanel;
class PassPanel;
class PropertiesPanel;
class RecentFiles;
class RewritePanel;
class RunPanel;
class WelcomePage;

enum class ThemeChoice { System, Dark, Light };

/// What a window is given.
struct MainWindowOptions {
    std::vector<PassPlugin> plugins;
    std::vector<TargetPlugin> targets;
    QString settingsFile;             // where the session settings live; empty: the user's own
    std::optional<ThemeChoice> theme; // in place of the one in the settings
    ImportOptions import;             // for the documents that are opened
    std::optional<TrainingOptions> training = {}; // shows steps of training of those models
    /// Where unsaved work is kept against crashes; empty: nowhere.
    std::filesystem::path journals = {};
    std::optional<std::filesystem::path> profile; // of tuning; none: the user's database
    bool systemIsDark = false;                    // what ThemeChoice::System means
    std::vector<MissingPart> missing = {};        // parts of the program, told as errors
};

/// A model that comes with the program.
std::filesystem::path sampleModel();

/// The workbench: canvas in the middle, panels around it, one session.
class MainWindow final : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(MainWindowOptions options, QWidget *parent = nullptr);
    ~MainWindow() override;

    /// Shows the window, no larger than the screen lets its frame be: its buttons can be reached.
    void showOnScreen();
    void openDocument(const std::filesystem::path &path);
    void closeDocument();
    /// Writes the session into its file, or asks for one.
    void saveDocument();
    void saveDocumentTo(const std::filesystem::path &path, const SessionSaving &saving = {});
    /// Another window with the same settings.
    MainWindow *openWindow();
    /// Opens the newest of what programs that did not end well left behind.
    void recoverWork();
    void runPass();
    /// Beside what is done now: its result waits in the list of runs.
    void runBeside();
    /// Puts the plan beside another one, which is looked at from then on.
    void compareWith(const std::shared_ptr<const Plan> &before, const QString &name);
    void compareWithOriginal();
    void compareWithFile(const std::filesystem::path &path);
    void endComparison();
    /// Builds and measures the plan on this machine.
    void runHere();
    /// Tunes the plan's kernels on this machine, and measures it before and after.
    void tuneHere();
    void setTheme(ThemeChoice choice);
    /// What ThemeChoice::System means from now on.
    void setSystemIsDark(bool dark);
    /// Shows what the window can do, step by step; while that goes on, goes to its note.
    void startTour();
    /// The same at the first start with these settings.
    void offerTour();
    /// Null before it was started.
    Tour *tour() { return m_tour.get(); }
    void exportTo(const std::filesystem::path &path); // by its extension: .onnx, .json, .dot
    /// What of views can leave the program. Null: there is no such view.
    const std::vector<ViewExport> &exports() const { return m_exports; }
    const ViewExport *exportOf(const QString &key) const;
    /// Puts the panels where a new user finds them.
    void resetPanels();

    Session &session() { return m_session; }
    Selection &selection() { return m_selection; }
    /// Colours nodes by a metric: "time", "live", a key of nodeFigures(), "data:<file>:<column>".
    void colourBy(const QString &metric) { chooseMetric(metric); }
    /// Reads data of the user's own about nodes.
    void openData(const std::filesystem::path &file);
    const std::vector<OwnData> &ownData() const { return m_ownData; }
    Navigator &navigator() { return m_navigator; }
    DrawingController &drawings() { return m_drawings; }
    Actions &actions() { return *m_actions; }
    CanvasPage &page() { return *m_page; }
    NodeListPanel &nodes() { return *m_nodes; }
    HierarchyPanel &hierarchy() { return *m_hierarchy; }
    PropertiesPanel &properties() { return *m_properties; }
    PartitionPanel &partition() { return *m_partition; }
    FusionPanel &fusion() { return *m_fusion; }
    RewritePanel &rewriting() { return *m_rewriting; }
    EditActions &edits() { return *m_edits; }
    KernelPanel &kernels() { return *m_kernels; }
    MemoryPanel &memory() { return *m_memory; }
    FissionPanel &fissions() { return *m_fissions; }
    FissionActions &fissionEdits() { return *m_fissionEdits; }
    ParetoPanel &pareto() { return *m_pareto; }
    PlanRunner &runner() { return m_runner; }
    KernelTuner &tuner() { return m_tuner; }
    PassPanel &passes() { return *m_passes; }
    RunPanel &runs() { return *m_runPanel; }
    ComparePanel &comparison() { return *m_compare; }
    PlanComparer &comparer() { return m_comparer; }
    MessagePanel &messages() { return *m_messages; }
    CommandPalette &commands() { return *m_commands; }
    QDockWidget &dock(const QString &name);
    /// All that goes on in the background.
    JobList &jobs() { return m_jobs; }
    JobStatus &work() { return *m_work; }
    HelpView &help() { return *m_help; }
    /// Every action that can be found by its name: in menus, the palette and the list of keys.
    std::vector<QAction *> allCommands() const;
    const Theme &theme() const { return *m_theme; }
    /// The model is there, its layout too, and all of the canvas is painted.
    bool isSettled() const;

Q_SIGNALS:
    void settled();
    /// A file was written.
    void exported();

protected:
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;
    void closeEvent(QCloseEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void createPanels();
    QDockWidget *addDock(const QString &name, const QString &title, QWidget *panel,
                         Qt::DockWidgetArea area);
    void createMenus();
    void createToolBar();
    void createStatusBar();
    void connectActions();
    void connectSession();
    void restoreSettings();
    void saveSettings();

    void connectBlocks();
    void showRefusal(const QString &message, const std::vector<Item> &cause);
    void chooseGrouping(Grouping grouping);
    void showGrouping();
    void changeGrouping();
    void showStep(int step);
    void selectStep(int step);
    void raisePanelOf(const Plan &before);

    void connectView();
    void focusOn(bool between);
    void changeSteps(int by);

    void connectMetrics();
    void chooseMetric(const QString &key);
    void refreshMetric();
    void listMetrics();
    void loadData();
    void shareOwnData(OwnTablePointer table);
    MetricPointer metricOfKey(const QString &key) const;

    void connectKernels();
    void cancelWork();
    void keepRun(const PlanRunPointer &run);
    void takeRun(const PlanRunPointer &run, bool cancelled);
    void showRun();
    void colourNodes();

    void connectTuning();
    void showTrials(const std::vector<TuningTrial> &trials);
    void takeKernels(const std::shared_ptr<const KernelPlan> &kernels, bool cancelled);
    void measureTuned();

    void connectSaving();
    void chooseSaving(bool embed);
    /// What came of it is a message. Not while something else is written.
    /// What is stopped leaves the place as it was.
    void writeInBackground(const std::filesystem::path &path,
                           std::function<Result<void>(std::stop_token)> write);
    void updateTitle();
    void lookForLeftWork();
    void tellMissingParts();
    std::map<std::string, std::string> viewState() const;
    void restoreView(const std::map<std::string, std::string> &state);
    /// Does `then` at once where nothing would be lost; else asks, and does it when the work is
    /// saved or may be lost.
    void whenNoWorkIsLost(const std::function<void()> &then);
    bool wouldLoseWork() const;
    void connectRuns();
    void updateRunActions();
    /// Of a pass that is followed, or tuning: what is paused and taken by keys. Null: none.
    const PassRun *steeredRun();
    void connectComfort();
    void addPanelActions();
    void goToPanel(QDockWidget &panel);
    void showKeys();
    QRect partOfPanel(const QString &name);
    QRect partOfTool(QAction *action);
    std::vector<Tour::Step> tourSteps();
    void chooseTraining();
    void makeTraining(const TrainingOptions &options, const std::optional<std::int64_t> &batchSize);
    void connectCompare();
    void updateCompareActions();
    const PassRun *comparableRun();
    bool isCompared() const;
    void startComparing(std::function<Result<ComparedPlan>(std::stop_token)> before);
    void showDifference(const PlanDifferencePointer &difference);
    void inOriginal(const std::function<void()> &then);
    void showOriginal(NodeId id);
    void showOriginals();
    void showSuccessors();
    void connectMemory();
    /// Makes a plan of the front that is shown the plan.
    void loadPoint(int front);
    void connectExports();
    void listExports();
    void openExport(bool picture);
    /// The view that has the focus, or had it last, or the graph where that has none of these.
    QString exportedView(bool picture) const;
    void connectFissions();
    /// How the pass that made the plan is asked for something else of it; none, and a message,
    /// where it is not known any more.
    std::optional<RunRequest> requestOfMaker();
    void connectNavigation();
    void showSnapshot(const SnapshotPointer &snapshot, Session::Change change);
    void preview(const SnapshotPointer &snapshot);
    void showGraph(const SnapshotPointer &shown);
    void showDrawing(const DrawingPointer &drawing, bool fresh);
    void activate(const Item &item);
    void openNested();
    void showMenu(const Item &item, const QPoint &globalPlace);
    void addNestedTo(QMenu &menu, const Item &item);
    void updateActions();
    void updateStatus();
    void updateHints();
    void applyTheme();
    void showHelp();
    void showAbout();
    /// Of the run of the plan that is shown; null when it was not run.
    PlanRunPointer currentRun() const;
    Colouring nodeColours() const;
    /// What boxes are drawn around.
    Grouping drawn() const;
    void raiseDock(const QString &name);
    void chooseFile();
    void chooseExport(const QString &title, const QStringList &filters, const QString &suffix);

    JobList m_jobs; // first: others report to it until they end
    MainWindowOptions m_options;
    std::unique_ptr<QSettings> m_settings;
    Session m_session;
    Selection m_selection;
    Navigator m_navigator{m_selection};
    DrawingController m_drawings;
    std::map<GraphPath, GraphCanvas::View> m_views; // of graphs that were left
    std::vector<PlanRunPointer> m_runs;             // of this model, the newest last
    QString m_metricKey;    // what nodes are coloured by; empty: the class of the operator
    MetricPointer m_metric; // that, of the graph that is shown
    std::vector<OwnData> m_ownData;
    OwnTablePointer m_ownTable; // the same, for queries; null: none
    HeatPointer m_heat;         // of the run that is shown, where that is current
    BeforeTuning m_tuned;       // of schedules that are on their way into the plan
    std::shared_ptr<const KernelPlan> m_tunedKernels; // those
    Worker m_exporter, m_stepDrawer, m_dataReader, m_trainer;
    ViewExporter m_viewExporter;
    std::vector<ViewExport> m_exports;
    QString m_focusedView; // of them
    QPointer<ExportDialog> m_exportDialog;
    std::shared_ptr<const Theme> m_shownTheme; // on the canvas
    Colouring m_shownColours;
    PlanRunner m_runner{m_options.targets};
    KernelTuner m_tuner{m_options.targets, m_options.profile};
    TuningRun m_tuningRun{m_tuner, m_session.runs()};
    TimelineMaker m_timelines;
    PlanComparer m_comparer;
    std::function<void()> m_afterComparing; // what waited for it
    std::unique_ptr<Actions> m_actions;
    std::unique_ptr<EditActions> m_edits;
    std::unique_ptr<FissionActions> m_fissionEdits;
    std::unique_ptr<RecentFiles> m_recent;
    std::shared_ptr<const Theme> m_theme;
    std::filesystem::path m_requested;             // being opened
    std::vector<std::filesystem::path> m_leftWork; // journals, the newest first
    std::function<void()> m_afterSaving;           // what waited for it
    bool m_mayClose = false;                       // nobody has to be asked any more
    ThemeChoice m_themeChoice = ThemeChoice::System;
    std::shared_ptr<const Plan> m_planBefore; // the pass that runs

    QStackedWidget *m_pages;
    WelcomePage *m_welcome;
    CanvasPage *m_page;
    NodeListPanel *m_nodes;
    HierarchyPanel *m_hierarchy;
    PropertiesPanel *m_properties;
    PartitionPanel *m_partition;
    FusionPanel *m_fusion;
    RewritePanel *m_rewriting;
    KernelPanel *m_kernels;
    MemoryPanel *m_memory;
    FissionPanel *m_fissions;
    ParetoPanel *m_pareto;
    PassPanel *m_passes;
    RunPanel *m_runPanel;
    ComparePanel *m_compare;
    MessagePanel *m_messages;
    CommandPalette *m_commands;
    HelpView *m_help = nullptr;
    QLabel *m_modelStatus, *m_nodeStatus, *m_costStatus, *m_planStatus;
    JobStatus *m_work;
    KeyList *m_keys = nullptr; // once it was asked for
    QTimer *m_busyPatience;
    QByteArray m_firstPanels;
    QMenu *m_panelMenu = nullptr;
    std::vector<QAction *> m_panelActions;
    std::unique_ptr<Tour> m_tour;
};

} // namespace graphloom

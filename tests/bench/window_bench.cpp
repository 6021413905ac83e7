// SPDX-License-Identifier: GPL-3.0-or-later
// How long the window lets people wait: from opening to the first complete picture, and the
// events of the GUI thread that take longer than a frame (16 ms) while the graph is moved,
// zoomed, searched, selected, partitioned, run, tuned (ten thousand trials and more), undone and
// shown in the other theme.
//   window_bench [MODEL.onnx]... [--training MODEL.onnx]... [--rounds N] [--plugins FOLDER]
//                [--no-synthetic] [--check]
// CPU time is of the GUI thread alone; wall time, by which the window is judged, has what else the
// machine does. The synthetic graph is a transformer of 4,000 nodes with an attention mask that
// feeds every layer. --training opens a model's step of training. --check ends with 1 where of all
// events of a model one in a hundred takes more than a frame, or any one more than three.
#include "app/fusion/fusion_panel.h"
#include "app/fusion/partition_panel.h"
#include "app/graph/canvas_page.h"
#include "app/help/command_palette.h"
#include "app/kernels/kernel_panel.h"
#include "app/memory/memory_panel.h"
#include "app/nodes/hierarchy_panel.h"
#include "app/nodes/node_list_panel.h"
#include "app/query/search_bar.h"
#include "app/runs/pass_form.h"
#include "app/runs/pass_panel.h"
#include "app/shell/panel_docks.h"
#include "app/tuning/tuning_panel.h"
#include "app/workbench/edit_actions.h"
#include "engine/autodiff/training.h"
#include "tests/bench/peak_memory.h"
#include "tests/support/app/window_driver.h"
#include "tests/support/synthetic_graphs.h"

#include <QDockWidget>
#include <QLineEdit>
#include <QTableView>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sys/resource.h>

using namespace graphloom;
using test::WindowDriver;

namespace {

constexpr double frame = 16, longest = 50; // milliseconds
// Milliseconds that a step may take: the kernels of hundreds of blocks are compiled and run.
constexpr int stepPatience = 300'000;

double milliseconds(std::chrono::nanoseconds time)
{
    return double(time.count()) / 1e6;
}

/// What the rounds on one model took.
struct Result {
    explicit Result(int count) : rounds(std::size_t(count)) {}

    /// An event of a step, the longest of it in each round; zero where all were short.
    struct Kind {
        std::vector<double> cpu, wall;
        int overCpu = 0, overWall = 0; // how many took longer than a frame
    };
    std::size_t rounds, nodes = 0, events = 0;
    std::vector<double> longCpu, longWall; // of all events that were not short
    double idle = 0;                       // of a processor, while nothing happens
    double megabytes = 0;                  // greatest memory when it was opened
    std::vector<double> firstPicture;      // by round
    std::map<std::string, Kind> kinds;

    void add(const Application &application, const char *step)
    {
        const std::size_t round = firstPicture.size();
        events += application.eventCount();
        for (const EventTime &event : application.longEvents()) {
            Kind &kind = kinds[std::string(step) + ": " + event.what.toStdString()];
            kind.cpu.resize(rounds);
            kind.wall.resize(rounds);
            const double cpu = milliseconds(event.cpu), wall = milliseconds(event.wall);
            kind.cpu[round] = std::max(kind.cpu[round], cpu);
            kind.wall[round] = std::max(kind.wall[round], wall);
            kind.overCpu += cpu > frame;
            kind.overWall += wall > frame;
            longCpu.push_back(cpu);
            longWall.push_back(wall);
        }
    }

    /// Of all events, `times` being those of the ones that were not short; at most
    /// Application::shortEvent for those that are.
    double percentile(double share, std::vector<double> times) const
    {
        std::sort(times.begin(), times.end(), std::greater<>());
        const auto beyond = std::size_t((1 - share) * double(events));
        return beyond < times.size() ? times[beyond] : milliseconds(Application::shortEvent);
    }
    bool isResponsive() const
    {
        return percentile(0.99, longWall) <= frame && percentile(1, longWall) <= longest;
    }

    void print(const std::string &name) const
    {
        std::printf("%s: %zu nodes, first picture min %.0f, median %.0f, max %.0f ms of %zu\n",
                    name.c_str(), nodes, least(firstPicture), median(firstPicture),
                    most(firstPicture), rounds);
        std::vector<std::pair<std::string, Kind>> sorted(kinds.begin(), kinds.end());
        std::sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
            return median(a.second.cpu) > median(b.second.cpu);
        });
        int overCpu = 0, overWall = 0;
        for (const auto &[what, kind] : sorted) {
            overCpu += kind.overCpu;
            overWall += kind.overWall;
        }
        std::printf("  events over %.0f ms: %d by CPU, %d by wall time, in all rounds\n", frame,
                    overCpu, overWall);
        std::printf("  of %zu events the 99th percentile is %.1f ms wall (%.1f CPU), the longest "
                    "%.1f ms wall (%.1f CPU): %s\n",
                    events, percentile(0.99, longWall), percentile(0.99, longCpu),
                    percentile(1, longWall), percentile(1, longCpu),
                    isResponsive() ? "good" : "too long");
        std::printf("  idle: %.2f %% of a processor; memory when it was open: %.0f MiB at most\n"
                    "  longest in a round (median; max), by CPU time:\n",
                    100 * idle, megabytes);
        for (std::size_t i = 0; i < sorted.size() && i < 10; ++i) {
            const auto &[what, kind] = sorted[i];
            std::printf("  %5.1f; %5.1f ms CPU, %5.1f; %5.1f ms wall, %s\n", median(kind.cpu),
                        most(kind.cpu), median(kind.wall), most(kind.wall), what.c_str());
        }
    }

private:
    static double least(const std::vector<double> &values)
    {
        return *std::min_element(values.begin(), values.end());
    }
    static double most(const std::vector<double> &values)
    {
        return *std::max_element(values.begin(), values.end());
    }
    static double median(std::vector<double> values)
    {
        std::sort(values.begin(), values.end());
        return values[values.size() / 2];
    }
};

class Script {
public:
    Script(Application &application, WindowDriver &driver, Result &result)
        : m_application(application), m_driver(driver), m_window(driver.window()), m_result(result)
    {
    }

    template <class Step> void measure(const char *name, Step step)
    {
        m_application.startTiming();
        step();
        if (!m_driver.settle(stepPatience))
            std::printf("  %s took more than %d s\n", name, stepPatience / 1000);
        QTest::qWait(30);
        m_result.add(m_application, name);
    }

    /// Time from the wish to the complete picture, in milliseconds.
    double open(const std::function<void(MainWindow &)> &open)
    {
        QElapsedTimer timer;
        timer.start();
        double time = 0;
        measure("opening", [&] {
            open(m_window);
            m_driver.settle();
            time = double(timer.nsecsElapsed()) / 1e6;
        });
        return time;
    }

    /// What the process takes of a processor while nobody does anything.
    static double idle()
    {
        constexpr int seconds = 3;
        const auto used = [] {
            rusage usage{};
            getrusage(RUSAGE_SELF, &usage);
            const auto of = [](const timeval &time) {
                return double(time.tv_sec) + double(time.tv_usec) / 1e6;
            };
            return of(usage.ru_utime) + of(usage.ru_stime);
        };
        const double before = used();
        QTest::qWait(seconds * 1000);
        return (used() - before) / seconds;
    }

    void use()
    {
        GraphCanvas &canvas = m_window.page().canvas();
        move(canvas);
        find();
        scrollTimeline();
        select(canvas);
        lookAround();
        measure("other theme", [&] { act([&] { m_window.setTheme(ThemeChoice::Light); }); });
        if (!m_window.view<PassPanel>().choose("ago"))
            return;
        m_window.view<PassPanel>().form()->setValue("fuse", 0);
        measure("running the pass", [&] { act([&] { m_window.bench().passes.run(); }); });
        measure("fit with subgraphs", [&] { act([&] { canvas.fit(); }); });
        measure("partition rows", [&] {
            QTableView &table = m_window.view<PartitionPanel>().table();
            for (int row = 0; row < std::min(30, table.model()->rowCount()); ++row) {
                act([&] { table.selectRow(row); });
                QTest::qWait(16);
            }
        });
        measure("opening all subgraphs",
                [&] { act([&] { m_window.bench().drawings.collapseAll(false); }); });
        measure("undo", [&] { act([&] { m_window.actions().undo->trigger(); }); });
        measure("redo", [&] { act([&] { m_window.actions().redo->trigger(); }); });
        fuse(canvas);
        runHere();
        measure("theme back", [&] { act([&] { m_window.setTheme(ThemeChoice::Dark); }); });
        live();
        search();
        measure("commands and help", [&] {
            act([&] { m_window.actions().commands->trigger(); });
            QTest::keyClicks(&m_window.view<CommandPalette>().edit(), QStringLiteral("help"), {},
                             20);
            QTest::keyClick(&m_window.view<CommandPalette>().edit(), Qt::Key_Return);
        });
        measure("closing", [&] { act([&] { m_window.bench().documents.close(); }); });
    }

private:
    void fuse(GraphCanvas &canvas)
    {
        if (!m_window.view<PassPanel>().choose("dnnfusion"))
            return;
        measure("fusing", [&] { act([&] { m_window.bench().passes.run(); }); });
        measure("block rows", [&] {
            QTableView &table = m_window.view<FusionPanel>().table();
            for (int row = 0; row < std::min(30, table.model()->rowCount()); ++row) {
                act([&] { table.selectRow(row); });
                QTest::qWait(16);
            }
        });
        measure("opening all blocks",
                [&] { act([&] { m_window.bench().drawings.collapseAll(false); }); });
        measure("framing all", [&] {
            act([&] { canvas.fit(); });
            const QRect view = canvas.viewport()->rect();
            QTest::mousePress(canvas.viewport(), Qt::LeftButton, Qt::ShiftModifier,
                              view.topLeft() + QPoint(2, 2));
            repeat(10, [&](int i) {
                QTest::mouseMove(canvas.viewport(), view.bottomRight() * i / 10);
            });
            QTest::mouseRelease(canvas.viewport(), Qt::LeftButton, Qt::ShiftModifier,
                                view.bottomRight() - QPoint(2, 2));
        });
        measure("locking all", [&] { act([&] { m_window.bench().edits.lock->trigger(); }); });
        measure("undoing an edit", [&] { act([&] { m_window.actions().undo->trigger(); }); });
        measure("other boxes", [&] { act([&] { m_window.actions().nextGrouping->trigger(); }); });
    }

    void runHere()
    {
        m_window.view<KernelPanel>().setOptions({5, 0});
        measure("running on this machine", [&] { act([&] { m_window.bench().kernels.run(); }); });
        measure("kernel rows", [&] {
            QTableView &table = m_window.view<KernelPanel>().table();
            for (int row = 0; row < std::min(60, table.model()->rowCount()); ++row) {
                act([&] { table.selectRow(row); });
                QTest::qWait(16);
            }
        });
        measure("roofline", [&] {
            act([&] { m_window.view<KernelPanel>().showTab(KernelPanel::Tab::Roofline); });
        });
        tuning();
        measure("heat", [&] { act([&] { m_window.actions().heat->trigger(); }); });
    }

    /// As fast as trials come from a tuner; the plan need not have been tuned.
    void tuning()
    {
        std::vector<TuningTrial> trials(10'000);
        for (std::size_t i = 0; i < trials.size(); ++i) {
            trials[i].place.block = std::uint32_t(i / 250);
            trials[i].byDefault = i % 250 == 0;
            trials[i].milliseconds = trials[i].byDefault ? 1 : 0.7 + 0.01 * double(i * 7919 % 150);
            trials[i].schedule = "tile i 4";
            if (i % 40 == 3)
                trials[i].problem = "crashed";
        }
        const std::vector<TuningTrial> few(trials.begin(), trials.begin() + 5);
        TuningPanel &panel = m_window.view<KernelPanel>().tuning();
        act([&] { m_window.view<KernelPanel>().beginTuning(m_window.session().snapshot()->plan); });
        measure("many trials at once", [&] { act([&] { panel.add(std::move(trials)); }); });
        measure("trials at work", [&] {
            for (int i = 0; i < 20; ++i) {
                act([&] { panel.add(few); });
                QTest::qWait(50);
            }
        });
        measure("trials by time",
                [&] { act([&] { panel.list().table().sortByColumn(TrialModel::Time, {}); }); });
        measure("trials at work, sorted", [&] {
            for (int i = 0; i < 20; ++i) {
                act([&] { panel.add(few); });
                QTest::qWait(50);
            }
        });
    }

    void scrollTimeline()
    {
        act([&] { m_window.panels().dock(QStringLiteral("memory")).raise(); });
        MemoryView &view = m_window.view<MemoryPanel>().view();
        measure("timeline zooming",
                [&] { repeat(20, [&](int) { QTest::keyClick(&view, Qt::Key_Plus); }); });
        measure("timeline scrolling", [&] {
            repeat(60, [&](int i) {
                QTest::keyClick(&view, i % 20 < 15 ? Qt::Key_Right : Qt::Key_Left,
                                Qt::ShiftModifier);
            });
        });
        measure("timeline hovering", [&] {
            repeat(40, [&](int i) {
                QTest::mouseMove(&view, {40 + 31 * i % (view.width() - 80), view.height() / 2});
            });
        });
        measure("timeline fitting", [&] { QTest::keyClick(&view, Qt::Key_F); });
    }

    /// A search that publishes plans as fast as it finds them.
    void search()
    {
        if (!m_window.view<PassPanel>().choose("magis"))
            return;
        m_window.view<PassPanel>().form()->setValue("seconds", 4);
        m_window.view<PassPanel>().form()->setValue("measure-seconds", 0);
        measure("live search", [&] {
            act([&] { m_window.bench().passes.run(); });
            for (int i = 0; i < 20 && m_window.session().isRunning(); ++i) {
                QTest::keyClick(&m_window.page().canvas(), i % 2 ? Qt::Key_Down : Qt::Key_Up,
                                Qt::ShiftModifier);
                QTest::qWait(100);
            }
        });
        scrollTimeline();
        measure("undoing a search", [&] { act([&] { m_window.actions().undo->trigger(); }); });
    }

    void live()
    {
        m_window.view<PassPanel>().choose("scripted");
        measure("live snapshots", [&] {
            act([&] { m_window.bench().passes.run(); });
            QTest::qWait(1500);
            act([&] { m_window.session().cancel(); });
        });
    }

    /// Groups, parts of the graph, filters and colours.
    void lookAround()
    {
        const Actions &a = m_window.actions();
        if (a.groupModules->isEnabled()) {
            measure("modules as boxes", [&] { act([&] { a.groupModules->trigger(); }); });
            for (std::size_t level : {0, 1, 2})
                measure("levels of boxes", [&] { act([&] { a.levels[level]->trigger(); }); });
            measure("expanding all", [&] { act([&] { a.expandAll->trigger(); }); });
            measure("collapsing one box", [&] {
                act([&] { m_window.selection().select(Item::module(0)); });
                act([&] { a.toggleGroup->trigger(); });
            });
            measure("opening one box", [&] { act([&] { a.toggleGroup->trigger(); }); });
            measure("hierarchy filter", [&] {
                act([&] {
                    m_window.panels().dock(QStringLiteral("hierarchy")).show();
                    m_window.panels().dock(QStringLiteral("hierarchy")).raise();
                });
                QTest::keyClicks(&m_window.view<HierarchyPanel>().filterEdit(),
                                 QStringLiteral("op:Add"), {}, 20);
                QTest::qWait(120);
                act([&] { m_window.view<HierarchyPanel>().filterEdit().clear(); });
                QTest::qWait(120);
            });
        }
        const auto order = m_window.bench().navigator.shown()->graph().order();
        const Item middle = Item::of(order[order.size() / 2]);
        measure("neighbourhood", [&] {
            act([&] { m_window.selection().select(middle); });
            act([&] { a.focus->trigger(); });
        });
        measure("more steps",
                [&] { repeat(4, [&](int) { act([&] { a.focusMore->trigger(); }); }); });
        measure("all shown again", [&] { act([&] { a.focusAll->trigger(); }); });
        measure("searching with filters", [&] {
            act([&] { a.find->trigger(); });
            act([&] { m_window.page().search().edit().clear(); });
            QTest::keyClicks(&m_window.page().search().edit(),
                             QStringLiteral("rank>=2 -op:Relu bytes>1kB or module:layer"), {}, 20);
            QTest::qWait(120);
            QTest::keyClick(&m_window.page().search().edit(), Qt::Key_Return, Qt::ControlModifier);
            QTest::keyClick(&m_window.page().search().edit(), Qt::Key_Escape);
            act([&] { m_window.selection().clear(); });
        });
        measure("node list filter", [&] {
            QTest::keyClicks(&m_window.view<NodeListPanel>().filterEdit(),
                             QStringLiteral("fanout>1 -op:Add"), {}, 20);
            act([&] { m_window.view<NodeListPanel>().filterEdit().clear(); });
        });
        for (const char *metric : {"macs", "bytes", "live", "fanout"})
            measure("other colours", [&] {
                act([&] { m_window.bench().colours.choose(QString::fromLatin1(metric)); });
            });
        measure("other colours", [&] { act([&] { m_window.bench().colours.choose({}); }); });
        measure("blocks or none", [&] { act([&] { a.groupNone->trigger(); }); });
        act([&] { a.groupBlocks->trigger(); });
        m_driver.settle();
    }

    void move(GraphCanvas &canvas)
    {
        measure("fit", [&] { act([&] { canvas.fit(); }); });
        measure("zooming in", [&] { repeat(24, [&](int) { act([&] { canvas.zoomBy(1.2); }); }); });
        measure("moving at 100 %", [&] {
            act([&] { canvas.zoomTo(1); });
            repeat(60,
                   [&](int i) { QTest::keyClick(&canvas, i % 3 ? Qt::Key_Down : Qt::Key_Right); });
        });
        measure("dragging at 30 %", [&] {
            act([&] { canvas.zoomTo(0.3); });
            const QPoint middle = canvas.viewport()->rect().center();
            QTest::mousePress(canvas.viewport(), Qt::LeftButton, {}, middle);
            repeat(40, [&](int i) {
                QTest::mouseMove(canvas.viewport(), middle - QPoint(7 * i, 9 * i));
            });
            QTest::mouseRelease(canvas.viewport(), Qt::LeftButton, {}, middle);
        });
        measure("zooming out",
                [&] { repeat(24, [&](int) { act([&] { canvas.zoomBy(1 / 1.2); }); }); });
    }

    void find()
    {
        measure("searching", [&] {
            act([&] { m_window.actions().find->trigger(); });
            QTest::keyClicks(&m_window.page().search().edit(), QStringLiteral("add"), {}, 20);
            repeat(12,
                   [&](int) { QTest::keyClick(&m_window.page().search().edit(), Qt::Key_Return); });
            QTest::keyClick(&m_window.page().search().edit(), Qt::Key_Escape);
        });
    }

    void select(GraphCanvas &canvas)
    {
        measure("hovering and clicking", [&] {
            act([&] { canvas.zoomTo(0.5); });
            repeat(40, [&](int i) {
                const QPoint place(40 + 29 * i % (canvas.viewport()->width() - 80),
                                   40 + 17 * i % (canvas.viewport()->height() - 80));
                QTest::mouseMove(canvas.viewport(), place);
                if (i % 8 == 0)
                    QTest::mouseClick(canvas.viewport(), Qt::LeftButton, {}, place);
            });
        });
        measure("walking along edges", [&] {
            QTest::keyClick(&canvas, Qt::Key_Home);
            repeat(30, [&](int) { QTest::keyClick(&canvas, Qt::Key_Down); });
        });
        measure("node list", [&] {
            NodeListPanel &nodes = m_window.view<NodeListPanel>();
            act([&] { nodes.filterEdit().setText(QStringLiteral("mul")); });
            act([&] { nodes.filterEdit().clear(); });
            act([&] { nodes.table().sortByColumn(NodeModel::Macs, Qt::DescendingOrder); });
            act([&] { nodes.table().sortByColumn(NodeModel::Name, Qt::AscendingOrder); });
            act([&] { nodes.table().sortByColumn(NodeModel::Position, Qt::AscendingOrder); });
        });
        measure("clear selection", [&] { act([&] { m_window.selection().clear(); }); });
    }

    /// Does something in an event of its own, as a click or key would, and lets it be painted.
    template <class Action> void act(Action action)
    {
        QMetaObject::invokeMethod(&m_window, action, Qt::QueuedConnection);
        QTest::qWait(1);
    }

    /// With time for a frame after each step.
    template <class Step> static void repeat(int times, Step step)
    {
        for (int i = 0; i < times; ++i) {
            step(i);
            QTest::qWait(8);
        }
    }

    Application &m_application;
    WindowDriver &m_driver;
    MainWindow &m_window;
    Result &m_result;
};

/// Whether it was there, and answered in time.
bool bench(Application &application, const std::vector<PassPlugin> &plugins,
           const std::vector<TargetPlugin> &targets, int rounds, const std::string &name,
           const std::function<void(MainWindow &)> &open)
{
    Result result(rounds);
    for (int round = 0; round < rounds; ++round) {
        WindowDriver driver(plugins, ThemeChoice::Dark, targets);
        QTest::qWait(100);
        Script script(application, driver, result);
        const double firstPicture = script.open(open);
        const SnapshotPointer snapshot = driver->session().snapshot();
        if (!snapshot) {
            std::printf("%s\n",
                        qPrintable(driver->session().messages().index(0).data().toString()));
            return false;
        }
        result.nodes = snapshot->graph().nodeCount();
        if (round == 0) // later ones have the memory of runs before them
            result.megabytes = peakMegabytes();
        result.idle = Script::idle();
        script.use();
        result.firstPicture.push_back(firstPicture);
    }
    result.print(name);
    return result.isResponsive();
}

/// The step of training of a model; null, and a word why, where there is none.
std::shared_ptr<const Plan> trainingPlan(const std::filesystem::path &file)
{
    auto model = importOnnx(file);
    auto training = model ? trainingModel(*model, {})
                          : graphloom::Result<TrainingModel>(tl::unexpected(model.error()));
    if (!training) {
        std::printf("%s\n", training.error().text().c_str());
        return nullptr;
    }
    return std::make_shared<const Plan>(initialPlan(
        std::make_shared<const Model>(std::move(training->model)), std::move(training->record)));
}

} // namespace

int main(int argc, char **argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    Application application(argc, argv);
    std::vector<std::filesystem::path> models, trained;
    std::filesystem::path folder = GRAPHLOOM_PLUGINS;
    int rounds = 5;
    bool synthetic = true, check = false, good = true;
    for (int i = 1; i < argc; ++i) {
        const std::string_view option = argv[i];
        if (option == "--no-synthetic")
            synthetic = false;
        else if (option == "--check")
            check = true;
        else if (option == "--training" && i + 1 < argc)
            trained.emplace_back(argv[++i]);
        else if (option == "--plugins" && i + 1 < argc)
            folder = argv[++i];
        else if (option == "--rounds" && i + 1 < argc)
            rounds = std::max(1, std::atoi(argv[++i]));
        else
            models.emplace_back(option);
    }
    auto plugins = loadPassPlugins(folder);
    plugins.push_back({{}, std::make_shared<test::ScriptedPass>(test::splitUntilStopped), {}});
    const std::vector<TargetPlugin> targets = loadTargetPlugins(GRAPHLOOM_TARGETS);
    if (synthetic)
        for (const auto &[name, graph] :
             {std::pair{"transformer with a mask", test::transformer(4000, true)},
              {"U-Net", test::unet(4000)}})
            good = bench(application, plugins, targets, rounds, name,
                         [plan = test::planOf(test::modelOf(graph))](MainWindow &window) {
                             window.session().show(plan);
                         }) &&
                   good;
    for (const auto &model : models)
        good = bench(application, plugins, targets, rounds, model.filename().string(),
                     [&](MainWindow &window) { window.bench().documents.open(model); }) &&
               good;
    for (const auto &model : trained)
        if (const auto plan = trainingPlan(model))
            good = bench(application, plugins, targets, rounds,
                         "training " + model.filename().string(),
                         [&](MainWindow &window) { window.session().show(plan); }) &&
                   good;
    return check && !good ? 1 : 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/app/window_driver.h"

#include "app/kernels/kernel_panel.h"
#include "app/snapshot/nested_snapshot.h"
#include "engine/onnx_export/export.h"
#include "tests/support/nested_model.h"

#include <QSignalSpy>

#include <array>
#include <chrono>
#include <thread>

namespace graphloom::test {

namespace {

constexpr std::array<std::string_view, 3> choices = {"slow", "fast", "fastest"};
constexpr std::array<Parameter, 4> parameters = {{
    {.name = "ratio",
     .help = "A share.",
     .kind = Parameter::Kind::Real,
     .initial = 0.25,
     .least = 0,
     .most = 1},
    {.name = "trials",
     .help = "A budget.",
     .kind = Parameter::Kind::Integer,
     .initial = 10,
     .least = 1,
     .most = 9e12},
    {.name = "greedy",
     .help = "A switch.",
     .kind = Parameter::Kind::Toggle,
     .initial = 1,
     .least = 0,
     .most = 1},
    {.name = "mode",
     .help = "A choice.",
     .kind = Parameter::Kind::Choice,
     .initial = 1,
     .least = 0,
     .most = 2,
     .choices = choices},
}};

} // namespace

std::span<const Parameter> ScriptedPass::parameters() const
{
    return test::parameters;
}

std::span<const RuleFacts> ScriptedPass::rules() const
{
    static const std::vector<RuleFacts> rules = {
        {.name = "twice",
         .category = "associative",
         .formula = "Add(x, x) -> 2 * x",
         .domain = "all",
         .flops = "n -> n"},
        {.name = "thrice",
         .category = "associative",
         .formula = "Add(Add(x, x), x) -> 3 * x",
         .domain = "x >= 0",
         .flops = "2*n -> n"},
        {.name = "swap",
         .category = "commutative",
         .formula = "Exp(Log(x)) -> x",
         .domain = "x > 0",
         .flops = "2*n -> 0",
         .exact = false,
         .initial = false},
    };
    return rules;
}

Result<Plan> splitUntilStopped(Plan plan, const Context &context)
{
    const auto &order = plan.graph.order();
    const auto split = [&](std::size_t subgraphs) {
        auto partition = std::make_shared<Partition>();
        partition->method = "equal parts";
        partition->subgraphOf.assign(plan.graph.nodeBound(), Partition::none);
        partition->subgraphs.resize(subgraphs);
        for (std::size_t i = 0; i < order.size(); ++i) {
            const std::size_t subgraph = i * subgraphs / order.size();
            partition->subgraphOf[order[i].index] = std::uint32_t(subgraph);
            partition->subgraphs[subgraph].nodes.push_back(order[i]);
            partition->subgraphs[subgraph].weight += 1;
        }
        Plan next = plan;
        next.partition = std::move(partition);
        return next;
    };
    std::size_t subgraphs = 2;
    for (; !context.stop.stop_requested(); subgraphs = std::min(subgraphs + 1, order.size())) {
        context.progress(0.25, "splitting");
        context.publish(std::make_shared<const Plan>(split(subgraphs)));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return split(subgraphs);
}

const std::vector<PassPlugin> &builtPlugins()
{
    static const std::vector<PassPlugin> plugins = loadPassPlugins(GRAPHLOOM_PLUGINS);
    return plugins;
}

SnapshotPointer snapshotOfSample(const std::string &name)
{
    return snapshotOfFile(sample(name));
}

SnapshotPointer mobileNet()
{
    const SnapshotPointer snapshot = snapshotOfSample("mobilenet_v2_224.onnx");
    if (!snapshot)
        qFatal("MobileNetV2 cannot be opened");
    return snapshot;
}

SnapshotPointer nestedSnapshot()
{
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath(QStringLiteral("nested.onnx")).toStdString();
    writeNestedModel(path);
    return snapshotOfFile(path);
}

NodeId nodeNamed(const Snapshot &snapshot, std::string_view name)
{
    for (const NodeId id : snapshot.graph().order())
        if (snapshot.graph().node(id).name == name)
            return id;
    return {};
}

SnapshotPointer inside(const SnapshotPointer &around, std::string_view node,
                       const QString &attribute)
{
    for (const NestedGraph &nested : around->facts->nestedIn(nodeNamed(*around, node)))
        if (nested.name == attribute)
            return insideOf(around, nested.step);
    return nullptr;
}

SnapshotPointer snapshotOfFile(const std::filesystem::path &path)
{
    auto model = importOnnx(path, {});
    if (!model)
        return nullptr;
    auto plan = importPlan(std::make_shared<const Model>(*std::move(model)));
    return plan ? snapshotOf(std::make_shared<const Plan>(*std::move(plan)), nullptr, {}) : nullptr;
}

namespace {

SnapshotPointer afterAgo(const SnapshotPointer &before, bool fuses)
{
    for (const PassPlugin &plugin : builtPlugins()) {
        if (!before || !plugin.pass || plugin.pass->name() != "ago")
            continue;
        Context context;
        context.settings = Settings(plugin.pass->parameters());
        if (!context.settings.set("fuse", fuses ? 1.0 : 0.0))
            return nullptr;
        auto plan = runPass(*plugin.pass, *before->plan, context);
        return plan ? snapshotOf(std::make_shared<const Plan>(*std::move(plan)), before, {})
                    : nullptr;
    }
    return nullptr;
}

} // namespace

SnapshotPointer partitioned(const SnapshotPointer &before)
{
    return afterAgo(before, false);
}

SnapshotPointer fusedInSubgraphs(const SnapshotPointer &before)
{
    return afterAgo(before, true);
}

SnapshotPointer partitionedSample(const std::string &name)
{
    return partitioned(snapshotOfSample(name));
}

void silencePlatform()
{
    static QtMessageHandler others = nullptr; // that of QtTest
    static const QtMessageHandler quiet = [](QtMsgType type, const QMessageLogContext &context,
                                             const QString &text) {
        if (!text.startsWith(QLatin1String("This plugin does not support ")))
            others(type, context, text);
    };
    if (const QtMessageHandler now = qInstallMessageHandler(quiet); now != quiet)
        others = now;
}

WindowDriver::WindowDriver(std::vector<PassPlugin> plugins, ThemeChoice theme,
                           std::vector<TargetPlugin> targets)
    : m_plugins(std::move(plugins)), m_targets(std::move(targets)), m_theme(theme)
{
    start();
}

void WindowDriver::start()
{
    silencePlatform();
    MainWindowOptions options;
    options.plugins = m_plugins;
    options.targets = m_targets;
    options.settingsFile = settingsFile();
    options.profile = scratch("profile.sqlite");
    options.theme = m_theme;
    m_window = std::make_unique<MainWindow>(std::move(options));
    m_window->resize(1600, 1000);
    m_window->show();
    QTest::qWait(0);
}

void WindowDriver::restart()
{
    m_window->close();
    m_window.reset();
    start();
}

bool WindowDriver::settle(int most)
{
    QTest::qWait(0);
    return QTest::qWaitFor([this] { return m_window->isSettled(); }, most);
}

bool WindowDriver::open(const std::filesystem::path &path)
{
    m_window->bench().documents.open(path);
    const bool isSettled = settle();
    const Session &session = m_window->session();
    return isSettled && session.snapshot() && (session.path() == path || session.file() == path);
}

bool WindowDriver::show(const SnapshotPointer &snapshot)
{
    QSignalSpy opened(&m_window->session(), &Session::openingFinished);
    m_window->session().show(snapshot->plan);
    return opened.wait(20'000) && settle();
}

QString WindowDriver::message(int row)
{
    return m_window->session().messages().index(row).data().toString();
}

bool WindowDriver::isRunStale()
{
    return m_window->view<KernelPanel>().statisticsText().contains(QStringLiteral("another plan"));
}

std::filesystem::path WindowDriver::scratch(const std::string &name) const
{
    return std::filesystem::path(m_folder.path().toStdString()) / name;
}

} // namespace graphloom::test

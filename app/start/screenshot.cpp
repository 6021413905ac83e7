// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start/screenshot.h"

#include "app/graph/canvas_page.h"
#include "app/kernels/kernel_panel.h"
#include "app/memory/memory_panel.h"
#include "app/runs/pass_form.h"
#include "app/runs/pass_panel.h"
#include "app/shell/panel_docks.h"
#include "engine/system/atomic_file.h"

#include <QApplication>
#include <QBuffer>
#include <QDockWidget>
#include <QEventLoop>
#include <QPixmap>
#include <QTimer>

namespace graphloom {

namespace {

constexpr QSize windowSize(1600, 1000);

/// Handles events until the window is idle. Sleeps in between so as not to disturb measurements.
void settle(MainWindow &window)
{
    QTimer look;
    look.start(20);
    QApplication::sendPostedEvents();
    while (!window.isSettled())
        QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
    QApplication::processEvents();
}

/// Returns the visible node with the most multiply-accumulates, as the most informative one.
Item heaviestNode(const GraphCanvas &canvas)
{
    const Drawing &drawing = *canvas.drawing();
    const QRectF seen = canvas.visibleScene();
    Item heaviest;
    std::int64_t most = -1;
    for (const NodeId id : drawing.snapshot->graph().order()) {
        const auto rect = drawing.rectOf(Item::of(id));
        const std::int64_t macs = drawing.snapshot->facts->of(id).macs.constant().value_or(0);
        if (macs > most && rect && seen.contains(*rect)) {
            most = macs;
            heaviest = Item::of(id);
        }
    }
    return heaviest;
}

/// Returns the largest tensor that is live at the peak.
Item largestAtPeak(const MemoryTimeline &timeline)
{
    const MemoryTimeline::Tensor *largest = nullptr;
    for (const MemoryTimeline::Tensor &tensor : timeline.tensors)
        if (tensor.hot && tensor.item && (!largest || tensor.bytes > largest->bytes))
            largest = &tensor;
    return largest ? largest->item : Item();
}

std::size_t slowestStep(const PlanRun &run)
{
    std::size_t slowest = 0;
    for (std::size_t step = 1; step < run.steps().size(); ++step)
        if (run.shareOf(step) > run.shareOf(slowest))
            slowest = step;
    return slowest;
}

/// Raises a panel below the graph, with this height.
void raiseBelow(MainWindow &window, const QString &panel, int height)
{
    QDockWidget &dock = window.panels().dock(panel);
    dock.show();
    dock.raise();
    window.resizeDocks({&dock}, {height}, Qt::Vertical);
}

/// Keeps the latest error that parts of the window have reported.
class ErrorListener final : public QObject {
public:
    explicit ErrorListener(MainWindow &window)
    {
        listenTo(window.session());
        listenTo(window.bench().kernels.runner());
        listenTo(window.bench().kernels.tuner());
        listenTo(window.bench().comparison.comparer());
    }
    /// Fails with the latest error, if there was one.
    Result<void> check() const
    {
        if (m_error)
            return tl::unexpected(*m_error);
        return {};
    }

private:
    template <class Part> void listenTo(Part &part)
    {
        connect(&part, &Part::failed, this, [this](const Error &error) { m_error = error; });
    }

    std::optional<Error> m_error;
};

/// Runs the pass that makes what the view shows, if there is one, and raises its panel.
Result<void> runPassOf(MainWindow &window, const std::string &view)
{
    const std::string_view pass = passOf(view).value_or("");
    if (pass.empty())
        return {};
    if (!window.view<PassPanel>().choose(pass))
        return fail(Error::Kind::Missing, "pass plugin \"" + std::string(pass) + "\" not found");
    window.bench().passes.run();
    settle(window);
    if (view == "partition") { // the pass also fuses blocks
        window.actions().groupSubgraphs->trigger();
        window.panels().dock(QStringLiteral("partition")).raise();
        settle(window);
    }
    if (isOfMemory(view)) {
        showMemory(window, view);
        settle(window);
    }
    return {};
}

/// Groups the nodes as the view shows them, and colours them by the figure that it is named after.
void showGroups(MainWindow &window, const std::string &view)
{
    if (view != "modules" && view != "fissions" && !isFigure(view))
        return;
    (view == "fissions" ? window.actions().groupFissions : window.actions().groupModules)
        ->trigger();
    if (isFigure(view)) {
        window.bench().colours.choose(QString::fromStdString(view));
        window.panels().dock(QStringLiteral("hierarchy")).raise();
    } else if (view == "fissions") {
        showMemory(window, view);
    }
    settle(window);
}

/// Opens the document and carries out what the view needs. Fails with errors that the window would
/// otherwise show as messages.
Result<void> prepareView(MainWindow &window, const std::filesystem::path &document,
                         const std::string &view,
                         const std::optional<std::filesystem::path> &compared)
{
    const ErrorListener listener(window);
    window.resize(windowSize);
    window.show();
    window.bench().documents.open(document);
    settle(window);
    GL_TRY(listener.check());
    GL_TRY(runPassOf(window, view));
    GL_TRY(listener.check());
    showGroups(window, view);
    GL_TRY(listener.check());
    if (isOfKernels(view)) {
        startKernels(window, view);
        settle(window);
        showKernels(window, view);
        settle(window);
        GL_TRY(listener.check());
    }
    if (compared) {
        startComparison(window, *compared);
        settle(window);
        GL_TRY(listener.check());
    }
    if (!window.session().snapshot())
        return fail(Error::Kind::Fault, "the document could not be opened", document.string());
    return {};
}

/// Selects what tells most about the view: the slowest step, the largest tensor at the peak, or
/// the group of the heaviest node.
void selectForView(MainWindow &window, const std::string &view)
{
    const Item heaviest = heaviestNode(window.page().canvas());
    const Grouping grouping = view == "partition"                 ? Grouping::Subgraphs
                              : view == "fissions"                ? Grouping::Fissions
                              : passOf(view).value_or("").empty() ? Grouping::None
                                                                  : Grouping::Blocks;
    const Item group =
        heaviest ? window.session().snapshot()->groupOf(heaviest.node(), grouping) : Item();
    const PlanRunPointer run = window.view<KernelPanel>().model().run();
    if (view != "tuning") // tuning shows all kernels
        window.selection().select(run ? run->itemOf(slowestStep(*run)) : group ? group : heaviest);
    if (const TimelinePointer &timeline = window.view<MemoryPanel>().view().timeline();
        isOfMemory(view) && timeline)
        window.selection().select(largestAtPeak(*timeline));
}

} // namespace

bool isOfKernels(std::string_view view)
{
    return view == "kernels" || view == "heat" || view == "roofline" || view == "tuning" ||
           view == "timeline";
}

bool isOfMemory(std::string_view view)
{
    return view == "memory" || view == "pareto" || view == "runs";
}

void prepareMemory(MainWindow &window, double seconds)
{
    constexpr std::string_view device = "phone-cpu"; // typical for inference
    if (!window.view<PassPanel>().choose("magis"))
        return;
    PassForm &form = *window.view<PassPanel>().form();
    form.setValue("seconds", seconds);
    for (const Parameter &parameter : form.pass().parameters())
        if (const auto choice = std::ranges::find(parameter.choices, device);
            parameter.name == "device" && choice != parameter.choices.end())
            form.setValue("device", double(choice - parameter.choices.begin()));
}

void showMemory(MainWindow &window, std::string_view view)
{
    raiseBelow(window, QString::fromUtf8(view.data(), qsizetype(view.size())), 400);
}

void startKernels(MainWindow &window, std::string_view view)
{
    if (view == "tuning")
        window.bench().kernels.tune();
    else if (view == "timeline")
        window.bench().kernels.runBeside();
    else
        window.bench().kernels.run();
}

void showKernels(MainWindow &window, std::string_view view)
{
    constexpr int height = 400;
    const bool timeline = view == "timeline";
    QDockWidget &dock =
        window.panels().dock(timeline ? QStringLiteral("timeline") : QStringLiteral("kernels"));
    dock.show();
    dock.raise();
    window.actions().heat->setChecked(view != "kernels" && !timeline);
    window.view<KernelPanel>().showTab(view == "roofline" ? KernelPanel::Tab::Roofline
                                       : view == "tuning" ? KernelPanel::Tab::Tuning
                                                          : KernelPanel::Tab::Source);
    if (view != "heat")
        window.resizeDocks({&dock}, {height}, Qt::Vertical);
}

bool isFigure(std::string_view view)
{
    return view == "live" || nodeFigure(QString::fromLatin1(view.data(), qsizetype(view.size())));
}

std::optional<std::string_view> passOf(std::string_view view)
{
    if (view == "blocks" || view == "rewriting" || isOfKernels(view))
        return "dnnfusion";
    if (view == "partition")
        return "ago";
    if (isOfMemory(view) || view == "fissions")
        return "magis";
    return view.empty() || view == "modules" || view == "compare" || isFigure(view) ||
                   view == "model"
               ? std::optional<std::string_view>("")
               : std::nullopt;
}

void startComparison(MainWindow &window, const std::filesystem::path &compared)
{
    window.bench().comparison.compareWithFile(compared);
}

void showComparison(MainWindow &window)
{
    raiseBelow(window, QStringLiteral("compare"), 560);
    window.actions().nextDifference->trigger();
}

Result<void> showView(MainWindow &window, const std::filesystem::path &document,
                      const std::string &view, const std::optional<std::filesystem::path> &compared)
{
    GL_TRY(prepareView(window, document, view, compared));
    window.page().canvas().fitReadable();
    selectForView(window, view);
    if (view == "rewriting") {
        QDockWidget &dock = window.panels().dock(QStringLiteral("rewriting"));
        dock.show();
        dock.raise();
    }
    if (compared) {
        showComparison(window);
        settle(window);
    }
    settle(window);
    return {};
}

Result<void> takeScreenshot(MainWindow &window, const std::filesystem::path &file)
{
    const QPixmap picture = window.grab();
    QBuffer buffer;
    if (!picture.save(&buffer, "PNG"))
        return fail(Error::Kind::Fault, "cannot encode the picture as PNG", file.string());
    const QByteArray &bytes = buffer.data();
    return writeFileAtomically(file, std::string_view(bytes.data(), std::size_t(bytes.size())));
}

} // namespace graphloom

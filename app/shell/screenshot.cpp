// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/screenshot.h"

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

/// Handles events until the window has nothing more to do. Sleeps between them: what runs meanwhile
/// may be measured.
void settle(MainWindow &window)
{
    QTimer look;
    look.start(20);
    QApplication::sendPostedEvents();
    while (!window.isSettled())
        QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
    QApplication::processEvents();
}

/// The node that says most about a model: of those in view the one with the most
/// multiply-accumulates.
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

/// The largest tensor of those that are there when memory is at its peak.
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

} // namespace

bool isOfKernels(std::string_view view)
{
    return view == "kernels" || view == "heat" || view == "roofline" || view == "tuning";
}

bool isOfMemory(std::string_view view)
{
    return view == "memory" || view == "pareto" || view == "runs";
}

void prepareMemory(MainWindow &window, double seconds)
{
    constexpr std::string_view device = "phone-cpu"; // that models for inference are for
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
    constexpr int height = 400;
    QDockWidget &dock =
        window.panels().dock(QString::fromUtf8(view.data(), qsizetype(view.size())));
    dock.show();
    dock.raise();
    window.resizeDocks({&dock}, {height}, Qt::Vertical);
}

void startKernels(MainWindow &window, std::string_view view)
{
    if (view == "tuning")
        window.bench().kernels.tune();
    else
        window.bench().kernels.run();
}

void showKernels(MainWindow &window, std::string_view view)
{
    constexpr int height = 400;
    QDockWidget &dock = window.panels().dock(QStringLiteral("kernels"));
    dock.show();
    dock.raise();
    window.actions().heat->setChecked(view != "kernels");
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
    constexpr int height = 560;
    QDockWidget &dock = window.panels().dock(QStringLiteral("compare"));
    dock.show();
    dock.raise();
    window.resizeDocks({&dock}, {height}, Qt::Vertical);
    window.actions().nextDifference->trigger();
}

Result<void> showView(MainWindow &window, const std::filesystem::path &document,
                      const std::string &view, const std::optional<std::filesystem::path> &compared)
{
    // What a message would say goes to the caller.
    std::optional<Error> problem;
    const auto listening = QObject::connect(&window.session(), &Session::failed, &window,
                                            [&](const Error &error) { problem = error; });
    window.resize(windowSize);
    window.show();
    window.bench().documents.open(document);
    settle(window);
    const std::string_view pass = passOf(view).value_or("");
    if (!problem && !pass.empty()) {
        if (!window.view<PassPanel>().choose(pass)) {
            problem = Error{Error::Kind::Missing,
                            "the pass plugin \"" + std::string(pass) + "\" was not found",
                            {},
                            std::source_location::current()};
        } else {
            window.bench().passes.run();
            settle(window);
            if (view == "partition") { // the pass fuses blocks, too
                window.actions().groupSubgraphs->trigger();
                window.panels().dock(QStringLiteral("partition")).raise();
                settle(window);
            }
            if (isOfMemory(view)) {
                showMemory(window, view);
                settle(window);
            }
        }
    }
    if (!problem && (view == "modules" || view == "fissions" || isFigure(view))) {
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
    const auto running = QObject::connect(&window.bench().kernels.runner(), &PlanRunner::failed,
                                          &window, [&](const Error &error) { problem = error; });
    const auto tuning = QObject::connect(&window.bench().kernels.tuner(), &KernelTuner::failed,
                                         &window, [&](const Error &error) { problem = error; });
    if (!problem && isOfKernels(view)) {
        startKernels(window, view);
        settle(window);
        showKernels(window, view);
        settle(window);
    }
    const auto comparing =
        QObject::connect(&window.bench().comparison.comparer(), &PlanComparer::failed, &window,
                         [&](const Error &error) { problem = error; });
    if (!problem && compared) {
        startComparison(window, *compared);
        settle(window);
    }
    QObject::disconnect(comparing);
    QObject::disconnect(listening);
    QObject::disconnect(running);
    QObject::disconnect(tuning);
    if (problem)
        return tl::unexpected(*problem);
    if (!window.session().snapshot())
        return fail(Error::Kind::Fault, "the document was not opened", document.string());
    GraphCanvas &canvas = window.page().canvas();
    canvas.fitReadable();
    const Item heaviest = heaviestNode(canvas);
    const Item group = heaviest ? window.session().snapshot()->groupOf(
                                      heaviest.node(), view == "partition"  ? Grouping::Subgraphs
                                                       : view == "fissions" ? Grouping::Fissions
                                                       : pass.empty()       ? Grouping::None
                                                                            : Grouping::Blocks)
                                : Item();
    const PlanRunPointer run = window.view<KernelPanel>().model().run();
    if (view != "tuning") // which shows all kernels
        window.selection().select(run ? run->itemOf(slowestStep(*run)) : group ? group : heaviest);
    if (const TimelinePointer &timeline = window.view<MemoryPanel>().view().timeline();
        isOfMemory(view) && timeline)
        window.selection().select(largestAtPeak(*timeline));
    if (view == "rewriting") {
        window.panels().dock(QStringLiteral("rewriting")).show();
        window.panels().dock(QStringLiteral("rewriting")).raise();
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
        return fail(Error::Kind::Fault, "the picture cannot be encoded as PNG", file.string());
    const QByteArray &bytes = buffer.data();
    return writeFileAtomically(file, std::string_view(bytes.data(), std::size_t(bytes.size())));
}

} // namespace graphloom

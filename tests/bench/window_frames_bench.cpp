// SPDX-License-Identifier: GPL-3.0-or-later
// How smoothly the canvas moves: a graph is dragged across the screen at 60 frames a second, at
// 100 %, 30 % and the scale at which it fits, first alone and then while a search runs on another
// core.
//   window_frames_bench MODEL|SESSION... [--frames N] [--pass NAME] [--training yes] [--expand yes]
// With --expand the groups are open, so that all nodes are drawn. A frame is the time from a
// movement of the mouse to the painted canvas. It is late if it ends after the next one is due.
// Blank frames have parts that are not painted yet at their final scale. All times are wall time:
// what else the machine does counts, too.
#include "app/graph/canvas_page.h"
#include "app/runs/pass_panel.h"
#include "tests/bench/training_models.h"
#include "tests/support/app/window_driver.h"

#include <QElapsedTimer>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace graphloom;
using test::WindowDriver;

namespace {

constexpr double interval = 1000.0 / 60; // milliseconds

/// The frames of one movement.
struct Frames {
    std::vector<double> times; // milliseconds
    int late = 0, blank = 0;
    double seconds = 0;

    void print(const char *what)
    {
        std::sort(times.begin(), times.end());
        const auto at = [&](double share) {
            return times[std::min(times.size() - 1, std::size_t(share * double(times.size())))];
        };
        std::printf("  %-28s median %5.2f, p99 %5.2f, longest %6.2f ms; %5.1f frames a second, "
                    "%.1f %% late, %.1f %% blank\n",
                    what, at(0.5), at(0.99), times.back(), double(times.size()) / seconds,
                    100.0 * late / double(times.size()), 100.0 * blank / double(times.size()));
    }
};

/// Handles events until a time of the timer.
void waitUntil(const QElapsedTimer &timer, double milliseconds)
{
    while (double(timer.nsecsElapsed()) / 1e6 < milliseconds)
        QCoreApplication::processEvents(QEventLoop::AllEvents);
}

/// Drags the canvas around in a circle.
Frames drag(GraphCanvas &canvas, int count)
{
    constexpr double pixels = 12; // in a frame
    constexpr int turn = 90;      // frames of a circle
    QWidget &view = *canvas.viewport();
    Frames frames;
    QPointF place = view.rect().center();
    QTest::mousePress(&view, Qt::MiddleButton, {}, place.toPoint());
    QElapsedTimer timer;
    timer.start();
    for (int i = 0; i < count; ++i) {
        const double due = i * interval;
        waitUntil(timer, due);
        const double angle = 2 * M_PI * i / turn;
        place += pixels * QPointF(std::cos(angle), std::sin(angle));
        const double begin = double(timer.nsecsElapsed()) / 1e6;
        QTest::mouseMove(&view, place.toPoint());
        view.repaint();
        const double end = double(timer.nsecsElapsed()) / 1e6;
        frames.times.push_back(end - begin);
        frames.late += end > due + interval;
        frames.blank += !canvas.tiles().isSettled();
    }
    frames.seconds = double(timer.nsecsElapsed()) / 1e9;
    QTest::mouseRelease(&view, Qt::MiddleButton, {}, place.toPoint());
    return frames;
}

void dragAll(WindowDriver &driver, int count, const char *load)
{
    GraphCanvas &canvas = driver.window().page().canvas();
    const auto measure = [&](const QString &what) {
        QTest::qWait(500); // until it is painted
        drag(canvas, count).print(qPrintable(what + QLatin1String(load)));
    };
    canvas.zoomTo(1);
    measure(QStringLiteral("at 100 %"));
    canvas.zoomTo(0.3);
    measure(QStringLiteral("at 30 %"));
    canvas.fit();
    measure(QStringLiteral("whole graph"));
}

/// Opens a file, or the step of training of a model. Says what is wrong with it.
bool open(WindowDriver &driver, const char *file, bool training)
{
    if (!training) {
        if (driver.open(file))
            return true;
        std::fprintf(stderr, "%s\n", qPrintable(driver.message()));
        return false;
    }
    const auto plan = bench::trainingPlan(file, {});
    if (!plan) {
        std::fprintf(stderr, "%s\n", plan.error().text().c_str());
        return false;
    }
    driver.window().session().show(std::make_shared<const Plan>(*plan));
    return driver.settle();
}

int run(int count, const std::string &pass, bool training, bool expanded,
        const std::vector<char *> &files)
{
    for (const char *file : files) {
        WindowDriver driver(test::builtPlugins());
        driver.window().resize(1920, 1080);
        driver.window().show();
        if (!open(driver, file, training))
            return 1;
        if (expanded) {
            driver.window().actions().expandAll->trigger();
            driver.settle();
        }
        std::printf("%s: %zu nodes, %zu drawn\n", file,
                    driver.window().session().snapshot()->graph().nodeCount(),
                    driver.window().page().canvas().drawing()->nodes.size());
        dragAll(driver, count, "");
        if (!driver.window().view<PassPanel>().choose(pass)) {
            std::fprintf(stderr, "there is no pass %s\n", pass.c_str());
            return 2;
        }
        driver.window().bench().passes.run();
        QTest::qWait(1000);
        dragAll(driver, count,
                driver.window().session().isRunning() ? ", searching" : ", searched");
        driver.window().session().cancel();
        driver.settle();
    }
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    int count = 600;
    std::string pass = "magis";
    bool training = false, expanded = false;
    std::vector<char *> files;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        const bool hasValue = i + 1 < argc;
        if (argument == "--frames" && hasValue)
            count = std::max(1, std::atoi(argv[++i]));
        else if (argument == "--pass" && hasValue)
            pass = argv[++i];
        else if (argument == "--training" && hasValue)
            training = std::string_view(argv[++i]) == "yes";
        else if (argument == "--expand" && hasValue)
            expanded = std::string_view(argv[++i]) == "yes";
        else
            files.push_back(argv[i]);
    }
    if (files.empty()) {
        std::fprintf(stderr, "usage: window_frames_bench MODEL|SESSION... [--frames N] "
                             "[--pass NAME] [--training yes] [--expand yes]\n");
        return 2;
    }
    const test::OwnFolders folders;
    Application application(argc, argv);
    return run(count, pass, training, expanded, files);
}

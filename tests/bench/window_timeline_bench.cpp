// SPDX-License-Identifier: GPL-3.0-or-later
// How long a frame of the memory timeline takes: a synthetic timeline, in part and as a whole,
// stacked and as an arena, at 1500 x 400 pixels; what is under the pointer; and making it. CPU
// time.
//   window_timeline_bench [TENSORS [STEPS]]
#include "app/memory/memory_view.h"
#include "app/shell/application.h"
#include "tests/support/app/made_timelines.h"

#include <QApplication>
#include <QImage>
#include <QPainter>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

using namespace graphloom;

namespace {

/// Of this thread: without what other programs take.
double milliseconds()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
}

template <class Work> void report(const char *name, Work work)
{
    std::vector<double> times;
    for (int i = 0; i < 15; ++i) {
        const double start = milliseconds();
        work(i);
        times.push_back(milliseconds() - start);
    }
    std::ranges::sort(times);
    std::printf("%-44s %8.2f ms median, %8.2f ms at most\n", name, times[times.size() / 2],
                times.back());
}

} // namespace

int main(int argc, char **argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    Application application(argc, argv);
    const auto tensors = std::uint32_t(argc > 1 ? std::atoi(argv[1]) : 100'000);
    const auto steps = std::uint32_t(argc > 2 ? std::atoi(argv[2]) : 100'000);
    const auto theme = loadTheme(QStringLiteral("dark"));
    if (!theme)
        return 1;
    test::Random random(1);
    const MemoryTimeline made = test::randomTimeline(random, tensors, steps);
    TimelinePointer timeline;
    report("derived figures", [&](int) { timeline = finished(made); });
    const TimelinePointer compared = finished(test::randomTimeline(random, tensors, steps));
    QImage image(1500, 400, QImage::Format_ARGB32_Premultiplied);
    for (const bool arena : {false, true})
        for (const double share : {1.0, 0.1, 0.01, 0.001}) {
            TimelineScene scene;
            scene.timeline = timeline;
            scene.compared = compared;
            scene.comparedName = QStringLiteral("before");
            scene.look.arena = arena;
            const auto name = [&](const char *what) {
                return QStringLiteral("%1, %2, %3 % in view")
                    .arg(QLatin1String(what),
                         arena ? QStringLiteral("arena") : QStringLiteral("stacked"))
                    .arg(100 * share)
                    .toStdString();
            };
            report(name("frame").c_str(), [&](int i) {
                scene.look.from = (1 - share) * steps * i / 15;
                scene.look.to = scene.look.from + share * steps;
                QPainter painter(&image);
                memoryPicture(scene, {}).paint(painter, QRectF(0, 0, 1500, 400), {*theme});
            });
            const TimelinePicture picture(scene, QRectF(0, 0, 1500, 400), application.font());
            report(name("pointer").c_str(), [&](int i) {
                const QPointF place(300 + 70 * i, 100 + 15 * i);
                if (picture.at(place).kind == TimelinePicture::Hit::Kind::Weights)
                    std::puts("");
            });
            TimelineMarks marks;
            const auto hit = picture.at({700, 300});
            marks.hovered = hit.index;
            report(name("marks").c_str(), [&](int) {
                QPainter painter(&image);
                paintMarks(painter, picture, *theme, marks);
            });
        }
    return 0;
}

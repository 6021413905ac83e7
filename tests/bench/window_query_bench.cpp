// SPDX-License-Identifier: GPL-3.0-or-later
// How long queries take on a transformer-like graph, of which the thread of the window takes
// searchPatience at most. CPU time.
//   window_query_bench [NODES]
#include <QHash> // first: see query.h

#include "app/query/search.h"
#include "app/shell/application.h"
#include "tests/support/app/window_driver.h"
#include "tests/support/synthetic_graphs.h"

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

} // namespace

int main(int argc, char **argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const Application application(argc, argv);
    const auto nodes = std::size_t(argc > 1 ? std::atoi(argv[1]) : 10'000);
    const SnapshotPointer snapshot =
        snapshotOf(test::planOf(test::modelOf(test::transformer(nodes))), nullptr, {});
    std::printf("%zu nodes\n", snapshot->graph().nodeCount());
    for (const char *text : {"attention", "conv*", "op:MatMul", "macs>1M", "module:layer",
                             "tensor:weight", "shape:1x*", "op:MatMul (cin>64 or fanout>2)"}) {
        const Query query(QString::fromLatin1(text));
        std::vector<double> times;
        std::size_t found = 0;
        for (int i = 0; i < 15; ++i) {
            const double start = milliseconds();
            found = findPlaces(*snapshot, query).size();
            times.push_back(milliseconds() - start);
        }
        std::ranges::sort(times);
        std::printf("%-36s %8.2f ms median, %6zu found\n", text, times[times.size() / 2], found);
    }
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// What a plan says of its memory can be carried out, and needs what the plan needs.
#include "plugins/magis/realize/realized_schedule.h"

#include "plugins/magis/schedule/scheduling.h"
#include "tests/plugins/magis/memory_graphs.h"
#include "tests/support/magis_networks.h"
#include "tests/support/random_states.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::realized_schedule_test {

using namespace graphloom::magis;
using test::networkOpsets;

class RealizedScheduleTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void schedulesOfRandomStatesHold_data();
    void schedulesOfRandomStatesHold();
};

void RealizedScheduleTest::schedulesOfRandomStatesHold_data()
{
    QTest::addColumn<QString>("name");
    for (const auto &[name, make] : test::networks())
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void RealizedScheduleTest::schedulesOfRandomStatesHold()
{
    QFETCH(QString, name);
    // A slow link: transfers are under way for long.
    Device device = *findDevice("rtx-3090");
    device.hostLink /= 100;
    const MemoryGraph memory =
        test::memoryOf(test::networks().at(name.toStdString())(), device, true, networkOpsets());
    SearchSpace space(memory, portfolio(memory, scheduled(memory, {})));
    Simulator simulator(memory, space.evictions());
    int states = 0, swapped = 0;
    for (std::uint64_t seed = 0; states < 60 && seed < 3000; ++seed) {
        test::RandomStates random(space, seed);
        const auto state = random.next(simulator, {3});
        if (!state)
            continue;
        ++states;
        Trace trace;
        const Outcome outcome = simulator.run(*state->arrangement, state->policies, &trace);
        const auto made =
            realized(memory, space.fissions(), *state->arrangement, trace, networkOpsets());
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        const RealizedMemory places = memoryOf(memory, *made);
        const MemorySchedule schedule = scheduleOf(*made, places, arenaOf(places), true);
        const auto checked = checkSchedule(made->graph, schedule);
        QVERIFY2(checked, qPrintable(QString("seed %1: %2")
                                         .arg(seed)
                                         .arg(checked ? "" : checked.error().text().c_str())));
        swapped += !schedule.swaps.empty();
        const MemoryPeak peak = peakOf(schedule);
        QVERIFY2(peak.bytes == places.peak && peak.bytes <= outcome.peak,
                 qPrintable(QString("seed %1: %2, %3, %4")
                                .arg(seed)
                                .arg(peak.bytes)
                                .arg(places.peak)
                                .arg(outcome.peak)));
    }
    QCOMPARE(states, 60);
    qInfo("%d with swaps", swapped);
}

GRAPHLOOM_TESTS(RealizedScheduleTest)

} // namespace graphloom::test::realized_schedule_test

#include "realized_schedule_test.moc"

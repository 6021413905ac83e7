// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/memory/arena.h"

#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <random>

namespace graphloom::test::arena_test {

namespace {

/// Why the layout is wrong; empty when it is right.
QString faultOf(const std::vector<ArenaRequest> &requests, const ArenaLayout &layout,
                std::int64_t alignment)
{
    if (layout.offsets.size() != requests.size())
        return "not an offset for each request";
    if (layout.bytes < layout.lowerBound)
        return "smaller than the bound";
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const std::int64_t begin = layout.offsets[i], end = begin + requests[i].bytes;
        if (begin < 0 || begin % alignment != 0 || end > layout.bytes)
            return QString("request %1 is outside or not aligned").arg(i);
        for (std::size_t j = 0; j < i; ++j) {
            const bool together =
                requests[i].first <= requests[j].last && requests[j].first <= requests[i].last;
            const bool apart =
                end <= layout.offsets[j] || layout.offsets[j] + requests[j].bytes <= begin;
            if (together && !apart && requests[i].bytes > 0 && requests[j].bytes > 0)
                return QString("requests %1 and %2 overlap").arg(j).arg(i);
        }
    }
    return {};
}

std::vector<ArenaRequest> randomRequests(unsigned seed, std::size_t count, std::uint32_t steps,
                                         std::uint32_t longest)
{
    std::mt19937 random(seed);
    std::vector<ArenaRequest> requests(count);
    for (ArenaRequest &request : requests) {
        request.bytes = std::int64_t(random() % 5 == 0 ? random() % 10 : random() % 100'000);
        request.first = std::uint32_t(random()) % steps;
        request.last = request.first + std::uint32_t(random()) % longest;
    }
    return requests;
}

} // namespace

class ArenaTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothing();
    void chainsReuseTwoBuffers();
    void residualsKeepTheirPlace();
    void sizesAreRoundedUp();
    void theSmallestGapIsTaken();
    void theBoundIsTheGreatestLiveSum();
    void randomRequestsNeverOverlap();
    void thousandsOfRequestsStayNearTheBound();
};

void ArenaTest::nothing()
{
    const ArenaLayout layout = planArena({});
    QCOMPARE(layout.bytes, std::int64_t{0});
    QVERIFY(layout.offsets.empty());
    QCOMPARE(planArena(std::vector<ArenaRequest>{{0, 3, 4}}).bytes, std::int64_t{0});
}

void ArenaTest::chainsReuseTwoBuffers()
{
    std::vector<ArenaRequest> chain;
    for (std::uint32_t i = 0; i < 10; ++i)
        chain.push_back({1024, i, i + 1});
    const ArenaLayout layout = planArena(chain);
    QCOMPARE(layout.bytes, std::int64_t{2048});
    QCOMPARE(faultOf(chain, layout, 64), QString());
}

void ArenaTest::residualsKeepTheirPlace()
{
    const std::vector<ArenaRequest> requests = {{640, 0, 9}, {640, 1, 2}, {640, 2, 3}, {640, 3, 4}};
    const ArenaLayout layout = planArena(requests);
    QCOMPARE(layout.bytes, std::int64_t{1920});
    QCOMPARE(faultOf(requests, layout, 64), QString());
}

void ArenaTest::sizesAreRoundedUp()
{
    const std::vector<ArenaRequest> requests = {{1, 0, 0}, {129, 0, 0}};
    const ArenaLayout layout = planArena(requests, 128);
    QCOMPARE(layout.bytes, std::int64_t{384});
    QCOMPARE(layout.lowerBound, std::int64_t{384});
    QCOMPARE(faultOf(requests, layout, 128), QString());
}

void ArenaTest::theSmallestGapIsTaken()
{
    // The last request finds the gaps of two ended neighbours; it belongs in the smaller.
    const std::vector<ArenaRequest> requests = {
        {1024, 0, 1}, {960, 0, 9}, {512, 0, 1}, {448, 0, 9}, {256, 5, 5}};
    const ArenaLayout layout = planArena(requests);
    QCOMPARE(layout.bytes, layout.lowerBound);
    QCOMPARE(layout.offsets[4], layout.offsets[2]);
}

void ArenaTest::theBoundIsTheGreatestLiveSum()
{
    // Ends and begins of one step do not count together; those of touching steps do.
    const std::vector<ArenaRequest> requests = {{64, 0, 1}, {128, 2, 3}, {256, 3, 4}};
    QCOMPARE(planArena(requests).lowerBound, std::int64_t{384});
}

void ArenaTest::randomRequestsNeverOverlap()
{
    for (unsigned seed = 1; seed <= 100; ++seed) {
        const auto requests = randomRequests(seed, 1 + seed * 3 % 80, 1 + seed % 40, 1 + seed % 17);
        const std::int64_t alignment = std::int64_t{1} << seed % 8;
        const QString fault = faultOf(requests, planArena(requests, alignment), alignment);
        QVERIFY2(fault.isEmpty(), qPrintable(QString("seed %1: %2").arg(seed).arg(fault)));
    }
}

void ArenaTest::thousandsOfRequestsStayNearTheBound()
{
    const auto requests = randomRequests(7, 3000, 2000, 20);
    const ArenaLayout layout = planArena(requests);
    QCOMPARE(faultOf(requests, layout, 64), QString());
    QVERIFY2(double(layout.bytes) <= 1.2 * double(layout.lowerBound),
             qPrintable(QString("%1 of %2").arg(layout.bytes).arg(layout.lowerBound)));
}

GRAPHLOOM_TESTS(ArenaTest)

} // namespace graphloom::test::arena_test

#include "arena_test.moc"

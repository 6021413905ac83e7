// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/schedule/scheduling.h"

#include "plugins/magis/graph/dependence.h"
#include "plugins/magis/graph/segment.h"
#include "tests/plugins/magis/memory_graphs.h"
#include "tests/plugins/magis/random_memory.h"
#include "tests/support/cell_networks.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <set>

namespace graphloom::test::scheduling_test {

using namespace graphloom::magis;
using test::below;
using test::Random;

namespace {

using Done = IndexedVector<StepIndex, bool>;

/// Bytes in use while a step runs behind those done, from the definition alone: all buffers that
/// are there and that it or something later needs, once each where it takes memory over.
std::int64_t bytesDuring(const MemoryGraph &memory, const Done &done, StepIndex step)
{
    const Step &run = memory.steps()[step];
    std::int64_t bytes = 0;
    bool takesOver = false;
    for (const BufferIndex b : memory.buffers().indices()) {
        const Buffer &buffer = memory.buffers()[b];
        if (buffer.resident || buffer.updates.isValid())
            continue;
        const bool given = !buffer.producer.isValid();
        const bool written = buffer.producer == step;
        const bool there = given || done[buffer.producer] || written;
        const bool read = std::ranges::count(buffer.readers, step) > 0;
        const bool later =
            buffer.kept || std::ranges::any_of(buffer.readers, [&](StepIndex reader) {
                return reader != step && !done[reader];
            });
        const bool unread = given && buffer.readers.empty(); // it is just there
        if (there && (written || read || later || unread))
            bytes += buffer.bytes;
        takesOver = takesOver || (read && !later && std::ranges::count(run.overwrites, b) > 0);
    }
    const Buffer *first = run.writes.empty() ? nullptr : &memory.buffers()[run.writes.front()];
    return bytes - (takesOver && !first->updates.isValid() ? first->bytes : 0);
}

std::int64_t peakByDefinition(const MemoryGraph &memory, const StepOrder &order)
{
    Done done(memory.steps().size(), false);
    std::int64_t peak = 0;
    for (const StepIndex step : order) {
        peak = std::max(peak, bytesDuring(memory, done, step));
        done[step] = true;
    }
    return peak;
}

/// The least peak of all topological orders, one after the other.
class AllOrders {
public:
    explicit AllOrders(const MemoryGraph &memory)
        : m_memory(memory), m_done(memory.steps().size(), false)
    {
        go(0, 0);
    }
    std::int64_t least() const { return m_least; }

private:
    void go(std::size_t count, std::int64_t peak)
    {
        if (peak >= m_least)
            return;
        if (count == m_done.size()) {
            m_least = peak;
            return;
        }
        for (const StepIndex s : m_done.indices()) {
            const auto &before = m_memory.steps()[s].before;
            if (m_done[s] || !std::ranges::all_of(before, [&](StepIndex b) { return m_done[b]; }))
                continue;
            const std::int64_t bytes = bytesDuring(m_memory, m_done, s);
            m_done[s] = true;
            go(count + 1, std::max(peak, bytes));
            m_done[s] = false;
        }
    }

    const MemoryGraph &m_memory;
    Done m_done;
    std::int64_t m_least = std::numeric_limits<std::int64_t>::max();
};

/// Steps reachable in one direction, by following edges until nothing changes.
std::set<StepIndex> reached(const MemoryGraph &memory, StepIndex from,
                            std::vector<StepIndex> Step::*next)
{
    std::set<StepIndex> found;
    std::vector<StepIndex> pending{from};
    while (!pending.empty()) {
        const StepIndex step = pending.back();
        pending.pop_back();
        for (const StepIndex other : memory.steps()[step].*next)
            if (found.insert(other).second)
                pending.push_back(other);
    }
    return found;
}

/// The steps in the order that the dynamic program finds for them as one segment.
StepOrder solved(const MemoryGraph &memory, const StepOrder &given, std::size_t most)
{
    const IndexedVector<Segment::Place, StepIndex> steps(given.elements());
    const Done none(given.size(), false);
    StepOrder found;
    for (const Segment::Place place : Segment(memory, given, none).order(most))
        found.push_back(steps[place]);
    return found;
}

/// Three blocks that are alike, one after the other, with something narrow between them.
Graph repeatedBlocks()
{
    test::Sketch s;
    TensorId x = s.input("x", {1, 8, 8, 8});
    for (int block = 0; block < 3; ++block) {
        const TensorId wide = s.conv(x, 8, 24);
        const TensorId a = s.conv(wide, 24, 4), b = s.conv(wide, 24, 4);
        x = s.call("Sigmoid", {s.call("Concat", {s.conv(a, 4, 4), s.conv(b, 4, 4)},
                                      {test::integer("axis", 1)})});
    }
    return s.finish({x});
}

} // namespace

class SchedulingTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void waistsCountWhatIsNeitherEarlierNorLater();
    void peaksAreThoseOfTheDefinition();
    void theDynamicProgramFindsTheLeastPeak();
    void fewStatesAreNeverWorseThanTheGivenOrder();
    void segmentsFollowEachOther();
    void scheduledIsValidAndNeverHigher();
    void rescheduledIsValid();
    void rescheduledWithoutAChangeKeepsTheOrder();
    void onlyTheNeighbourhoodOfAChangeMoves();
    void updatesComeBehindAllReaders();
    void blocksThatAreAlikeAreScheduledOnce();
    void segmentsThatDifferHaveOtherForms();
    void aTakeoverCountsOnce();
    void theOrdersOfThePortfolioAreValid();
};

void SchedulingTest::waistsCountWhatIsNeitherEarlierNorLater()
{
    Random random(1);
    for (int round = 0; round < 40; ++round) {
        const MemoryGraph memory = test::randomMemory(random, 3 + int(below(random, 90)));
        const auto waists = narrowWaists(memory);
        QVERIFY(!memory.steps().empty());
        QCOMPARE(waists.size(), memory.steps().size());
        for (const StepIndex s : memory.steps().indices()) {
            const auto before = reached(memory, s, &Step::before);
            const auto after = reached(memory, s, &Step::after);
            QCOMPARE(std::size_t(waists[s]),
                     memory.steps().size() - before.size() - after.size() - 1);
        }
    }
}

void SchedulingTest::peaksAreThoseOfTheDefinition()
{
    Random random(2);
    for (int round = 0; round < 60; ++round) {
        const MemoryGraph memory = test::randomMemory(random, 3 + int(below(random, 40)));
        const StepOrder order = test::randomOrder(memory, random);
        QVERIFY(test::isValidOrder(memory, order));
        QCOMPARE(peakOf(memory, order), peakByDefinition(memory, order));
    }
}

void SchedulingTest::theDynamicProgramFindsTheLeastPeak()
{
    Random random(3);
    int lowered = 0;
    for (int round = 0; round < 250; ++round) {
        const MemoryGraph memory = test::randomMemory(random, 3 + int(below(random, 7)));
        const StepOrder own = test::ownOrder(memory);
        const StepOrder found = solved(memory, own, std::size_t(1) << 20);
        QVERIFY(test::isValidOrder(memory, found));
        const std::int64_t least = AllOrders(memory).least();
        QVERIFY2(peakOf(memory, found) == least, qPrintable(QString("round %1").arg(round)));
        lowered += least < peakOf(memory, own);
    }
    QVERIFY(lowered > 25); // the orders matter in these graphs
}

void SchedulingTest::fewStatesAreNeverWorseThanTheGivenOrder()
{
    Random random(4);
    for (int round = 0; round < 60; ++round) {
        const MemoryGraph memory = test::randomMemory(random, 40);
        const StepOrder given = test::randomOrder(memory, random);
        const StepOrder found = solved(memory, given, 2);
        QVERIFY(test::isValidOrder(memory, found));
        QVERIFY(peakOf(memory, found) <= peakOf(memory, given));
    }
}

void SchedulingTest::segmentsFollowEachOther()
{
    Random random(5);
    for (int round = 0; round < 40; ++round) {
        const MemoryGraph memory = test::randomMemory(random, 60);
        StepOrder joined;
        for (const auto &segment : partition(memory, test::ownOrder(memory))) {
            QVERIFY(!segment.empty());
            for (const StepIndex step : segment)
                joined.push_back(step);
        }
        QVERIFY(test::isValidOrder(memory, joined));
    }
    const MemoryGraph blocks = test::memoryOf(repeatedBlocks());
    QVERIFY(partition(blocks, test::ownOrder(blocks)).size() >= 6); // at its waists
}

void SchedulingTest::scheduledIsValidAndNeverHigher()
{
    Random random(6);
    const SchedulingOptions few{.states = 16};
    for (int round = 0; round < 60; ++round) {
        const MemoryGraph memory = test::randomMemory(random, 5 + int(below(random, 250)));
        const StepOrder order = scheduled(memory, few);
        QVERIFY(test::isValidOrder(memory, order));
        QVERIFY(peakOf(memory, order) <= peakOf(memory, test::ownOrder(memory)));
    }
}

void SchedulingTest::rescheduledIsValid()
{
    const SchedulingOptions few{.states = 64};
    for (std::uint64_t seed = 0; seed < 9; ++seed) {
        Random random(seed);
        Graph graph = test::cellNetwork(random, 3 + int(seed % 4));
        MemoryGraph old = test::memoryOf(graph);
        // Any order may be the old one: changes then meet steps in places of all kinds.
        StepOrder order = seed % 2 == 0 ? scheduled(old, few) : test::randomOrder(old, random);
        SegmentCache cache;
        for (int round = 0; round < 8; ++round) {
            std::string names;
            for (std::uint64_t k = 0; k <= seed % 3; ++k)
                names += test::substitute(graph, random) + "; ";
            MemoryGraph now = test::memoryOf(graph);
            StepOrder next = rescheduled(old, order, narrowWaists(old), now, few,
                                         round % 2 == 0 ? &cache : nullptr);
            QVERIFY2(test::isValidOrder(now, next), names.c_str());
            old = std::move(now);
            order = std::move(next);
        }
    }
}

void SchedulingTest::rescheduledWithoutAChangeKeepsTheOrder()
{
    Random random(7);
    const MemoryGraph memory = test::randomMemory(random, 80);
    const StepOrder order = test::randomOrder(memory, random);
    QCOMPARE(rescheduled(memory, order, narrowWaists(memory), memory, {}), order);
}

void SchedulingTest::onlyTheNeighbourhoodOfAChangeMoves()
{
    // A chain of 300 calls with the highest peak at its beginning; a call near the end is made
    // twice. What is more than the interval's length away is where it was.
    test::Sketch s;
    TensorId x = s.input("x", {64, 64});
    x = s.call("MatMul", {s.weight({512, 64}), x});
    x = s.call("MatMul", {s.weight({8, 512}), x});
    std::vector<TensorId> tensors;
    for (int i = 0; i < 300; ++i)
        tensors.push_back(x = s.call(i % 2 ? "Relu" : "Sigmoid", {x}));
    const TensorId skipped = s.call("Add", {x, tensors[270]});
    const Graph graph = s.finish({skipped});
    const MemoryGraph old = test::memoryOf(graph);
    const NodeId reader = graph.producer(skipped), from = graph.producer(tensors[270]);
    GraphEditor editor(graph);
    Tensor copied = graph.tensor(tensors[270]);
    copied.name = "copy";
    const TensorId copy = editor.addTensor(copied);
    Node again = graph.node(from);
    again.outputs = {copy};
    editor.addNode(again);
    Node changed = graph.node(reader);
    changed.inputs = {x, copy};
    editor.replaceNode(reader, changed);
    const MemoryGraph now = test::memoryOf(*std::move(editor).finish());
    const StepOrder order = test::ownOrder(old);
    const StepOrder next = rescheduled(old, order, narrowWaists(old), now, {});
    QVERIFY(test::isValidOrder(now, next));
    for (const Position p : firstIndices<Position>(250))
        QCOMPARE(now.steps()[next[p]].node, old.steps()[order[p]].node);
}

void SchedulingTest::updatesComeBehindAllReaders()
{
    // w - g takes the place of w, which two products read.
    test::Sketch s;
    const TensorId x = s.input("x", {4, 4}), w = s.weight({4, 4});
    const TensorId early = s.call("MatMul", {x, w});
    TensorId y = early;
    for (int i = 0; i < 4; ++i)
        y = s.call("MatMul", {y, s.weight({4, 4})});
    const TensorId late = s.call("MatMul", {y, w});
    const TensorId updated = s.call("Sub", {w, s.call("MatMul", {x, x})});
    const MemoryGraph memory = test::memoryOf(s.finish({late, updated}));
    const StepIndex update(memory.steps().size() - 1);
    const Buffer &buffer = memory.buffers()[memory.bufferOf(updated)];
    QCOMPARE(buffer.updates, memory.bufferOf(w));
    QCOMPARE(memory.steps()[update].before, (std::vector{StepIndex(0), update - 2, update - 1}));
    for (const StepOrder &order : portfolio(memory, scheduled(memory, {})))
        QCOMPARE(order.back(), update);
}

void SchedulingTest::blocksThatAreAlikeAreScheduledOnce()
{
    const MemoryGraph memory = test::memoryOf(repeatedBlocks());
    SegmentCache cache;
    const StepOrder first = scheduled(memory, {}, &cache);
    const std::size_t hits = cache.hits();
    QVERIFY(hits >= 2); // of the second and the third block
    QCOMPARE(scheduled(memory, {}, &cache), first);
    QVERIFY(cache.hits() > hits);
    QCOMPARE(scheduled(memory, {}), first); // the same without
}

void SchedulingTest::segmentsThatDifferHaveOtherForms()
{
    // Two calls of one cost on equal tensors: one may take its input's memory over, one may not.
    const auto formOf = [](const char *op) {
        test::Sketch s;
        const TensorId x = s.input("x", {4, 4});
        const TensorId y = s.call(op, {s.call("Sigmoid", {x})});
        const MemoryGraph memory = test::memoryOf(s.finish({s.call("Sigmoid", {y})}));
        const StepOrder steps = test::ownOrder(memory);
        return Segment(memory, steps, Done(steps.size(), false)).form();
    };
    QCOMPARE(formOf("Relu"), formOf("Abs"));
    QVERIFY(formOf("Relu") != formOf("Transpose"));
}

void SchedulingTest::aTakeoverCountsOnce()
{
    // Both operands end at the Add, but its result has the place of one of them only.
    test::Sketch s;
    const TensorId x = s.input("x", {16, 16}); // 1 KiB
    const TensorId a = s.call("Transpose", {x}), b = s.call("Transpose", {a});
    const TensorId sum = s.call("Add", {a, b});
    const MemoryGraph memory = test::memoryOf(s.finish({s.call("Relu", {sum})}));
    const StepOrder order = test::ownOrder(memory);
    QCOMPARE(peakOf(memory, order), std::int64_t(2048)); // x and a; then a and b; then the sum
    QCOMPARE(peakByDefinition(memory, order), std::int64_t(2048));
    MemoryWalk walk(memory);
    for (const StepIndex step : order)
        walk.run(step);
    QCOMPARE(walk.alive(), std::int64_t(1024)); // the output
}

void SchedulingTest::theOrdersOfThePortfolioAreValid()
{
    Random random(8);
    for (int round = 0; round < 8; ++round) {
        const MemoryGraph memory = test::randomMemory(random, 40);
        const auto orders = portfolio(memory, scheduled(memory, {}));
        QVERIFY(orders.size() > 1);
        QCOMPARE(orders.front(), test::ownOrder(memory));
        for (std::size_t i = 0; i < orders.size(); ++i) {
            QVERIFY(test::isValidOrder(memory, orders[i]));
            QVERIFY(std::find(orders.begin(), orders.begin() + std::ptrdiff_t(i), orders[i]) ==
                    orders.begin() + std::ptrdiff_t(i));
        }
    }
}

GRAPHLOOM_TESTS(SchedulingTest)

} // namespace graphloom::test::scheduling_test

#include "scheduling_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/cow_vector.h"
#include "tests/support/random_graph.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <thread>

namespace graphloom::test::cow_vector_test {

namespace {

/// Counts how many of it there are.
struct Counted {
    static inline int alive = 0;
    int value = 0;
    Counted() { ++alive; }
    Counted(const Counted &other) : value(other.value) { ++alive; }
    Counted &operator=(const Counted &) = default;
    ~Counted() { --alive; }
};

} // namespace

class CowVectorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void behavesLikeAVectorOfValues();
    void copiesShareChunks();
    void writerSeesAndWrites();
    void nothingLeaks();
    void copiesInThreads();
};

void CowVectorTest::behavesLikeAVectorOfValues()
{
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        test::Random random(seed);
        std::vector<CowVector<int, 4>> shared(1);
        std::vector<std::vector<int>> plain(1);
        for (int step = 0; step < 200; ++step) {
            const auto at = test::below(random, shared.size());
            const auto value = int(test::below(random, 1000));
            switch (test::below(random, 4)) {
            case 0:
                shared[at].push_back(value);
                plain[at].push_back(value);
                break;
            case 1:
                if (shared.size() < 8) {
                    shared.push_back(CowVector<int, 4>(shared[at]));
                    plain.push_back(std::vector<int>(plain[at]));
                } else {
                    shared[at] = shared.back();
                    plain[at] = plain.back();
                }
                break;
            default:
                if (!plain[at].empty()) {
                    const auto i = test::below(random, plain[at].size());
                    shared[at].mutate(i) = value;
                    plain[at][i] = value;
                }
            }
        }
        QVERIFY(plain.size() > 1);
        for (std::size_t v = 0; v < plain.size(); ++v) {
            QCOMPARE(shared[v].size(), plain[v].size());
            QCOMPARE(shared[v].empty(), plain[v].empty());
            for (std::size_t i = 0; i < plain[v].size(); ++i)
                QCOMPARE(shared[v][i], plain[v][i]);
        }
    }
}

void CowVectorTest::copiesShareChunks()
{
    CowVector<int, 4> original;
    for (int i = 0; i < 12; ++i)
        original.push_back(i);
    CowVector<int, 4> copy = original;
    copy.mutate(5) = 50;
    QCOMPARE(&copy[0], &original[0]);
    QCOMPARE(&copy[11], &original[11]);
    QVERIFY(&copy[5] != &original[5]);
    QCOMPARE(original[5], 5);
    const int *alone = &copy[5];
    copy.mutate(6) = 60; // the chunk is its own already
    QCOMPARE(&copy[5], alone);
}

void CowVectorTest::writerSeesAndWrites()
{
    CowVector<int, 4> vector;
    for (int i = 0; i < 10; ++i)
        vector.push_back(i);
    const CowVector<int, 4> before = vector;
    {
        CowVector<int, 4>::Writer writer(vector);
        writer.mutate(1) = 10;
        writer.mutate(2) = writer[1] + writer[9];
        QCOMPARE(writer[2], 19);
    }
    QCOMPARE(vector[1], 10);
    QCOMPARE(vector[2], 19);
    QCOMPARE(before[1], 1);
    QCOMPARE(&vector[9], &before[9]); // untouched chunks stay shared
}

void CowVectorTest::nothingLeaks()
{
    {
        CowVector<Counted, 4> vector;
        for (int i = 0; i < 9; ++i)
            vector.push_back({});
        CowVector<Counted, 4> copy = vector;
        copy.mutate(8).value = 3;
        vector = copy;
        CowVector<Counted, 4> moved = std::move(copy);
        QCOMPARE(moved[8].value, 3);
        QVERIFY(Counted::alive >= 9);
    }
    QCOMPARE(Counted::alive, 0);
}

void CowVectorTest::copiesInThreads()
{
    CowVector<int, 8> base;
    for (int i = 0; i < 256; ++i)
        base.push_back(i);
    std::vector<std::thread> threads;
    std::vector<long> sums(4, 0);
    for (std::size_t t = 0; t < sums.size(); ++t)
        threads.emplace_back([&, t] {
            for (int round = 0; round < 500; ++round) {
                CowVector<int, 8> mine = base;
                for (std::size_t i = t; i < mine.size(); i += 4)
                    mine.mutate(i) += 1;
                for (std::size_t i = 0; i < mine.size(); ++i)
                    sums[t] += mine[i];
            }
        });
    for (auto &thread : threads)
        thread.join();
    for (const long sum : sums)
        QCOMPARE(sum, 500L * (255 * 128 + 64));
    for (int i = 0; i < 256; ++i)
        QCOMPARE(base[std::size_t(i)], i);
}

GRAPHLOOM_TESTS(CowVectorTest)

} // namespace graphloom::test::cow_vector_test

#include "cow_vector_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include "engine/base/hash.h"

#include "engine/base/result.h"
#include "tests/support/random_graph.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <bit>
#include <set>

namespace graphloom::test::hash_test {

class HashTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void smallInputsDoNotCollide();
    void orderMatters();
    void everyBitCounts();
    void textAndBytesAgree();
    void errorText();
};

void HashTest::smallInputsDoNotCollide()
{
    std::set<std::uint64_t> scrambled, combined;
    for (std::uint64_t i = 0; i < 20000; ++i)
        scrambled.insert(scramble(i));
    QCOMPARE(scrambled.size(), std::size_t(20000));
    for (std::uint64_t i = 0; i < 150; ++i)
        for (std::uint64_t j = 0; j < 150; ++j)
            combined.insert(combine(i, j));
    QCOMPARE(combined.size(), std::size_t(150 * 150));
}

void HashTest::orderMatters()
{
    QVERIFY(combine(1, 2) != combine(2, 1));
    QVERIFY(combine(combine(0, 1), 2) != combine(combine(0, 2), 1));
}

void HashTest::everyBitCounts()
{
    test::Random random(1);
    double flips = 0;
    for (int i = 0; i < 2000; ++i) {
        const std::uint64_t seed = random(), word = random();
        const int bit = int(test::below(random, 64));
        const auto changed = combine(seed, word ^ (std::uint64_t{1} << bit));
        flips += std::popcount(combine(seed, word) ^ changed);
        QVERIFY(combine(seed, word) != changed);
        QVERIFY(combine(seed ^ (std::uint64_t{1} << bit), word) != combine(seed, word));
    }
    QVERIFY(flips / 2000 > 24 && flips / 2000 < 40); // half of the 64 bits, about
}

void HashTest::textAndBytesAgree()
{
    const std::string text = "Conv";
    QCOMPARE(hashText(text), hashBytes(std::as_bytes(std::span(text))));
    QVERIFY(hashText(text, 1) != hashText(text, 2));
    QVERIFY(hashText("Conv") != hashText("Conv2"));
}

void HashTest::errorText()
{
    QCOMPARE((Error{Error::Kind::Model, "wrong", "node 3", {}}.text()),
             std::string("node 3: wrong"));
    QCOMPARE((Error{Error::Kind::Model, "wrong", "", {}}.text()), std::string("wrong"));
    const Result<int> result = fail(Error::Kind::Usage, "no");
    QVERIFY(!result);
    QVERIFY(std::string(result.error().raised.file_name()).find("hash_test") != std::string::npos);
}

GRAPHLOOM_TESTS(HashTest)

} // namespace graphloom::test::hash_test

#include "hash_test.moc"

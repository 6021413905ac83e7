// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/attributes.h"
#include "tests/support/random_graph.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <set>

namespace graphloom::test::attributes_test {

namespace {

GraphPointer graphOf(std::uint64_t seed)
{
    test::Random random(seed);
    return std::make_shared<const Graph>(test::randomGraph(random));
}

} // namespace

class AttributesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lookups();
    void absentOrOtherKindGivesTheFallback();
    void orderDoesNotMatter();
    void withAndWithout();
    void hashesTellValuesApart();
    void nestedGraphsCountByContent();
};

void AttributesTest::lookups()
{
    const Attributes attributes({{"axis", std::int64_t(-1)},
                                 {"alpha", 0.5f},
                                 {"mode", std::string("linear")},
                                 {"pads", std::vector<std::int64_t>{1, 2}},
                                 {"scales", std::vector<float>{1.5f}},
                                 {"value", TensorData::scalar(4)},
                                 {"body", graphOf(1)}});
    QCOMPARE(attributes.size(), std::size_t(7));
    QCOMPARE(attributes.integer("axis", 0), std::int64_t(-1));
    QCOMPARE(attributes.real("alpha", 0), 0.5f);
    QCOMPARE(attributes.text("mode", ""), std::string("linear"));
    QCOMPARE(attributes.integers("pads"), (std::vector<std::int64_t>{1, 2}));
    QCOMPARE(attributes.reals("scales"), std::vector<float>{1.5f});
    QCOMPARE(attributes.tensor("value")->integer(0), std::int64_t(4));
    QCOMPARE(attributes.graph("body")->hash(), graphOf(1)->hash());
    QVERIFY(attributes.contains("axis") && !attributes.contains("axes"));
    QVERIFY(std::ranges::is_sorted(attributes, {}, &Attribute::name));
}

void AttributesTest::absentOrOtherKindGivesTheFallback()
{
    const Attributes attributes({{"axis", std::int64_t(3)}});
    QCOMPARE(attributes.integer("other", 7), std::int64_t(7));
    QCOMPARE(attributes.real("axis", 2.5f), 2.5f);
    QCOMPARE(attributes.text("axis", "none"), std::string("none"));
    QCOMPARE(attributes.integers("axis", {9}), std::vector<std::int64_t>{9});
    QVERIFY(attributes.reals("axis").empty());
    QVERIFY(!attributes.tensor("axis"));
    QVERIFY(!attributes.graph("axis"));
    QVERIFY(!Attributes().find("axis"));
}

void AttributesTest::orderDoesNotMatter()
{
    const Attributes one({{"a", std::int64_t(1)}, {"b", std::int64_t(2)}});
    const Attributes other({{"b", std::int64_t(2)}, {"a", std::int64_t(1)}});
    QCOMPARE(one.hash(), other.hash());
    QVERIFY(one.hash() != Attributes({{"a", std::int64_t(2)}, {"b", std::int64_t(1)}}).hash());
}

void AttributesTest::withAndWithout()
{
    const Attributes one({{"a", std::int64_t(1)}});
    const Attributes two = one.with("b", std::string("x"));
    QCOMPARE(one.size(), std::size_t(1)); // a value: the original stays
    QCOMPARE(two.text("b", ""), std::string("x"));
    QCOMPARE(two.with("a", std::int64_t(5)).integer("a", 0), std::int64_t(5));
    QCOMPARE(two.with("a", std::int64_t(5)).size(), std::size_t(2));
    QCOMPARE(two.without("b").hash(), one.hash());
    QCOMPARE(two.without("c").hash(), two.hash());
    QCOMPARE(one.without("a").hash(), Attributes().hash());
}

void AttributesTest::hashesTellValuesApart()
{
    const std::vector<AttributeValue> values = {std::int64_t(0),
                                                std::int64_t(1),
                                                0.0f,
                                                1.0f,
                                                -0.0f,
                                                std::string(),
                                                std::string("0"),
                                                std::vector<std::int64_t>{},
                                                std::vector<std::int64_t>{0},
                                                std::vector<std::int64_t>{0, 0},
                                                std::vector<std::int64_t>{1, 0},
                                                std::vector<std::int64_t>{0, 1},
                                                std::vector<float>{},
                                                std::vector<float>{0},
                                                std::vector<std::string>{},
                                                std::vector<std::string>{""},
                                                std::vector<std::string>{"a", "b"},
                                                std::vector<std::string>{"ab"},
                                                TensorData::scalar(0),
                                                TensorData::scalar(1),
                                                std::vector<TensorData>{},
                                                std::vector{TensorData::scalar(0)},
                                                graphOf(1),
                                                graphOf(2),
                                                std::vector<GraphPointer>{},
                                                std::vector<GraphPointer>{graphOf(1)},
                                                RawAttribute{},
                                                RawAttribute{"0"}};
    std::set<std::uint64_t> hashes;
    for (const auto &value : values)
        QVERIFY(hashes.insert(Attributes({{"v", value}}).hash()).second);
    for (const auto &value : values) // the name counts, too
        QVERIFY(hashes.insert(Attributes({{"w", value}}).hash()).second);
    QCOMPARE(hashes.size(), 2 * values.size());
    QVERIFY(hashes.size() > 20);
}

void AttributesTest::nestedGraphsCountByContent()
{
    test::Random random(3);
    const auto graph = graphOf(3);
    const auto same = std::make_shared<const Graph>(test::rebuilt(*graph, random));
    QCOMPARE(Attributes({{"body", graph}}).hash(), Attributes({{"body", same}}).hash());
}

GRAPHLOOM_TESTS(AttributesTest)

} // namespace graphloom::test::attributes_test

#include "attributes_test.moc"

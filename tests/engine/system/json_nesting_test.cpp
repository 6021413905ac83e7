// SPDX-License-Identifier: Apache-2.0
#include "engine/system/json_nesting.h"

#include "tests/support/test_program.h"

#include <QtTest>
#include <nlohmann/json.hpp>

namespace graphloom::test::json_nesting_test {

namespace {

std::string nested(int levels, const std::string &open, const std::string &close)
{
    std::string text;
    for (int i = 0; i < levels; ++i)
        text += open;
    text += "1";
    for (int i = 0; i < levels; ++i)
        text += close;
    return text;
}

} // namespace

class JsonNestingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatPeopleWriteIsRead();
    void deepNestingIsRefused();
    void bracketsInTextsDoNotCount();
    void mistakesAreNotDeep();
};

void JsonNestingTest::whatPeopleWriteIsRead()
{
    const std::string text = nested(deepestJson, "[", "]");
    QVERIFY(!nestsTooDeep(text));
    QVERIFY(orderedJsonOf(text).is_array());
    QCOMPARE(jsonOf(R"({"a": [1, {"b": 2}]})")["a"][1]["b"].get<int>(), 2);
}

void JsonNestingTest::deepNestingIsRefused()
{
    for (const int levels : {deepestJson + 1, 1'000'000})
        for (const auto &[open, close] : {std::pair{"[", "]"}, {"{\"a\":", "}"}}) {
            const std::string text = nested(levels, open, close);
            QVERIFY(nestsTooDeep(text));
            QVERIFY(orderedJsonOf(text).is_discarded());
            QVERIFY(jsonOf(text).is_discarded());
        }
    QVERIFY(nestsTooDeep(std::string(1'000'000, '['))); // that does not end either
}

void JsonNestingTest::bracketsInTextsDoNotCount()
{
    const std::string text = "[\"" + std::string(1000, '[') + "\"]";
    QVERIFY(!nestsTooDeep(text));
    QVERIFY(jsonOf(text).is_array());
}

void JsonNestingTest::mistakesAreNotDeep()
{
    QVERIFY(!nestsTooDeep("{\"a\": "));
    QVERIFY(jsonOf("{\"a\": ").is_discarded());
}

GRAPHLOOM_TESTS(JsonNestingTest)

} // namespace graphloom::test::json_nesting_test

#include "json_nesting_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include "engine/system/json_text.h"

#include "tests/support/test_program.h"

#include <QTest>
#include <nlohmann/json.hpp>

namespace graphloom::test::json_text_test {

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

class JsonTextTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatPeopleWriteIsRead();
    void deepNestingIsRefused();
    void bracketsInTextsDoNotCount();
    void mistakesAreNotDeep();
    void bytesThatAreNotTextAreReplaced();
};

void JsonTextTest::whatPeopleWriteIsRead()
{
    const std::string text = nested(deepestJson, "[", "]");
    QVERIFY(!nestsTooDeep(text));
    QVERIFY(orderedJsonOf(text).is_array());
    QCOMPARE(jsonOf(R"({"a": [1, {"b": 2}]})")["a"][1]["b"].get<int>(), 2);
}

void JsonTextTest::deepNestingIsRefused()
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

void JsonTextTest::bracketsInTextsDoNotCount()
{
    const std::string text = "[\"" + std::string(1000, '[') + "\"]";
    QVERIFY(!nestsTooDeep(text));
    QVERIFY(jsonOf(text).is_array());
}

void JsonTextTest::mistakesAreNotDeep()
{
    QVERIFY(!nestsTooDeep("{\"a\": "));
    QVERIFY(jsonOf("{\"a\": ").is_discarded());
}

void JsonTextTest::bytesThatAreNotTextAreReplaced()
{
    const nlohmann::ordered_json value = {{"b", "x\xff"}, {"a", {1, 2.5}}};
    QCOMPARE(jsonText(value), std::string("{\"b\":\"x\xef\xbf\xbd\",\"a\":[1,2.5]}"));
    QCOMPARE(jsonText(nlohmann::json{{"b", 1}, {"a", 2}}, 1),
             std::string("{\n \"a\": 2,\n \"b\": 1\n}"));
}

GRAPHLOOM_TESTS(JsonTextTest)

} // namespace graphloom::test::json_text_test

#include "json_text_test.moc"

// SPDX-License-Identifier: Apache-2.0
// Operators on text: values by hand, shapes, refusals.
#include "tests/support/operator_case.h"
#include "tests/support/operator_run.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::entries_text_test {

namespace {

using Words = std::vector<std::string>;
using Integers = std::vector<std::int64_t>;

TensorData words(Words strings, TensorData::Extents extents = {})
{
    if (extents.empty())
        extents = {std::int64_t(strings.size())};
    return TensorData::fromStrings(std::move(extents), std::move(strings));
}

/// Elements with bars between them, since some of them are empty.
QString elements(const OperatorRun &call, std::size_t output = 0)
{
    const auto outputs = call.run();
    if (!outputs)
        return QString::fromStdString(outputs.error().message);
    QStringList list;
    for (const std::string &text : (*outputs)[output].strings())
        list << QString::fromStdString(text);
    return list.join("|");
}

const TensorData numbered = int64s({2, 5}, {1, 2, 1, 2, 3, 3, 3, 1, 0, 2});

std::vector<Attribute> counting(const char *mode, std::int64_t skips)
{
    // Unigrams 1 and 3 at places 0 and 2, the bigram (1, 2) at place 1.
    return {{"mode", std::string(mode)},           {"min_gram_length", std::int64_t(1)},
            {"max_gram_length", std::int64_t(2)},  {"max_skip_count", skips},
            {"ngram_counts", Integers{0, 2}},      {"ngram_indexes", Integers{0, 2, 1}},
            {"pool_int64s", Integers{1, 3, 1, 2}}, {"weights", std::vector<float>{2, 1, 10}}};
}

} // namespace

class EntriesTextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stopWords();
    void letterCase();
    void joins();
    void parts();
    void partsOfNothing();
    void countsOfGrams();
    void weightsOfGrams();
    void refusals();
};

void EntriesTextTest::stopWords()
{
    const Attribute stop{"stopwords", Words{"Monday"}}, exact{"is_case_sensitive", std::int64_t(1)};
    const TensorData days = words({"monday", "Tuesday", "Monday"});
    QCOMPARE(elements({"StringNormalizer", {days}, {stop}}), QString("Tuesday"));
    QCOMPARE(elements({"StringNormalizer", {days}, {stop, exact}}), QString("monday|Tuesday"));
    const OperatorRun none("StringNormalizer", {words({"Monday"}, {1, 1})}, {stop});
    QCOMPARE(none.result(), QString("string 1x1: "));
}

void EntriesTextTest::letterCase()
{
    const auto changed = [](const char *action) {
        return elements({"StringNormalizer",
                         {words({"Über", "straße",
                                 "\xff"
                                 "A"})},
                         {{"case_change_action", std::string(action)}}});
    };
    QCOMPARE(changed("UPPER").section('|', 0, 1), QString("ÜBER|STRAßE"));
    QCOMPARE(changed("LOWER").section('|', 0, 1), QString("über|straße"));
    QVERIFY(changed("LOWER").endsWith('a')); // behind a byte that is no text
    QCOMPARE(changed("NONE").section('|', 0, 1), QString("Über|straße"));
}

void EntriesTextTest::joins()
{
    const OperatorRun call("StringConcat", {words({"a", "b"}, {2, 1}), words({"x", "", "z"})}, {},
                           1, 20);
    QCOMPARE(elements(call), QString("ax|a|az|bx|b|bz"));
    QCOMPARE(OperatorRun("StringConcat", {words({"a"}, {1}), TensorData::fromStrings({}, {"b"})},
                         {}, 1, 20)
                 .result(),
             QString("string 1: ab"));
}

void EntriesTextTest::parts()
{
    const auto split = [](Words texts, std::vector<Attribute> attributes) {
        const OperatorRun call("StringSplit", {words(std::move(texts))}, std::move(attributes), 2,
                               20);
        return elements(call) + " (" + call.result(1).section(": ", 1) + ")";
    };
    const auto at = [](const char *text) { return Attribute{"delimiter", std::string(text)}; };
    const Attribute once{"maxsplit", std::int64_t(1)};
    QCOMPARE(split({" a b\t\nc ", "d"}, {}), QString("a|b|c|d|| (3 1)"));
    QCOMPARE(split({" a b  c ", "d"}, {once}), QString("a|b  c |d| (2 1)"));
    QCOMPARE(split({"a--b", "-"}, {at("-")}), QString("a||b||| (3 2)"));
    QCOMPARE(split({"a--b--c"}, {at("--"), once}), QString("a|b--c (2)"));
    QCOMPARE(split({"", "a"}, {at(",")}), QString("|a (1 1)"));
    QCOMPARE(split({"", " "}, {}), QString(" (0 0)"));
}

void EntriesTextTest::partsOfNothing()
{
    const OperatorRun call("StringSplit", {TensorData::fromStrings({0}, {})}, {}, 2, 20);
    QCOMPARE(call.result(0), QString("string 0x0: "));
    QCOMPARE(call.result(1), QString("int64 0: "));
}

void EntriesTextTest::countsOfGrams()
{
    QCOMPARE(OperatorRun("TfIdfVectorizer", {numbered}, counting("TF", 0)).result(),
             QString("float 2x3: 2 2 1 1 0 2"));
    // With a skip, (1, 2) is also in 1 0 2; unigrams do not count twice.
    QCOMPARE(OperatorRun("TfIdfVectorizer", {numbered}, counting("TF", 1)).result(),
             QString("float 2x3: 2 2 1 1 1 2"));
}

void EntriesTextTest::weightsOfGrams()
{
    QCOMPARE(OperatorRun("TfIdfVectorizer", {numbered}, counting("IDF", 0)).result(),
             QString("float 2x3: 2 10 1 2 0 1"));
    QCOMPARE(OperatorRun("TfIdfVectorizer", {numbered}, counting("TFIDF", 0)).result(),
             QString("float 2x3: 4 20 1 2 0 2"));
}

void EntriesTextTest::refusals()
{
    QVERIFY(OperatorRun("StringNormalizer", {words({"a", "b"}, {2, 1})})
                .refusal()
                .contains("a batch of one"));
    QVERIFY(OperatorRun("StringNormalizer", {floats({1}, {1})}).refusal().contains("not float"));
    QVERIFY(OperatorRun("StringNormalizer", {words({"a"})},
                        {{"case_change_action", std::string("TITLE")}})
                .refusal()
                .contains("\"TITLE\""));
    QVERIFY(OperatorRun("StringConcat", {words({"a", "b"}), words({"a", "b", "c"})}, {}, 1, 20)
                .refusal()
                .contains("broadcast"));
    auto attributes = counting("TF", 0);
    attributes[4].value = Integers{0, 3}; // bigrams that do not fill the pool
    QVERIFY(OperatorRun("TfIdfVectorizer", {numbered}, attributes)
                .result()
                .contains("ngram_counts does not match"));
    attributes = counting("TF", 0);
    attributes[7].value = std::vector<float>{1};
    QVERIFY(
        OperatorRun("TfIdfVectorizer", {numbered}, attributes).result().contains("do not match"));
    attributes = counting("COUNT", 0);
    QVERIFY(OperatorRun("TfIdfVectorizer", {numbered}, attributes).refusal().contains("\"COUNT\""));
    QVERIFY(OperatorRun("TfIdfVectorizer", {words({"1"})}, counting("TF", 0))
                .refusal()
                .contains("pool_int64s and integers"));
}

GRAPHLOOM_TESTS(EntriesTextTest)

} // namespace graphloom::test::entries_text_test

#include "entries_text_test.moc"

// SPDX-License-Identifier: Apache-2.0
// How soon reference kernels stop, by counting their steps.
#include "engine/base/steps.h"
#include "tests/support/operator_run.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>
#include <set>

namespace graphloom::test::kernel_stops_test {

namespace {

using Integers = std::vector<std::int64_t>;

/// Numbers in [0, range) that differ from their neighbours.
TensorData scattered(TensorData::Extents extents, double range = 1, DataType type = DataType::Float)
{
    std::int64_t count = 1;
    for (const std::int64_t extent : extents)
        count *= extent;
    std::vector<double> values;
    for (std::int64_t i = 0; i < count; ++i)
        values.push_back(std::fmod(double(i) * 0.618034 * range, range));
    return numbers(type, std::move(extents), values);
}

TensorData words(std::int64_t count)
{
    std::vector<std::string> texts;
    for (std::int64_t i = 0; i < count; ++i)
        texts.push_back(std::to_string(i) + " and " + std::to_string(i + 1));
    return TensorData::fromStrings({count}, std::move(texts));
}

Attribute integer(const char *name, std::int64_t value)
{
    return {name, value};
}

struct Case {
    const char *op;
    OperatorRun::Inputs inputs;
    std::vector<Attribute> attributes = {};
    int outputs = 1;
    std::int64_t opset = 17;
};

/// Calls that take much longer than what may lie between two questions.
std::vector<Case> longCalls()
{
    const std::int64_t n = 40, steps = 60, many = 300'000;
    const auto recurrent = [&](const char *op, std::int64_t gates, int outputs) {
        return Case{
            op,
            {scattered({steps, 2, n}), scattered({1, gates * n, n}), scattered({1, gates * n, n})},
            {integer("hidden_size", n)},
            outputs};
    };
    std::vector<double> places;
    for (int i = 0; i < 4000; ++i)
        for (const double at : {i * 2.0, 0.0, i * 2.0 + 1, 1.0}) // none overlaps another
            places.push_back(at);
    const Attribute shape{"shape", Integers{many}};
    const Attribute keys{"pool_int64s", Integers{1, 3, 1, 2}};
    return {
        recurrent("LSTM", 4, 3),
        recurrent("GRU", 3, 2),
        recurrent("RNN", 1, 2),
        {"Det", {scattered({150, 150})}},
        {"NonZero", {scattered({many})}},
        {"TopK", {scattered({many}), int64s({1}, {5})}, {}, 2},
        {"Unique", {scattered({many}, 1000)}, {}, 4},
        {"Compress",
         {scattered({1000, 300}), numbers(DataType::Bool, {1000}, std::vector<double>(1000, 1))},
         {integer("axis", 0)}},
        {"NonMaxSuppression",
         {floats({1, 4000, 4}, places), scattered({1, 1, 4000}), int64s({1}, {4000})}},
        {"RoiAlign",
         {scattered({1, 4, 60, 60}), floats({2, 4}, {0, 0, 50, 50, 5, 5, 55, 55}),
          int64s({2}, {0, 0})},
         {integer("output_height", 2), integer("output_width", 2)}},
        {"MaxRoiPool",
         {scattered({1, 40, 100, 100}), floats({1, 5}, {0, 0, 0, 99, 99})},
         {{"pooled_shape", Integers{4, 4}}}},
        {"RandomNormal", {}, {shape}},
        {"RandomUniform", {}, {shape}},
        {"RandomNormalLike", {scattered({many})}},
        {"RandomUniformLike", {scattered({many})}},
        {"Bernoulli", {scattered({many})}},
        {"Multinomial", {scattered({200, 1000})}, {integer("sample_size", 200)}},
        {"Dropout",
         {scattered({many}), floats({}, {0.5}), numbers(DataType::Bool, {}, {1})},
         {},
         2},
        {"Cast", {scattered({many})}, {integer("to", 8)}},
        {"CastLike", {scattered({many}), words(1)}},
        {"StringNormalizer", {words(40'000)}, {{"stopwords", std::vector<std::string>{"none"}}}},
        {"StringConcat", {words(200'000), words(200'000)}, {}, 1, 20},
        {"StringSplit", {words(40'000)}, {}, 2, 20},
        {"TfIdfVectorizer",
         {scattered({many}, 4, DataType::Int64)},
         {{"mode", std::string("TF")},
          integer("min_gram_length", 1),
          integer("max_gram_length", 2),
          integer("max_skip_count", 1),
          {"ngram_counts", Integers{0, 2}},
          {"ngram_indexes", Integers{0, 2, 1}},
          keys}},
    };
}

} // namespace

class KernelStopsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyKernelIsTried();
    void aStopIsAnsweredSoon_data();
    void aStopIsAnsweredSoon();
};

void KernelStopsTest::everyKernelIsTried()
{
    std::set<std::string> tried, all;
    for (const Case &call : longCalls())
        tried.insert(call.op);
    for (const Operator &entry : operatorTable())
        if (entry.kernel)
            all.insert(std::string(entry.name));
    QVERIFY(all.size() > 10);
    for (const std::string &name : all)
        QVERIFY2(tried.contains(name), name.c_str());
}

void KernelStopsTest::aStopIsAnsweredSoon_data()
{
    QTest::addColumn<int>("number");
    const auto calls = longCalls();
    for (std::size_t i = 0; i < calls.size(); ++i)
        QTest::newRow(calls[i].op) << int(i);
}

void KernelStopsTest::aStopIsAnsweredSoon()
{
    QFETCH(int, number);
    const Case of = longCalls()[std::size_t(number)];
    const OperatorRun call(of.op, of.inputs, of.attributes, of.outputs, of.opset);
    constexpr std::uint64_t most = 50'000; // milliseconds, where half a second is promised
    Steps steps;
    const auto done = call.run(&steps);
    QVERIFY2(done, done ? "" : done.error().text().c_str());
    qInfo("%llu steps, at most %llu without a question",
          static_cast<unsigned long long>(steps.total()),
          static_cast<unsigned long long>(steps.longest()));
    QVERIFY(steps.total() > most);
    QVERIFY(steps.longest() <= most);

    std::stop_source source;
    source.request_stop();
    Steps stopped(source.get_token());
    const auto ended = call.run(&stopped);
    QVERIFY(!ended);
    QVERIFY2(isStopped(ended.error()), ended.error().text().c_str());
    QVERIFY(stopped.total() <= most);
}

GRAPHLOOM_TESTS(KernelStopsTest)

} // namespace graphloom::test::kernel_stops_test

#include "kernel_stops_test.moc"

// SPDX-License-Identifier: Apache-2.0
// Files of searches that are gone on from: what is wrong in them is refused with its place.
#include "plugins/magis/checkpoint.h"

#include "tests/plugins/magis/workloads.h"
#include "tests/support/random_graph.h"
#include "tests/support/random_states.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

namespace graphloom::test::checkpoint_test {

using namespace graphloom::magis;
using Json = nlohmann::json;

namespace {

constexpr const char *source = "a file";

/// Ready to be searched, with nothing found yet.
void prepareAnew(Variant &variant)
{
    SearchOptions options; // so many states, not so many seconds
    options.expanded = 100;
    options.threads = 1;
    const Outcome &before = variant.unoptimized.outcome;
    prepareSearch(variant, before, {{1.1 * before.seconds, 0}}, 1, options);
}

/// Some value of a file, mostly deep in one of its states.
Json::json_pointer someValue(const Json &file, test::Random &random)
{
    Json::json_pointer at;
    const Json &states = file.at("/variants/0/states"_json_pointer);
    if (test::chance(random, 0.8))
        at = "/variants/0/states"_json_pointer / std::size_t(test::below(random, states.size()));
    while (true) {
        const Json &value = file.at(at);
        if (!value.is_structured() || value.empty() || (!at.empty() && test::chance(random, 0.1)))
            return at;
        const auto child = std::size_t(test::below(random, value.size()));
        if (value.is_object())
            at /= std::next(value.begin(), std::ptrdiff_t(child)).key();
        else
            at /= child;
    }
}

/// The file with a value of it changed, gone or twice; now and then with another byte.
std::string damaged(const Json &original, test::Random &random)
{
    static const Json values =
        Json::parse(R"json([0, 1, 2, 3, 7, 64, -1, -2, 2147483647, 2147483648,
        4294967295, 4294967296, 9223372036854775807, 9223372036854775808, 18446744073709551615,
        -9223372036854775808, 0.5, 1e300, -1e300, true, false, null, "", "x", ".", "sr", [], {},
        [0], [[]], {"parts": 0}])json");
    Json file = original;
    const Json::json_pointer at = someValue(file, random);
    Json &around = file[at.parent_pointer()];
    switch (test::below(random, 6)) {
    case 0:
        if (around.is_object())
            around.erase(at.back());
        else
            around.erase(std::size_t(std::stoul(at.back())));
        break;
    case 1:
        if (around.is_array())
            around.push_back(Json(file.at(at)));
        else
            file[at] = nullptr;
        break;
    case 2:
        file[at] = Json(file.at(someValue(file, random)));
        break;
    default:
        file[at] = values[std::size_t(test::below(random, values.size()))];
    }
    std::string text = file.dump();
    if (test::chance(random, 0.1))
        text[test::below(random, text.size())] ^= char(1 << test::below(random, 7));
    return text;
}

} // namespace

class CheckpointTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void whatWasWrittenIsRead();
    void wrongValuesAreRefused_data();
    void wrongValuesAreRefused();
    void ordersAreOfAllStepsAndTopological();
    void aFileWithAnErrorLeavesTheSearchAsItWas();
    void damagedFilesAreRefusedOrValid();
    void decisionsWithWrongValuesAreRefused_data() { wrongValuesAreRefused_data(); }
    void decisionsWithWrongValuesAreRefused();

private:
    /// What is wrong with the file; "" where it is read.
    QString refusal(const std::string &text)
    {
        prepareAnew(m_variants.front());
        const auto read = readCheckpoint({text, source, false}, m_variants);
        if (read)
            return {};
        if (read.error().kind != Error::Kind::Usage || read.error().where != source)
            return "another kind of error: " + QString::fromStdString(read.error().text());
        return QString::fromStdString(read.error().message);
    }

    Opsets m_opsets;
    std::vector<Variant> m_variants;
    Json m_file, m_decisions;
    std::size_t m_state = 0;   // one of the file with fissions
    std::size_t m_ordered = 0; // one whose order is a list
};

void CheckpointTest::initTestCase()
{
    // With windows, of which not every number of parts is possible.
    const test::Workload workload = test::workload("unet", test::Mode::Training);
    m_opsets = workload.opsets;
    Device device = *findDevice("rtx-3090");
    device.launchSeconds = 0; // small tensors cost what large ones do elsewhere
    auto made = variantOf("", workload.graph, m_opsets, {&device, true, 4});
    QVERIFY2(made, made ? "" : made.error().text().c_str());
    m_variants.push_back(*std::move(made));
    Variant &variant = m_variants.front();
    prepareAnew(variant);
    addSeeds(variant, SearchOptions());
    m_file = Json::parse(checkpointOf(m_variants));
    // A few of the states are enough, and some with fissions, also inside of each other.
    Json &states = m_file["variants"][0]["states"];
    while (states.size() > 3)
        states.erase(0);
    SearchSpace &space = const_cast<SearchSpace &>(*variant.space);
    Simulator simulator(*variant.memory, space.evictions());
    for (std::uint64_t seed = 0; states.size() < 7 && seed < 1000; ++seed) {
        const auto state = test::RandomStates(space, seed).next(simulator, {3});
        if (!state || state->arrangement->fissions().size() < 2)
            continue;
        Decisions decisions{variant.name, *state, state->arrangement->fissions().elements(), {}};
        decisions.locked.assign(decisions.tree.size(), false);
        m_decisions = Json::parse(textOf(variant, decisions));
        m_state = states.size();
        states.push_back(m_decisions["state"]);
    }
    QCOMPARE(states.size(), std::size_t(7));
    // In an order of its own.
    states.push_back(states[m_state]);
    Json order = Json::array();
    for (const StepIndex step : space.orders().back())
        order.push_back(step.number());
    states.back()["order"] = std::move(order);
    m_ordered = states.size() - 1;
}

void CheckpointTest::whatWasWrittenIsRead()
{
    prepareAnew(m_variants.front());
    const auto read = readCheckpoint({m_file.dump(), source, false}, m_variants);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(*read, m_file["variants"][0]["states"].size());
    // What the search has kept of them is read as it is written.
    const std::string written = checkpointOf(m_variants);
    QCOMPARE(refusal(written), QString());
    QCOMPARE(checkpointOf(m_variants), written);
    const auto decisions = readDecisions(m_decisions.dump(), m_variants.front(), source);
    QVERIFY2(decisions, decisions ? "" : decisions.error().text().c_str());
    QCOMPARE(Json::parse(textOf(m_variants.front(), *decisions)), m_decisions);
}

void CheckpointTest::wrongValuesAreRefused_data()
{
    QTest::addColumn<QString>("at"); // in a state
    QTest::addColumn<QString>("value");
    const auto add = [](const char *at, const char *value) {
        QTest::addRow("%s: %s", at, value) << at << value;
    };
    for (const char *parts : {"0", "1", "-1", "4294967296", "2147483647", "1e300", "null", "\"2\""})
        add("fissions/0/parts", parts);
    for (const char *size : {"-1", "1", "4294967296", "null", "\"2\"", "0.5"})
        add("fissions/0/part_size", size);
    for (const char *index : {"-1", "4294967295", "4294967296", "0.5", "[]"}) {
        add("fissions/0/tensor", index);
        add("fissions/0/dim", index);
        add("fissions/0/nodes/0", index);
        add("order", index);
    }
    for (const char *flag : {"0", "\"true\"", "null"})
        add("fissions/0/halos", flag);
    for (const char *list : {"[]", "{}", "3", "[0, 0]"})
        add("fissions/0/nodes", list);
    for (const char *list : {"{}", "3", "[3]", "\"\""})
        add("fissions", list);
    for (const char *text : {"\"\"", "\".\"", "3"})
        add("policies", text);
}

void CheckpointTest::wrongValuesAreRefused()
{
    QFETCH(QString, at);
    QFETCH(QString, value);
    Json file = m_file;
    const std::string state = "/variants/0/states/" + std::to_string(m_state) + '/';
    file[Json::json_pointer(state + at.toStdString())] = Json::parse(value.toStdString());
    const QString reason = refusal(file.dump());
    QVERIFY2(reason.contains("not a checkpoint"), qPrintable(reason));
    const QString named = QString("variants[0].states[%1]").arg(m_state);
    QVERIFY2(reason.contains(named), qPrintable(reason));
    QVERIFY2(reason.contains(at.section('/', 0, 0)), qPrintable(reason));
}

void CheckpointTest::ordersAreOfAllStepsAndTopological()
{
    Json &order = m_file["variants"][0]["states"][m_ordered]["order"];
    const Json right = order;
    const QString place = QString("variants[0].states[%1].order").arg(m_ordered);
    const auto isRefused = [&](const Json &wrong) {
        order = wrong;
        const QString reason = refusal(m_file.dump());
        order = right;
        return reason.contains(place);
    };
    QVERIFY(!isRefused(right));
    Json backwards = right, twice = right, few = right;
    std::reverse(backwards.begin(), backwards.end());
    twice[1] = twice[0];
    few.erase(few.size() - 1);
    for (const Json &wrong : {backwards, twice, few})
        QVERIFY(isRefused(wrong));
}

void CheckpointTest::decisionsWithWrongValuesAreRefused()
{
    QFETCH(QString, at);
    QFETCH(QString, value);
    Json file = m_decisions;
    file[Json::json_pointer("/state/" + at.toStdString())] = Json::parse(value.toStdString());
    const auto decisions = readDecisions(file.dump(), m_variants.front(), source);
    QVERIFY(!decisions);
    QCOMPARE(decisions.error().kind, Error::Kind::Usage);
    const QString reason = QString::fromStdString(decisions.error().message);
    QVERIFY2(reason.contains("state." + at.section('/', 0, 0)), qPrintable(reason));
}

void CheckpointTest::aFileWithAnErrorLeavesTheSearchAsItWas()
{
    Json file = m_file;
    file["variants"][0]["states"].back()["order"] = -1;
    QVERIFY(!refusal(file.dump()).isEmpty());
    QVERIFY(m_variants.front().search->archive().entries().empty());
}

void CheckpointTest::damagedFilesAreRefusedOrValid()
{
    test::Random random(1);
    int refused = 0, taken = 0;
    for (int round = 0; round < 200; ++round) {
        const std::string text = damaged(m_file, random);
        const QString reason = refusal(text);
        if (!reason.isEmpty()) {
            ++refused;
            QVERIFY2(reason.contains("checkpoint"), qPrintable(reason));
            continue;
        }
        ++taken;
        const Variant &variant = m_variants.front();
        Simulator simulator(*variant.memory, variant.space->evictions());
        for (const auto &entry : variant.search->archive().entries()) {
            const State &state = entry.state;
            for (const EnabledFission &enabled : state.arrangement->fissions()) {
                const Fission &fission = variant.space->fissions().fission(enabled.fission);
                QVERIFY(enabled.number > 1 && fission.canBeIn(*variant.memory, enabled.number));
            }
            const Outcome again = simulator.run(*state.arrangement, state.policies);
            QVERIFY(again.possible);
            QCOMPARE(again.peak, state.outcome.peak);
        }
    }
    qInfo("%d refused, %d taken", refused, taken);
    QVERIFY(refused > 100 && taken > 0);
}

GRAPHLOOM_TESTS(CheckpointTest)

} // namespace graphloom::test::checkpoint_test

#include "checkpoint_test.moc"

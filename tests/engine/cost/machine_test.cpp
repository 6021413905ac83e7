// SPDX-License-Identifier: Apache-2.0
#include "engine/cost/machine.h"

#include "engine/cost/device.h"
#include "engine/cost/device_files.h"
#include "engine/cost/machine_keys.h"
#include "engine/cost/machine_text.h"
#include "engine/system/json_text.h"
#include "tests/support/mutated_text.h"
#include "tests/support/simple_machine.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>

namespace graphloom::test::machine_test {

using namespace machine_keys;

namespace {

const QString simple = QString::fromUtf8(simpleMachine.data(), qsizetype(simpleMachine.size()));

} // namespace

class MachineTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theFastestUnitsAreLeft()
    {
        const Machine phone = *findDevice("kirin990")->machine; // 2 + 2 Cortex-A76, 4 Cortex-A55
        const Machine three = withUnits(phone, 3);
        QCOMPARE(three.units.size(), 2U);
        QCOMPARE(three.units[0].count.value, 2.);
        QCOMPARE(three.units[1].count.value, 1.);
        QVERIFY(three.units[0].flops.value > three.units[1].flops.value);
        QCOMPARE(withUnits(phone, 100).units.size(), phone.units.size());
    }

    void whatIsWrittenIsReadBack()
    {
        QVERIFY(deviceFiles.size() >= 4);
        for (const std::string_view file : deviceFiles) {
            const auto machine = parseMachine(file);
            QVERIFY2(machine, machine ? "" : machine.error().text().c_str());
            const std::string written = jsonText(jsonOf(*machine));
            QCOMPARE(jsonOf(written), jsonOf(file));
            const auto again = parseMachine(written);
            QVERIFY(again);
            QCOMPARE(jsonText(jsonOf(*again)), written);
        }
    }

    void whatIsWrongIsNamed_data()
    {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("after");
        QTest::addColumn<QString>("message");
        const auto row = [](const char *before, const char *after, const char *message) {
            QTest::newRow(message) << before << after << message;
        };
        row(R"("value": 2, )", R"("value": 0, )",
            R"(device "d", units, "core": "gflops" must be a number greater than 0)");
        row(R"("value": 2, )", R"("value": 1e40, )",
            R"(device "d", units, "core": "gflops" is out of range)");
        row(R"({"value": 2, "assumed": "two"})", "2",
            R"(device "d", units, "core": "gflops" must be an object with "value" and one of )"
            R"("published", "measured" and "assumed")");
        row(R"("value": 2, "assumed": "two")", R"("value": 2)",
            R"(device "d", units, "core": "gflops" must have one of "published", "measured" and )"
            R"("assumed")");
        row(R"("assumed": "two")", R"("assumed": "")",
            R"(device "d", units, "core": "gflops" must say in "assumed" where the value is from)");
        row(R"("assumed": "two")", R"("guessed": "two")",
            R"(device "d", units, "core": "gflops" has the unknown key "guessed")");
        row(R"("value": 1, "assumed": "one"},
        "gflops")",
            R"("value": 1.5, "assumed": "one"},
        "gflops")",
            R"(device "d", units, "core": "count" must be a whole number)");
        row(R"("gflops")", R"("flops")", R"(device "d", units, "core": unknown key "flops")");
        row(R"("name": "core",)", "", R"(device "d", units, 1: "name" must be a text)");
        row(R"("name": "L1")", R"("name": "memory")",
            R"(device "d", units, "core", memory, "memory": two levels that a unit can reach have )"
            R"(the same name)");
        row(R"("scratch": "L1")", R"("scratch": "L2")",
            R"(device "d": "scratch" must be the name of a level: there is no "L2")");
        row(R"("line_bytes": {"value": 64, "assumed": "usual"})",
            R"("latency_ns": {"value": 64, "assumed": "usual"})",
            R"(device "d": "line_bytes" of the last level of "memory" is missing)");
        row(R"("scratch")", R"("tiles": {"edge": {"value": 16, "assumed": "a"}}, "scratch")",
            R"(device "d", tiles: "small_share" is missing)");
        row(R"("scratch")", R"("overlaps": {"value": 1, "assumed": "a"}, "scratch")",
            R"(device "d": "overlaps" must be true or false)");
        row(R"("scratch")", R"("cores": 2, "scratch")", R"(device "d": unknown key "cores")");
        row(R"("count")", R"("extensions": "fp16", "count")",
            R"(device "d", units, "core": "extensions" must be a list of texts)");
        row(R"("count")", R"("clocks_ghz": [0], "count")",
            R"(device "d", units, "core": "clocks_ghz" must be a list of numbers greater than 0)");
    }
    void whatIsWrongIsNamed()
    {
        QFETCH(QString, before);
        QFETCH(QString, after);
        QFETCH(QString, message);
        QVERIFY(simple.contains(before));
        const auto machine = parseMachine(QString(simple).replace(before, after).toStdString());
        QVERIFY(!machine);
        QCOMPARE(machine.error().kind, Error::Kind::Usage);
        QCOMPARE(QString::fromStdString(machine.error().text()), message);
    }

    void noObjectIsNoDevice()
    {
        QCOMPARE(parseMachine("[1]").error().text(),
                 std::string("a device description must be a JSON object"));
    }

    void damagedDescriptionsAreReadOrRefused()
    {
        int read = 0, refused = 0;
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            Random random(seed);
            const QByteArray text = mutated(simple.toUtf8(), random);
            const auto machine = parseMachine({text.data(), std::size_t(text.size())});
            ++(machine ? read : refused);
            QVERIFY2(machine ? std::isfinite(machine->units.front().flops.value)
                             : machine.error().kind == Error::Kind::Usage,
                     text.left(300).constData());
        }
        QVERIFY2(read > 0 && refused > 5,
                 qPrintable(QStringLiteral("%1 read, %2 refused").arg(read).arg(refused)));
    }

    void levelsOfUnitsAddUp()
    {
        auto machine = parseMachine(simpleMachine);
        QVERIFY(machine);
        machine->units.push_back(machine->units.front());
        machine->units.back().count.value = 3;
        machine->units.back().memory.front().bandwidth.value = 1e9;
        QCOMPARE(bandwidthOf(*machine, "L1"), 4e9 + 3 * 1e9);
        QCOMPARE(bandwidthOf(*machine, "memory"), 1e9);
        QCOMPARE(bandwidthOf(*machine, "L7"), 0.0);
    }

    void theSchemaNamesEachKey()
    {
        const std::string schema = machineSchema();
        for (const auto &key : levelKeys)
            QVERIFY2(schema.find("`" + std::string(key.name) + "`") != std::string::npos, key.name);
        for (const auto &key : unitPlain)
            QVERIFY2(schema.find("`" + std::string(key.name) + "`") != std::string::npos, key.name);
    }
};

GRAPHLOOM_TESTS(MachineTest)

} // namespace graphloom::test::machine_test

#include "machine_test.moc"

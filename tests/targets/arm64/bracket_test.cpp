// SPDX-License-Identifier: Apache-2.0
#include "targets/arm64/bracket.h"

#include "targets/arm64/arm_devices.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>

namespace graphloom::test::bracket_test {

using arm64::KernelEstimate;

class BracketTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void countsAreRead();
    void halfAFileIsRefused();
    void spillsAreRecognized_data();
    void spillsAreRecognized();
    void loopsAreEstimated();
    void unknownInstructionsAreNotEstimated();
    void noBlockExceedsThePeak();
    void blocksThatTheEmulatorPartsAreOne();
    void tilesAreLoopsThatMultiplyAndAdd();
    void boundsEncloseEachOther();
    void bytesBoundWhatPipelinesDoNot();
    void fewTasksUseFewUnits();
    void foreseenMissesDoNotWait();

private:
    std::filesystem::path written(const std::string &text) const
    {
        const std::filesystem::path path = m_folder.filePath("counts").toStdString();
        std::ofstream(path) << text;
        return path;
    }
    static const Architecture &arm() { return *findArchitecture("aarch64"); }
    static const Machine &machine() { return *findDevice("kirin990")->machine; }

    QTemporaryDir m_folder;
};

void BracketTest::countsAreRead()
{
    const auto counts = arm64::readCounts(written("kernel model_a 100 20 15\n"
                                                  "block model_a 400100 4 2\n"
                                                  "block model_a 400110 10 600\n"
                                                  "kernel model_b 1 0 0\n"
                                                  "block model_b 400200 3 1\n"
                                                  "end\n"));
    QVERIFY2(counts, counts ? "" : counts.error().text().c_str());
    QCOMPARE(counts->size(), 2U);
    const arm64::KernelCounts &a = counts->at("model_a");
    QCOMPARE(a.firstMisses, 100U);
    QCOMPARE(a.lastMisses, 20U);
    QCOMPARE(a.foreseenMisses, 15U);
    QCOMPARE(a.calls, 2U);
    QCOMPARE(a.instructions(), 4U * 2 + 10U * 600);
}

void BracketTest::halfAFileIsRefused()
{
    const auto counts = arm64::readCounts(written("kernel model_a 100 20 15\n"));
    QVERIFY(!counts);
    QCOMPARE(int(counts.error().kind), int(Error::Kind::Fault));
}

void BracketTest::spillsAreRecognized_data()
{
    QTest::addColumn<QString>("instruction");
    QTest::addColumn<bool>("spills");
    QTest::newRow("a vector to the stack") << "str\tq0, [sp, #0x10]" << true;
    QTest::newRow("two vectors") << "ldp\tq0, q1, [sp, #32]" << true;
    QTest::newRow("an address") << "ldr\tx0, [sp, #16]" << false;
    QTest::newRow("an operand") << "ldr\tq0, [x1, #16]" << false;
    QTest::newRow("arithmetic") << "fmla\tv0.4s, v1.4s, v2.s[0]" << false;
}

void BracketTest::spillsAreRecognized()
{
    QFETCH(QString, instruction);
    QFETCH(bool, spills);
    QCOMPARE(arm().isSpill(instruction.toStdString()), spills);
}

void BracketTest::loopsAreEstimated()
{
    const auto tools = llvmTools({});
    if (!tools)
        QSKIP("needs llvm-19");
    // Eight independent multiply-adds take four cycles of two pipes; one chain takes its latency.
    std::vector<std::string> independent, chain(8, "fmla\tv0.4s, v8.4s, v9.s[1]");
    for (int i = 0; i < 8; ++i)
        independent.push_back("fmla\tv" + std::to_string(i) + ".4s, v8.4s, v9.s[1]");
    const auto uses = pipelineUse(*tools, arm(), "cortex-a76", {independent, chain}, {});
    QVERIFY2(uses, uses ? "" : uses.error().text().c_str());
    QVERIFY((*uses)[0].cycles > 3.9 && (*uses)[0].cycles < 5);
    QVERIFY((*uses)[1].cycles > 2 * (*uses)[0].cycles);
}

void BracketTest::unknownInstructionsAreNotEstimated()
{
    const auto tools = llvmTools({});
    if (!tools)
        QSKIP("needs llvm-19");
    const auto uses =
        pipelineUse(*tools, arm(), "cortex-a76", {{"nonsense x0"}, {"add\tx0, x1, x2"}}, {});
    QVERIFY2(uses, uses ? "" : uses.error().text().c_str());
    QVERIFY((*uses)[1].cycles > 0);
}

void BracketTest::noBlockExceedsThePeak()
{
    const auto tools = llvmTools({});
    if (!tools)
        QSKIP("needs llvm-19");
    // Of the multiply-adds of a Cortex-A55, one begins in a cycle; of those of half a vector, two.
    constexpr std::uint64_t first = 0x1000, count = 16, calls = 10;
    for (const auto &[shape, perCycle] : {std::pair(".4s", 1), std::pair(".2s", 2)}) {
        MachineCode code;
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t address = first + 4 * i;
            code[address].address = address;
            code[address].text =
                "fmla\tv" + std::to_string(i) + shape + ", v30" + shape + ", v31" + shape;
        }
        arm64::KernelCounts kernel;
        kernel.blocks = {{first, count, calls}};
        kernel.calls = calls;
        const UnitKind &unit = findDevice("a55-pair")->machine->units.front();
        const auto estimated = arm64::estimates(*tools, unit, code, {{"kernel", kernel}}, {});
        QVERIFY2(estimated, estimated ? "" : estimated.error().text().c_str());
        const double cycles = estimated->at("kernel").cycles;
        QVERIFY2(cycles > 0.99 * double(count) / perCycle &&
                     cycles < 1.2 * double(count) / perCycle,
                 std::to_string(cycles).c_str());
    }
}

/// Multiply-adds into 12 registers, as often as a block of them is executed; after `parted`
/// instructions the emulator begins another block. One half alone depends on itself.
void BracketTest::blocksThatTheEmulatorPartsAreOne()
{
    const auto tools = llvmTools({});
    if (!tools)
        QSKIP("needs llvm-19");
    constexpr std::uint64_t first = 0x1000, count = 12, calls = 10;
    MachineCode code;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t address = first + 4 * i;
        code[address].address = address;
        code[address].text = "fmla\tv" + std::to_string(i) + ".4s, v30.4s, v31.4s";
    }
    const UnitKind &unit = findDevice("sd888")->machine->units.front();
    const auto cyclesOf = [&](std::vector<arm64::KernelCounts::Block> blocks) {
        arm64::KernelCounts kernel;
        kernel.blocks = std::move(blocks);
        kernel.calls = calls;
        return arm64::estimates(*tools, unit, code, {{"kernel", kernel}}, {})->at("kernel").cycles;
    };
    const double whole = cyclesOf({{first, count, calls}});
    QCOMPARE(cyclesOf({{first, 2, calls}, {first + 8, count - 2, calls}}), whole);
    // What the emulator has translated twice counts twice.
    QVERIFY(cyclesOf({{first, count, calls}, {first, count, calls}}) > 1.9 * whole);
    // Others that lead to the same place, or were executed more often, are blocks of their own.
    QVERIFY(cyclesOf({{first, 2, calls}, {first + 8, count - 2, 2 * calls}}) > whole);
    QVERIFY(cyclesOf({{first, 2, calls}, {first + 4, 1, calls}, {first + 8, count - 2, calls}}) >
            whole);
}

void BracketTest::tilesAreLoopsThatMultiplyAndAdd()
{
    const auto tools = llvmTools({});
    if (!tools)
        QSKIP("needs llvm-19");
    MachineCode code;
    for (const auto &[address, text] :
         {std::pair(0x1000, "fmla\tv0.4s, v30.4s, v31.4s"), std::pair(0x1004, "ret"),
          std::pair(0x1008, "add\tx0, x1, x2")}) {
        code[std::uint64_t(address)].address = std::uint64_t(address);
        code[std::uint64_t(address)].text = text;
    }
    arm64::KernelCounts kernel;
    kernel.blocks = {{0x1000, 2, 100}, {0x1008, 1, 100}};
    kernel.calls = 1;
    const UnitKind &unit = findDevice("sd888")->machine->units.front();
    const auto estimated = arm64::estimates(*tools, unit, code, {{"kernel", kernel}}, {});
    QVERIFY2(estimated, estimated ? "" : estimated.error().text().c_str());
    const KernelEstimate &of = estimated->at("kernel");
    QCOMPARE(of.tileFlops, 800.0);
    QVERIFY(of.tileCycles > 0 && of.tileCycles < of.cycles);
}

void BracketTest::boundsEncloseEachOther()
{
    const arm64::Bracket bracket = arm64::bracketOf({1e6, 1e4, 1e3, 5e5, 500, 0}, machine(), 100);
    QVERIFY(bracket.low > 0);
    QVERIFY(bracket.high > bracket.low);
}

void BracketTest::bytesBoundWhatPipelinesDoNot()
{
    const KernelEstimate little{.cycles = 1}, moves{.lastMisses = 1e6, .cycles = 1};
    QVERIFY(arm64::bracketOf(moves, machine(), 8).low >
            100 * arm64::bracketOf(little, machine(), 8).low);
}

void BracketTest::fewTasksUseFewUnits()
{
    const KernelEstimate computes{.cycles = 1e6};
    const double one = arm64::bracketOf(computes, machine(), 1).low,
                 two = arm64::bracketOf(computes, machine(), 2).low,
                 many = arm64::bracketOf(computes, machine(), 1000).low;
    QCOMPARE(one / two, 2.); // two of its cores are equally fast
    QVERIFY(many < two);
}

void BracketTest::foreseenMissesDoNotWait()
{
    const KernelEstimate scattered{.lastMisses = 1e5, .cycles = 1},
        stream{.lastMisses = 1e5, .cycles = 1, .foreseen = 1e5};
    QVERIFY(arm64::bracketOf(stream, machine(), 1).high <
            arm64::bracketOf(scattered, machine(), 1).high / 2);
}

GRAPHLOOM_TESTS(BracketTest)

} // namespace graphloom::test::bracket_test

#include "bracket_test.moc"

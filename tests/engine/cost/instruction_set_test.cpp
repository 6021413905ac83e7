// SPDX-License-Identifier: Apache-2.0
#include "engine/cost/instruction_set.h"

#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::instruction_set_test {

class InstructionSetTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theWidestComesFirst();
    void eachIsFoundByNameAndLanes();
    void otherArchitecturesHaveTheirOwn();
    void otherNamesAreNotFound();
    void withoutFusedMultiplyAddsThereIsNoAvx2();
    void withoutHalfPrecisionThereIsNoAvx2();
    void avx512NeedsWhatAvx2Needs();
    void theNarrowestIsExecutableEverywhere();
    void thisProcessorUsesItsWidest();

private:
    static HostFacts everything()
    {
        HostFacts host;
        host.avx2 = host.fma = host.f16c = host.avx512 = true;
        return host;
    }
    static bool executes(const HostFacts &host, std::string_view name)
    {
        const InstructionSet *set = findInstructionSet(name);
        if (!set)
            qFatal("this architecture has no such instruction set");
        return isExecutable(*set, host);
    }
};

void InstructionSetTest::theWidestComesFirst()
{
    QVERIFY(!instructionSets().empty());
    for (std::size_t i = 1; i < instructionSets().size(); ++i)
        QVERIFY(instructionSets()[i - 1].lanes > instructionSets()[i].lanes);
}

void InstructionSetTest::eachIsFoundByNameAndLanes()
{
    QVERIFY(!instructionSets().empty());
    for (const InstructionSet &set : instructionSets()) {
        QCOMPARE(findInstructionSet(set.name), &set);
        QCOMPARE(findInstructionSet(set.lanes), &set);
    }
}

void InstructionSetTest::otherArchitecturesHaveTheirOwn()
{
    QCOMPARE(instructionSetsOf(instructionSets().front().architecture).data(),
             instructionSets().data());
    QCOMPARE(instructionSetsOf("aarch64").front().name, std::string_view("neon"));
    QVERIFY(instructionSetsOf("pdp11").empty());
    QCOMPARE(findAnyInstructionSet("neon"), &instructionSetsOf("aarch64").front());
}

void InstructionSetTest::otherNamesAreNotFound()
{
    QVERIFY(!findInstructionSet("mmx"));
    QVERIFY(!findInstructionSet(""));
    QVERIFY(!findInstructionSet(3));
}

void InstructionSetTest::withoutFusedMultiplyAddsThereIsNoAvx2()
{
    if (!findInstructionSet("avx2"))
        QSKIP("needs an x86 processor");
    HostFacts host = everything();
    QVERIFY(executes(host, "avx2"));
    host.fma = false;
    QVERIFY(!executes(host, "avx2"));
}

void InstructionSetTest::withoutHalfPrecisionThereIsNoAvx2()
{
    if (!findInstructionSet("avx2"))
        QSKIP("needs an x86 processor");
    HostFacts host = everything();
    host.f16c = false;
    QVERIFY(!executes(host, "avx2"));
}

void InstructionSetTest::avx512NeedsWhatAvx2Needs()
{
    if (!findInstructionSet("avx512"))
        QSKIP("needs an x86 processor");
    HostFacts host = everything();
    QVERIFY(executes(host, "avx512"));
    host.fma = false;
    QVERIFY(!executes(host, "avx512"));
    host = everything();
    host.avx512 = false;
    QVERIFY(!executes(host, "avx512"));
    QVERIFY(executes(host, "avx2"));
}

void InstructionSetTest::theNarrowestIsExecutableEverywhere()
{
    QVERIFY(isExecutable(instructionSets().back(), HostFacts()));
}

void InstructionSetTest::thisProcessorUsesItsWidest()
{
    for (const InstructionSet &set : instructionSets())
        QCOMPARE(isExecutable(set, hostFacts()), set.lanes <= hostInstructionSet().lanes);
    QVERIFY(executableInstructionSets().starts_with(hostInstructionSet().title));
}

GRAPHLOOM_TESTS(InstructionSetTest)

} // namespace graphloom::test::instruction_set_test

#include "instruction_set_test.moc"

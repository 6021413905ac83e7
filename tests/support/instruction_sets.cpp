// SPDX-License-Identifier: Apache-2.0
#include "tests/support/instruction_sets.h"

#include <QTest>

#include <cstdlib>

namespace graphloom::test {

namespace {

bool &notRun()
{
    static bool value = false;
    return value;
}

} // namespace

const InstructionSet &testedSet()
{
    const char *named = std::getenv("GRAPHLOOM_TEST_INSTRUCTION_SET");
    if (!named || !*named)
        return hostInstructionSet();
    const InstructionSet *set = findInstructionSet(named);
    if (!set)
        qFatal("GRAPHLOOM_TEST_INSTRUCTION_SET: there is no instruction set \"%s\" here", named);
    return *set;
}

void addInstructionSetRows()
{
    QTest::addColumn<int>("lanes");
    for (const InstructionSet &set : instructionSets())
        QTest::newRow(std::string(set.title).c_str()) << set.lanes;
}

std::string whyNotRun(int lanes)
{
    const InstructionSet *set = findInstructionSet(lanes);
    if (!set || isExecutable(*set, hostFacts()))
        return {};
    return "compiled, not run: this processor cannot execute " + std::string(set->title) +
           ", only " + executableInstructionSets();
}

std::string whyNotRun()
{
    std::string reason = whyNotRun(testedSet().lanes);
    notRun() = notRun() || !reason.empty();
    return reason;
}

bool wasNotRun()
{
    return notRun();
}

} // namespace graphloom::test

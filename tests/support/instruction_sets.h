// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/instruction_set.h"

#include <string>

namespace graphloom::test {

/// Returns the instruction set of this test's kernels: the one in the environment variable
/// GRAPHLOOM_TEST_INSTRUCTION_SET, which CTest's variants of a test set, or that of the widest
/// vectors of this processor.
const InstructionSet &testedSet();
/// Adds a column "lanes" and a row for each instruction set of the architecture.
void addInstructionSetRows();

/// Returns the reason why kernels with so many lanes can only be compiled, or an empty string if
/// they can run here, too.
std::string whyNotRun(int lanes);
/// Returns the reason for testedSet(). If it was not empty, main() tells CTest that the test was
/// skipped.
std::string whyNotRun();
bool wasNotRun();

} // namespace graphloom::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/instruction_set.h"

#include <string>

namespace graphloom::test {

/// What the kernels of this test are for: what the environment variable
/// GRAPHLOOM_TEST_INSTRUCTION_SET names, as CTest's variants of a test do, and else the widest
/// vectors of this processor.
const InstructionSet &testedSet();
/// Adds a column "lanes" and a row for each instruction set of the architecture.
void addInstructionSetRows();

/// Why kernels with so many lanes are compiled only; empty: they can run here, too.
std::string whyNotRun(int lanes);
/// The same of testedSet(); main() tells CTest that the test was skipped, if it was not empty.
std::string whyNotRun();
bool wasNotRun();

} // namespace graphloom::test

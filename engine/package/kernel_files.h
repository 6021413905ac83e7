// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/instruction_set.h"
#include "engine/runtime/execution_plan.h"
#include "engine/target/target.h"

#include <functional>

namespace graphloom {

/// Returns the name that a kernel's function has in files, from the one that it has in the plan.
using KernelNames = std::function<std::string(const std::string &symbol)>;

/// Returns the generated kernels as files for people to read and compile: one for each block, and
/// the header that all include. A comment at the top of each file tells what it is for and how to
/// compile it. Code that several blocks have in common is in the file of the first one; all files
/// can be linked together.
std::vector<SourceFile> kernelFiles(
    const ExecutionPlan &plan, const InstructionSet &set,
    const KernelNames &names = [](const std::string &symbol) { return symbol; });

} // namespace graphloom

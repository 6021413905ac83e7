// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/emit/plan_kernels.h"
#include "engine/target/target.h"

namespace graphloom::host {

/// Returns the generated kernels as files for people to read and compile: one for each block, and
/// the header that all include. A comment at the top of each file tells what it is for and how to
/// compile it.
std::vector<SourceFile> kernelFiles(const PlanKernels &kernels, const InstructionSet &set);

} // namespace graphloom::host

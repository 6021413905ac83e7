// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/emit/plan_kernels.h"
#include "engine/target/target.h"

namespace graphloom::host {

/// Generated kernels as files for people to read and compile: one for each block, and the header
/// that all include. What a file is of, and how it is compiled, stands in a comment on top of it.
std::vector<SourceFile> kernelFiles(const PlanKernels &kernels, const InstructionSet &set);

} // namespace graphloom::host

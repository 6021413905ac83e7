// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/instruction_set.h"
#include "engine/runtime/execution_plan.h"
#include "engine/target/target.h"

#include <functional>

namespace graphloom {

/// Returns the name that a kernel's function has in files, from the one that it has in the plan.
using KernelNames = std::function<std::string(const std::string &symbol)>;

/// Says how files with kernels in a language look.
struct KernelFileForm {
    std::string header, prelude; // the name and the content of the file that all include
    std::string suffix;          // of the others: ".c"
    int lanes = 4;               // GL_LANES
    /// Returns the comments of a file of this name that say what it is for and how to compile it.
    std::function<std::vector<std::string>(const std::string &name)> usage;
};

/// Returns the form of files with C for an instruction set.
KernelFileForm cFileForm(const InstructionSet &set);

/// Returns the generated kernels as files for people to read and compile: one for each block, and
/// the header that all include. A comment at the top of each file tells what it is for and how to
/// compile it. Code that several blocks have in common is in the file of the first one; all files
/// can be linked together.
std::vector<SourceFile> kernelFiles(
    const ExecutionPlan &plan, const KernelFileForm &form,
    const KernelNames &names = [](const std::string &symbol) { return symbol; });

} // namespace graphloom

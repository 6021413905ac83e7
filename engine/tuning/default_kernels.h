// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/build/compiled_kernels.h"

#include <functional>
#include <vector>

namespace graphloom {

/// Compiles kernels of a plan for trials, within `seconds` by `clock`: all that the cache already
/// has in the form in which the plan is built, otherwise those of `blocks` in their order, until
/// the next ones would probably take longer than there is time. Trials compile what is missing,
/// which takes longer for each kernel. Fails (Missing) if the compiler is gone or the cache's
/// folder cannot be written.
Result<CompiledKernels> compileInTime(const BlockKernels &kernels,
                                      const std::vector<BlockIndex> &blocks,
                                      const CompileOptions &options, double seconds,
                                      const std::function<double()> &clock);

} // namespace graphloom

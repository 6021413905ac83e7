// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/build/compiled_kernels.h"

namespace graphloom {

struct RehearsalOptions {
    double limitSeconds = 60; // for a few runs of one phase
    std::stop_token stop;
};

/// Runs compiled kernels in a child process, on memory of their own, before they run in this one.
/// Returns the blocks whose kernels crash, hang or exceed their buffers, with the
/// reason. The outcome is kept next to each library, so that a library is rehearsed once. Fails if
/// trials cannot begin (engine/runtime/trial/trial.h), and (Fault) when stopped.
Result<RefusedBlocks> rehearseKernels(const BlockKernels &kernels, const CompiledKernels &compiled,
                                      const RehearsalOptions &options);

} // namespace graphloom
